"""Clips on a phone that saves data: nothing of them is loaded before they play."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from tests.browsers.programs import firefox
from tests.browsers.proxy import LISTEN, LISTENER
from tests.judge_screen.screen import open_documents, video

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
N_DRAWN = """[...document.querySelectorAll("#document .strip canvas")]
    .filter((one) => one.getContext("2d").getImageData(9, 9, 1, 1).data[3] > 0).length"""
# Pages give up on clips and frames after some seconds; slow machines need longer.
LONG_TIMEOUTS = """
const soon = setTimeout;
globalThis.setTimeout = (act, wait, ...given) => soon(act, wait >= 500 ? 240_000 : wait, ...given);
"""


@pytest.fixture
def driver() -> Iterator[WebDriver]:
    """A Firefox that ignores `preload`, as phones do."""
    with firefox(media__preload__auto=1, media__preload__default=1) as driver:
        yield driver


def test_the_strip_of_frames_is_filled_where_nothing_is_loaded_ahead(
    window, proxy, collection, annotator, media_root
):
    proxy.scripts[LISTENER] = LISTEN + LONG_TIMEOUTS
    open_documents(collection, video(collection))
    window.sign_in("ada")
    window.open("/c/birds/judge/")
    window.wait_for(lambda: window.evaluate(N_DRAWN) == 8, "eight frames")
