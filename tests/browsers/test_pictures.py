"""Pictures and clips that fail at first; WebKit requests nothing if the same `src` is set again."""

import pytest

from annotate.models import Report
from tests.browsers.proxy import CLOSED
from tests.judge_screen.screen import image, open_documents, video

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
BROKEN = "#document .broken:not(.is-trying)"
LOADED = """[...document.querySelectorAll("#document :is(img, video)")]
    .some((one) => one.naturalWidth > 0 || one.readyState >= 2)"""


def test_what_failed_is_asked_for_again_and_loads_on_screen_and_of_the_next_card(
    window, proxy, collection, annotator, media_root
):
    open_documents(collection, image(collection), video(collection))
    window.sign_in("ada")
    with proxy.answering("/birds/media/", 503) as answer:
        window.open("/c/birds/judge/")
        window.find(BROKEN)
        for failure in (404, CLOSED):  # no gap: a picture loaded in between would need no retry
            answer(failure)
            n_requests = proxy.count_requests("/birds/media/")
            window.press("#document [data-retry]")
            window.wait_for(
                lambda n=n_requests: proxy.count_requests("/birds/media/") > n, "asked again"
            )
            window.find(BROKEN)
    window.evaluate("dispatchEvent(new Event('online'))")
    window.wait_for(lambda: window.evaluate(LOADED), "the first one loaded")
    window.wait_until_levels_awake()
    window.key("2")
    window.wait_for(
        lambda: window.evaluate(
            "document.querySelector('#progress-text').textContent.includes('2 of 2')"
        )
    )
    window.wait_for(lambda: window.evaluate(LOADED), "the one that was prepared meanwhile loaded")
    assert not Report.objects.exists()
