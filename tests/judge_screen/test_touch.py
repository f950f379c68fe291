"""Touches of a picture, as in a phone's browser: they zoom and move the picture, never the page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.addresses.page_checks import PHONE
from tests.browsing import wait_for_expression
from tests.judge_screen.screen import image, open_documents

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("media_root"),
    pytest.mark.browser_context_args(**PHONE, reduced_motion="reduce"),
]
STATE = """() => {
  const frame = document.querySelector("#document .frame"), box = frame.getBoundingClientRect();
  return {
    zoom: Number(frame.style.getPropertyValue("--zoom") || 1),
    left: frame.scrollLeft,
    top: frame.scrollTop,
    box: [box.x, box.y, box.width, box.height].map(Math.round),
    page: [scrollX, scrollY, visualViewport.scale],
  };
}"""
IS_AT_END = """(() => {
  const { scrollTop, scrollHeight, clientHeight } = document.querySelector("#document .frame");
  return scrollTop > 0 && Math.abs(scrollTop + clientHeight - scrollHeight) < 2;
})()"""
Point = tuple[float, float]


class Fingers:
    """Touches of a picture, in pixels from its middle; the browser handles them as a person's."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self.page, self.session = page, session

    def middle(self) -> Point:
        """The picture's middle in the window, in pixels."""
        box = self.page.locator("#document .frame").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def send(self, kind: str, *points: Point, at: Point) -> None:
        """Send a touch event with all current points, each with an id of its own."""
        touches = [
            {"x": at[0] + x, "y": at[1] + y, "id": number} for number, (x, y) in enumerate(points)
        ]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def tap(self, point: Point = (0, 0)) -> None:
        """Tap with one finger."""
        at = self.middle()
        self.send("touchStart", point, at=at)
        self.send("touchEnd", at=at)

    def swipe(self, right: float, down: float, start: Point = (0, 0)) -> None:
        """Move one finger in twelve steps."""
        at = self.middle()
        self.send("touchStart", start, at=at)
        for step in range(1, 13):
            self.send(
                "touchMove", (start[0] + right * step / 12, start[1] + down * step / 12), at=at
            )
        self.send("touchEnd", at=at)

    def pinch(self, first: float, last: float, *, wandering: float = 0) -> None:
        """Move two fingers from distance `first` to `last`, and down by `wandering` pixels."""
        at = self.middle()
        self.send("touchStart", (-first / 2, 0), at=at)
        self.send("touchStart", (-first / 2, 0), (first / 2, 0), at=at)
        for step in range(1, 13):
            distance, down = first + (last - first) * step / 12, wandering * step / 12
            self.send("touchMove", (-distance / 2, down), (distance / 2, down), at=at)
        self.send("touchEnd", (-last / 2, wandering), at=at)
        self.send("touchEnd", at=at)

    def state(self) -> dict:
        """The picture's zoom, scroll position and box, and the page's scroll position."""
        return self.page.evaluate(STATE)


@pytest.fixture
def fingers(collection, open_judge) -> Iterator[Fingers]:
    """Fingers on a judge screen whose page is longer than the phone, scrolled down a little."""
    open_documents(collection, image(collection), query="a red circle " * 40)
    page = open_judge()
    picture = page.locator("#document img")
    expect(picture).to_be_visible()
    wait_for_expression(page, "document.querySelector('#document img').complete")
    # low enough for a page that can be moved: on a higher one all of it is in sight
    page.set_viewport_size({"width": 390, "height": 640})
    wait_for_expression(page, "innerHeight === 640")
    page.evaluate("scrollTo(0, 40)")
    session = page.context.new_cdp_session(page)
    yield Fingers(page, session)
    session.detach()


def test_two_fingers_zoom_the_picture_and_neither_zoom_nor_move_the_page(fingers):
    before = fingers.state()
    assert before["page"] == [0, 40, 1]
    fingers.pinch(60, 180, wandering=30)
    after = fingers.state()
    assert after["zoom"] == pytest.approx(3, abs=0.1)
    assert (after["page"], after["box"]) == (before["page"], before["box"])
    fingers.pinch(180, 60, wandering=-30)
    last = fingers.state()
    assert (last["zoom"], last["page"], last["box"]) == (1, before["page"], before["box"])


@pytest.mark.usefixtures("frozen_pages")
def test_two_taps_zoom_the_picture_and_two_fingers_that_end_close_together_do_not(fingers):
    fingers.pinch(200, 180)
    fingers.pinch(40, 10)
    assert fingers.state()["zoom"] == 1
    fingers.tap()
    fingers.pinch(40, 10)
    fingers.tap()
    assert fingers.state()["zoom"] == 1
    fingers.tap()
    assert fingers.state()["zoom"] == 2


def test_a_picture_that_is_moved_moves_no_page_at_its_end(fingers):
    fingers.page.keyboard.press("+")
    before = fingers.state()
    assert before["zoom"] == 2
    for _ in range(6):
        fingers.swipe(-90, -90, start=(45, 45))
    wait_for_expression(fingers.page, IS_AT_END)
    after = fingers.state()
    assert (after["zoom"], after["page"], after["box"]) == (2, before["page"], before["box"])


def test_a_finger_on_a_picture_that_is_all_in_sight_moves_the_page(fingers):
    fingers.swipe(0, -60)
    wait_for_expression(fingers.page, "scrollY > 60")
    assert fingers.state()["zoom"] == 1
