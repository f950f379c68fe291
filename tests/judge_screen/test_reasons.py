"""Reasons: chips by key and by touch, two levels deep, where the policy asks for them."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment, Level
from tests.judge_screen.screen import position, saved

pytestmark = pytest.mark.django_db(transaction=True)
TWO_DEEP = [
    {"name": "does not match", "what": ["quantity", "colour"]},
    {"name": "is missing", "what": ["action"]},
    "too general",
]


@pytest.fixture
def deep(collection):
    Level.objects.filter(collection=collection, grade=1).update(reasons=TWO_DEEP)
    return collection


def chips(page, box="#chips"):
    return [chip.inner_text().split() for chip in page.locator(f"{box} .chip").all()]


def test_a_shortcoming_asks_what_falls_short_by_key(deep, open_judge):
    page = open_judge()
    page.keyboard.press("1")
    page.keyboard.press("a")
    expect(page.locator("#reasons-what-title")).to_have_text("What does not match?")
    assert chips(page, "#chips-what") == [["h", "quantity"], ["j", "colour"]]
    page.keyboard.press("Enter")
    position(page, 1)  # what does not match is not said yet
    page.keyboard.press("j")
    page.keyboard.press("f")
    page.keyboard.press("Enter")
    position(page, 2)
    saved(page)
    assert Judgment.objects.get().reasons == ["does not match/colour", "too general"]


def test_a_shortcoming_pressed_again_is_taken_back_with_what_it_said(deep, open_judge):
    page = open_judge()
    page.keyboard.press("1")
    for key in "ahdha":  # the first, its first; the second, its first; the first again, to look at it
        page.keyboard.press(key)
    assert page.locator("#chips-what [aria-pressed=true]").all_inner_texts() == ["h\nquantity"]
    page.keyboard.press("a")
    expect(page.locator("#reasons-what")).to_be_hidden()
    page.keyboard.press("Enter")
    saved(page)
    assert Judgment.objects.get().reasons == ["is missing/action"]


def test_who_leaves_the_reasons_has_every_level_before_her_again(deep, open_judge):
    page = open_judge()
    for keys in ("1a", "1aj"):
        for key in keys:
            page.keyboard.press(key)
        expect(page.locator(".level:visible")).to_have_count(1)  # the details need the room
        page.keyboard.press("Escape")
        expect(page.locator(".level:visible")).to_have_count(3)


def test_chips_can_be_touched(deep, open_judge):
    page = open_judge()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("radio", name="Level 1").click()
    page.get_by_role("button", name="does not match").click()
    page.get_by_role("button", name="quantity").click()
    page.locator("#reasons-save").click()
    position(page, 2)
    saved(page)
    assert Judgment.objects.get().reasons == ["does not match/quantity"]


def test_another_level_is_a_change_of_mind_and_is_counted(deep, open_judge):
    page = open_judge()
    for key in ("1", "Escape", "1", "1", "1", "2"):  # opened, closed, opened, closed by itself, opened, another
        page.keyboard.press(key)
    position(page, 2)
    saved(page)
    stored = Judgment.objects.get()
    assert (stored.level.grade, stored.reasons, stored.n_changes) == (2, [], 1)


@pytest.mark.parametrize("policy", [{"ask_reasons": False}])
def test_a_policy_that_asks_for_no_reasons_takes_the_key_alone(deep, open_judge):
    page = open_judge()
    page.keyboard.press("1")
    position(page, 2)
    saved(page)
    assert Judgment.objects.get().reasons == []


def test_no_chip_takes_the_key_of_a_level(deep, open_judge):
    Level.objects.filter(collection=deep, grade=2).update(key="a")
    page = open_judge()
    page.keyboard.press("1")
    assert [key for key, *_ in chips(page)] == ["d", "f", "h"]
    page.keyboard.press("a")
    position(page, 2)
