"""How pages lie in Firefox and WebKit where scrollbars take room: nothing scrolls that should not, fields are even."""

from collections.abc import Iterator

import pytest
from django.urls import reverse
from selenium.webdriver.remote.webdriver import WebDriver

from metrics.services import refresh
from tests import cast
from tests.browsers import programs
from tests.judge_screen.screen import image, show
from tests.looks import A_SLIP, MAY_SCROLL, SCROLLS
from tests.metrics import studies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.heavy]
PAGES = ("metrics:dashboard", "metrics:leaderboard", "metrics:compare", "metrics:explorer", "metrics:downloads",
         "pooling:pool-new", "pooling:runs", "annotate:members", "annotate:golds", "annotate:inbox",
         "annotate:settings", "annotate:imports")  # fmt: skip
HEIGHTS = """[...document.querySelectorAll("select:not([multiple], [size]), input[type=text], input[type=number]")]
    .filter((one) => one.getClientRects().length && !one.closest(".table"))
    .map((one) => Math.round(one.getBoundingClientRect().height))"""
CLASSIC = {"widget__gtk__overlay_scrollbars__enabled": False, "widget__non_native_theme__enabled": True}
PHONE = (390, 640)  # browsers on a desk may not be made as narrow


@pytest.fixture(params=["firefox", "webkit"])
def driver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebDriver]:
    """A browser whose scrollbars take room."""
    monkeypatch.setenv("GTK_OVERLAY_SCROLLING", "0")
    with programs.firefox(**CLASSIC) if request.param == "firefox" else programs.webkit() as driver:
        yield driver


def test_nothing_scrolls_that_should_not_and_menus_are_as_high_as_fields(window):
    study = studies.study("study")
    studies.judge(cast.annotator(study))
    refresh.refresh(collection=study)
    cast.user("root", is_superuser=True, is_staff=True)
    window.sign_in("root")
    faults = {}
    for page in PAGES:
        window.open(reverse(page, args=["study"]))
        window.find("h1")
        assert "not found" not in window.driver.title.lower(), page
        found = window.driver.execute_script(f"return ({SCROLLS})(arguments[0])", [MAY_SCROLL, A_SLIP])
        heights = set(window.tell(HEIGHTS))
        faults[page] = found + ([f"fields of {sorted(heights)} pixels"] if len(heights) > 1 else [])
    assert {page: found for page, found in faults.items() if found} == {}


def test_on_a_phone_the_comment_grows_above_the_answers(window, collection, annotator, media_root):
    show(collection, image(collection))
    window.sign_in("ada")
    window.driver.set_window_size(*PHONE)
    window.open("/c/birds/judge/")
    window.look()
    window.key("c")
    window.until(lambda: window.tell("document.activeElement.id") == "comment")
    bottom = "document.getElementById('comment').getBoundingClientRect().bottom"
    window.until(lambda: window.tell(f"{bottom} <= document.querySelector('.panel').getBoundingClientRect().top"))
