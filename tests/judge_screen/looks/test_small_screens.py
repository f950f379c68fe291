"""Small screens: query, document and every level lie within the first screen, without scrolling."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Collection, Level
from annotate.services.collection import collections
from annotate.services.collection.collections import LevelSpec
from tests import campaigns
from tests.browsing import wait_for_expression
from tests.judge_screen.screen import image, open_documents

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("media_root"),
    pytest.mark.browser_context_args(has_touch=True, is_mobile=True, reduced_motion="reduce"),
]
VIEWPORTS = [(844, 390), (667, 375), (640, 400), (390, 844), (320, 568), (1280, 800)]
TARGET = 48  # pixels
LEAST_DOCUMENT = 90  # pixels of it that are seen, to either side
TWO_FRAMES = "new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
SENTENCE = "It shows all that the query says, or nearly so."
# the part of each box that is within the window, above what sticks to its end
BOXES = """() => {
  const panel = document.querySelector(".panel");
  const isOver = getComputedStyle(panel).position === "sticky";
  const end = isOver ? panel.getBoundingClientRect().top : innerHeight;
  const box = (element, end) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const seen = Math.min(bottom, end) - Math.max(top, 0);
    const isWithin = top >= 0 && bottom <= end + 0.5 && left >= 0 && right <= innerWidth;
    return { width, height, seen, isWithin };
  };
  return {
    query: box(document.querySelector(".query .text"), end),
    document: box(document.querySelector("#document img"), end),
    levels: [...document.querySelectorAll(".level")].map((level) => box(level, innerHeight)),
  };
}"""


@pytest.fixture
def collection(n_levels: int) -> Collection:
    collection = campaigns.open_collection(2, "birds", per_query=2, grades=2)
    levels = [LevelSpec(grade, f"Level number {grade}", SENTENCE) for grade in range(n_levels)]
    Level.objects.filter(collection=collection).delete()
    Collection.objects.filter(pk=collection.pk).update(scheme_frozen_at=None)
    collections.replace_levels(collection=collection, levels=levels, positive_from=1)
    open_documents(collection, image(collection))
    return collection


def expect_all_in_sight(page: Page) -> None:
    """The query and all levels are wholly seen, and enough of the document."""
    boxes = page.evaluate(BOXES)
    assert boxes["query"]["isWithin"], boxes["query"]
    document = boxes["document"]
    assert min(document["seen"], document["width"]) >= LEAST_DOCUMENT, document
    for level in boxes["levels"]:
        assert level["isWithin"] and level["height"] >= TARGET, level


@pytest.mark.parametrize("n_levels", [2, 4, 7])
def test_query_document_and_levels_are_in_sight_on_every_screen(open_judge, n_levels):
    page = open_judge()
    expect(page.locator("#document img")).to_be_visible()
    faults = []
    for width, height in VIEWPORTS:
        page.set_viewport_size({"width": width, "height": height})
        wait_for_expression(page, f"innerWidth === {width} && innerHeight === {height}")
        page.evaluate(TWO_FRAMES)
        try:
            expect_all_in_sight(page)
        except AssertionError as error:
            faults.append(f"{width}x{height}: {str(error).splitlines()[0]}")
    assert faults == []
