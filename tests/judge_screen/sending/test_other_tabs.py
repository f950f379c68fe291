"""Two judge screens of one person, opened by hand in two tabs."""

import pytest
from playwright.sync_api import expect

from tests.judge_screen.screen import expect_position, expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_second_screen_says_that_there_is_another_and_no_answer_of_either_is_lost(open_judge):
    page = open_judge()
    expect_position(page, 1)
    other = open_judge()
    notice = other.locator(".messages .notice")
    expect(notice).to_contain_text("You are judging in another tab too. Go on here or there")
    expect(page.locator(".messages .notice")).to_have_count(0)
    other.keyboard.press("2")
    for tab in (page, other):
        expect_position(tab, 2)
        expect_saved(tab)
    expect(notice).to_have_count(0)
    page.bring_to_front()
    page.keyboard.press("0")
    for tab in (page, other):
        expect_position(tab, 3)
        expect_saved(tab)
    assert stored_grades() == [2, 0]
    page.close()
    other.reload()
    expect_position(other, 3)
    expect(notice).to_have_count(0)
