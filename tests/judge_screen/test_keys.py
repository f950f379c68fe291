"""Custom keys: unique, kept over a reload, printed on the buttons, and reset to the scheme's."""

import pytest
from playwright.sync_api import expect

from tests.browsing import wait_until_levels_awake
from tests.judge_screen.screen import expect_position, expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)


def field(page, level):
    return page.locator(".key-row", has_text=f"Level {level}").locator("input")


def remap(page, level, key):
    if not page.locator("#dialog-help").is_visible():
        page.keyboard.press("?")
    field(page, level).fill(key)


def shortcuts(page):
    return {
        level.get_attribute("data-grade"): (
            level.locator("kbd").inner_text(),
            level.get_attribute("aria-keyshortcuts"),
        )
        for level in page.locator(".level").all()
    }


def test_a_key_of_ones_own_is_printed_and_works_after_a_reload(open_judge):
    page = open_judge()
    remap(page, 2, "k")
    page.keyboard.press("Escape")
    assert shortcuts(page)["2"] == ("k", "k")
    page.reload()
    expect_position(page, 1)
    assert shortcuts(page)["2"] == ("k", "k")
    page.keyboard.press("2")
    expect_position(page, 1)
    page.keyboard.press("k")
    expect_position(page, 2)
    wait_until_levels_awake(page)
    page.keyboard.press("K")  # with Caps Lock on
    expect_position(page, 3)
    expect_saved(page)
    assert stored_grades() == [2, 2]


def test_a_key_that_means_something_else_is_refused(open_judge):
    page = open_judge()
    for used_key in ("1", "z", "b", "g", "+", ",", " "):
        remap(page, 2, used_key)
        expect(field(page, 2)).to_have_attribute("aria-invalid", "true")
        field(page, 0).focus()
        expect(field(page, 2)).to_have_attribute("aria-invalid", "false")
    expect(field(page, 2)).to_have_value("2")
    page.keyboard.press("Escape")
    assert shortcuts(page)["2"] == ("2", "2")


def test_keys_may_be_swapped_one_after_the_other_and_go_back_to_the_scheme(open_judge):
    page = open_judge()
    remap(page, 2, "k")
    field(page, 0).fill("2")
    field(page, 2).fill("0")
    assert [shortcuts(page)[grade][0] for grade in "210"] == ["0", "1", "2"]
    page.get_by_role("button", name="Back to the keys of the scheme").click()
    assert [shortcuts(page)[grade][0] for grade in "210"] == ["2", "1", "0"]
    expect(field(page, 2)).to_have_value("2")
    page.reload()
    assert [shortcuts(page)[grade][0] for grade in "210"] == ["2", "1", "0"]


def test_single_keys_can_be_switched_off(open_judge):
    page = open_judge()
    page.keyboard.press("?")
    page.get_by_label("Use single keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect_position(page, 1)
    expect(page.locator(".level kbd").first).to_be_hidden()
    page.reload()
    page.keyboard.press("2")
    expect_position(page, 1)
