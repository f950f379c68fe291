"""Pictures and clips that do not come at first; Safari's engine asks for nothing when an address is set once more."""

import pytest

from annotate.models import Report
from tests.browsers.proxy import CLOSED
from tests.judge_screen.screen import image, show, video

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
BROKEN = "#document .broken:not(.is-trying)"
LOADED = """[...document.querySelectorAll("#document :is(img, video)")]
    .some((one) => one.naturalWidth > 0 || one.readyState >= 2)"""


def test_what_failed_is_asked_for_again_and_loads_on_screen_and_of_the_next_card(
    window, proxy, collection, annotator, media_root
):
    show(collection, image(collection), video(collection))
    window.sign_in("ada")
    with proxy.answering("/media/", 503) as answer:
        window.open("/c/birds/judge/")
        window.find(BROKEN)
        for failure in (404, CLOSED):  # a picture that came in between would have nothing to try again
            answer(failure)
            asked = proxy.n_asked("/media/")
            window.press("#document [data-retry]")
            window.until(lambda asked=asked: proxy.n_asked("/media/") > asked, "asked again")
            window.find(BROKEN)
    window.tell("dispatchEvent(new Event('online'))")
    window.until(lambda: window.tell(LOADED), "the first one loaded")
    window.look()
    window.key("2")
    window.until(lambda: window.tell("document.querySelector('#progress-text').textContent.includes('2 of 2')"))
    window.until(lambda: window.tell(LOADED), "the one that was prepared meanwhile loaded")
    assert not Report.objects.exists()
