"""The page of golds in a browser: what stands in for a clip."""

import pytest
from playwright.sync_api import expect

from annotate.models import Part
from annotate.services.golds import golds
from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)
WITHIN = """picture => {
  const box = picture.getBoundingClientRect();
  const isShown = child => child.getClientRects().length > 0;  // a clip that failed is hidden
  return [...picture.children].filter(isShown).every(child => {
    const own = child.getBoundingClientRect();
    return own.top >= box.top && own.bottom <= box.bottom;
  });
}"""


@pytest.fixture
def collection():
    """A collection with one gold, whose document is a clip."""
    collection = cast.collection("shapes")
    cast.pairs(collection, 2)
    Part.objects.filter(item__external_id="d1").update(kind="video", text="", path="a.webm")
    gold = {"query": "q0", "document": "d1", "grade": 1, "explanation": "It is the small one."}
    golds.add_gold(collection=collection, by=None, **gold)
    return collection


@pytest.fixture
def desk(collection, lead, page, live_server):
    """The golds as a lead opens them."""
    cast.sign_in(page.context, live_server.url, lead)
    page.goto(f"{live_server.url}/c/shapes/judging/golds/")
    return page


@pytest.mark.parametrize("width", [1280, 390])
def test_a_clip_and_the_mark_behind_it_lie_within_their_picture(desk, width):
    desk.set_viewport_size({"width": width, "height": 844})
    picture = desk.locator(".picture[data-kind=video]")
    expect(picture).to_be_visible()
    assert picture.evaluate(WITHIN)
