"""The screens that pages are looked at on, and what is to be seen on each without scrolling."""

from collections.abc import Callable, Sequence

from playwright.sync_api import Page

from annotate.core.levels.scheme_rules import LevelSpec
from annotate.models import Collection, Item, Level, Part, Side
from annotate.services.collection import collections
from tests.browsing import wait_for_expression
from tests.judge_screen.screen import image

VIEWPORTS = [(844, 390), (667, 375), (640, 400), (390, 844), (320, 568), (1280, 800)]
TARGET = 48  # pixels
LEAST_DOCUMENT = 90  # pixels of it that are seen, to either side
LEAST_SHARE = 0.42  # of the height of a phone on its side, for the document
TWO_FRAMES = "new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
SENTENCE = "It shows all that the query says, or nearly so."
# the part of each box that is within the window, above what sticks to its end
BOXES = """({ query, document: medium, levels }) => {
  const box = (element, end) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const seen = Math.min(bottom, end) - Math.max(top, 0);
    const isWithin = top >= 0 && bottom <= end + 0.5 && left >= 0 && right <= innerWidth;
    return { width, height, seen, isWithin };
  };
  const sticky = [...document.querySelectorAll(".panel, .review-levels")].find(
    (element) => getComputedStyle(element).position === "sticky",
  );
  const end = sticky ? sticky.getBoundingClientRect().top : innerHeight;
  return {
    query: box(document.querySelector(query), end),
    document: box(document.querySelector(medium), end),
    levels: [...document.querySelectorAll(levels)].map((level) => box(level, innerHeight)),
  };
}"""
JUDGE_SCREEN = {"query": ".query .text", "document": "#document img", "levels": ".level"}


def set_levels(collection: Collection, n_levels: int) -> None:
    """Give the collection so many levels, each with a sentence, for its pairs to be judged by."""
    levels = [LevelSpec(grade, f"Level number {grade}", SENTENCE) for grade in range(n_levels)]
    Level.objects.filter(collection=collection).delete()
    Collection.objects.filter(pk=collection.pk).update(scheme_frozen_at=None)
    collections.replace_levels(collection=collection, levels=levels, positive_from=1)


def show_pictures(collection: Collection) -> None:
    """Make every document of the collection a picture."""
    documents = Item.objects.filter(collection=collection, side=Side.DOCUMENT)
    Part.objects.filter(item__in=documents).delete()
    picture = image(collection)
    Part.objects.bulk_create(Part(item=item, position=0, **picture) for item in documents)


def expect_all_in_sight(page: Page, selectors: dict[str, str] = JUDGE_SCREEN) -> None:
    """The query and all levels are wholly seen, and enough of the document."""
    boxes = page.evaluate(BOXES, selectors)
    assert boxes["query"]["isWithin"], boxes["query"]
    document = boxes["document"]
    assert min(document["seen"], document["width"]) >= LEAST_DOCUMENT, document
    expect_levels_in_sight(page, selectors)


def expect_levels_in_sight(page: Page, selectors: dict[str, str] = JUDGE_SCREEN) -> None:
    """All levels are wholly seen, and high enough for a finger."""
    for level in page.evaluate(BOXES, selectors)["levels"]:
        assert level["isWithin"] and level["height"] >= TARGET, level


def level_places(page: Page) -> list[object]:
    """The boxes of the levels."""
    boxes = page.locator(".level")
    return [boxes.nth(index).bounding_box() for index in range(boxes.count())]


def faults_by_screen(
    page: Page,
    expect_sight: Callable[[Page], None],
    screens: Sequence[tuple[int, int]] = VIEWPORTS,
) -> list[str]:
    """The first fault of each screen, after the page was laid out for it."""
    faults = []
    for width, height in screens:
        page.set_viewport_size({"width": width, "height": height})
        wait_for_expression(page, f"innerWidth === {width} && innerHeight === {height}")
        page.evaluate(TWO_FRAMES)
        try:
            expect_sight(page)
        except AssertionError as error:
            faults.append(f"{width}x{height}: {str(error).splitlines()[0]}")
    return faults
