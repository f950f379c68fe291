"""Reasons: chips by key and by touch, two levels deep, if the policy requests them."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment, Level
from tests.judge_screen.screen import expect_position, expect_saved

pytestmark = pytest.mark.django_db(transaction=True)
NESTED_REASONS = [
    {"name": "does not match", "what": ["quantity", "colour"]},
    {"name": "is missing", "what": ["action"]},
    "too general",
]


@pytest.fixture
def collection_with_nested_reasons(collection):
    Level.objects.filter(collection=collection, grade=1).update(reasons=NESTED_REASONS)
    return collection


def chips(page, box="#chips"):
    return [chip.inner_text().split() for chip in page.locator(f"{box} .chip").all()]


def test_a_shortcoming_asks_what_falls_short_by_key(collection_with_nested_reasons, open_judge):
    page = open_judge()
    page.keyboard.press("1")
    page.keyboard.press("a")
    expect(page.locator("#reasons-what-title")).to_have_text("Does not match: what?")
    assert chips(page, "#chips-what") == [["h", "quantity"], ["j", "colour"]]
    page.keyboard.press("Enter")
    expect_position(page, 1)  # the detail is still missing
    page.keyboard.press("j")
    page.keyboard.press("f")
    page.keyboard.press("Enter")
    expect_position(page, 2)
    expect_saved(page)
    assert Judgment.objects.get().reasons == ["does not match/colour", "too general"]
    expect(page.locator("#saved")).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("#saved")).to_be_hidden()  # nothing is saved before the reasons are
    page.keyboard.press("Escape")
    expect(page.locator("#saved")).to_be_visible()


def test_a_shortcoming_pressed_again_is_taken_back_with_what_it_said(
    collection_with_nested_reasons, open_judge
):
    page = open_judge()
    page.keyboard.press("1")
    # first reason and its first detail, second and its first, then the first again
    for key in "ahdha":
        page.keyboard.press(key)
    assert page.locator("#chips-what [aria-pressed=true]").all_inner_texts() == ["h\nquantity"]
    page.keyboard.press("a")
    expect(page.locator("#reasons-what")).to_be_hidden()
    page.keyboard.press("Enter")
    expect_saved(page)
    assert Judgment.objects.get().reasons == ["is missing/action"]


def test_who_leaves_the_reasons_has_every_level_before_her_again(
    collection_with_nested_reasons, open_judge
):
    page = open_judge()
    for keys in ("1a", "1aj"):
        for key in keys:
            page.keyboard.press(key)
        expect(page.locator(".level:visible")).to_have_count(1)  # the details need the room
        page.keyboard.press("Escape")
        expect(page.locator(".level:visible")).to_have_count(3)


def test_chips_can_be_touched(collection_with_nested_reasons, open_judge):
    page = open_judge()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("radio", name="Level 1").click()
    page.get_by_role("button", name="does not match").click()
    page.get_by_role("button", name="quantity").click()
    page.locator("#reasons-save").click()
    expect_position(page, 2)
    expect_saved(page)
    assert Judgment.objects.get().reasons == ["does not match/quantity"]


def test_another_level_is_a_change_of_mind_and_is_counted(
    collection_with_nested_reasons, open_judge
):
    page = open_judge()
    # opened, closed, opened, closed by itself, opened, another
    for key in ("1", "Escape", "1", "1", "1", "2"):
        page.keyboard.press(key)
    expect_position(page, 2)
    expect_saved(page)
    stored = Judgment.objects.get()
    assert (stored.level.grade, stored.reasons, stored.n_changes) == (2, [], 1)


@pytest.mark.parametrize("policy", [{"ask_reasons": False}])
def test_a_policy_that_asks_for_no_reasons_takes_the_key_alone(
    collection_with_nested_reasons, open_judge
):
    page = open_judge()
    page.keyboard.press("1")
    expect_position(page, 2)
    expect_saved(page)
    assert Judgment.objects.get().reasons == []


def test_no_chip_takes_the_key_of_a_level(collection_with_nested_reasons, open_judge):
    Level.objects.filter(collection=collection_with_nested_reasons, grade=2).update(key="a")
    page = open_judge()
    page.keyboard.press("1")
    assert [key for key, *_ in chips(page)] == ["d", "f", "h"]
    page.keyboard.press("a")
    expect_position(page, 2)
