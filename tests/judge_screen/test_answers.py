"""The judge screen in a browser against the real server: every answer arrives exactly once."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotate.models import Judgment, JudgmentEvent
from tests.browsing import pass_time, wait_for_condition
from tests.judge_screen.screen import (
    N_PAIRS,
    expect_position,
    expect_saved,
    stored_grades,
    wait_for_requests,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.usefixtures("frozen_pages")
def test_a_batch_is_judged_with_the_keyboard_alone(open_judge):
    page = open_judge()
    for number, key in enumerate("20202", start=1):
        expect_position(page, number)
        pass_time(page, number)
        page.keyboard.press(key)
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    expect_saved(page)
    assert stored_grades() == [2, 0, 2, 0, 2]
    assert list(Judgment.objects.order_by("pk").values_list("active_ms", flat=True)) == [
        1000,
        2000,
        3000,
        4000,
        5000,
    ]


def test_keys_are_off_while_typing_and_with_a_modifier_held(open_judge):
    page = open_judge()
    page.keyboard.press("c")
    page.keyboard.type("20 z")
    page.keyboard.press("Escape")
    for modifier in ("Control", "Alt", "Meta"):
        page.keyboard.press(f"{modifier}+2")
    expect_position(page, 1)
    page.keyboard.press("2")
    expect_position(page, 2)
    expect_saved(page)
    assert [judgment.comment.text for judgment in Judgment.objects.all()] == ["20 z"]


def test_a_level_with_reasons_waits_for_one(open_judge):
    page = open_judge()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect_position(page, 1)
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    expect_position(page, 2)
    expect_saved(page)
    assert Judgment.objects.get().reasons == ["action"]


def test_the_last_answer_is_undone_and_given_anew(open_judge):
    page = open_judge()
    first = page.locator("#document").inner_text()
    page.keyboard.press("2")
    expect_position(page, 2)
    expect_saved(page)
    page.keyboard.press("z")
    expect(page.locator("#document")).to_have_text(first)
    expect_position(page, 1)
    page.keyboard.press("0")
    expect_position(page, 2)
    expect_saved(page)
    assert stored_grades() == [2, 0]
    assert JudgmentEvent.objects.filter(kind=JudgmentEvent.Kind.UNDONE).count() == 1


@pytest.mark.usefixtures("frozen_pages")
def test_an_answer_whose_acknowledgement_is_lost_is_stored_once(open_judge):
    page = open_judge()
    requests, lost = [], []

    def lose_the_first_two(route):
        requests.append(route)
        if len(lost) < 2:
            status = route.fetch().status
            route.abort()
            lost.append(status)
        else:
            route.continue_()

    page.route("**/judge/answer", lose_the_first_two)
    page.keyboard.press("2")
    expect(page.locator("#saved")).to_contain_text("will retry")
    for times in (1, 2):
        wait_for_condition(page, lambda times=times: len(lost) == times)
        wait_for_requests(page, requests, times + 1)
    expect_saved(page)
    assert lost == [200, 200]
    assert stored_grades() == [2]


def test_a_closed_tab_sends_what_it_kept_when_it_is_opened_again(open_judge):
    page = open_judge()
    page.route("**/judge/answer", lambda route: route.abort())
    page.keyboard.press("2")
    page.keyboard.press("0")
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (2 waiting)")
    page.close()
    page = open_judge()
    expect_saved(page)
    expect_position(page, 3)
    assert sorted(stored_grades()) == [0, 2]  # a closed tab may send them in parallel


def test_an_ended_session_keeps_the_answer_and_sends_it_after_signing_in(
    open_judge, sign_in, person
):
    page = open_judge()
    Session.objects.all().delete()
    page.keyboard.press("2")
    dialog = page.locator("#dialog-signin")
    expect(dialog).to_be_visible()
    expect(page.locator("#saved")).to_have_text("Not saved - signed out (1 waiting)")
    sign_in(person)
    page.get_by_role("button", name="I have signed in").click()
    expect(dialog).to_be_hidden()
    expect_saved(page)
    page.keyboard.press("0")
    expect_saved(page)
    expect_position(page, 3)
    assert stored_grades() == [2, 0]


def test_two_tabs_of_one_person_judge_no_pair_twice(open_judge):
    first, second = open_judge(), open_judge()
    first.bring_to_front()
    first.keyboard.press("2")
    expect_saved(first)
    expect_position(first, 2)
    second.bring_to_front()
    expect(second.locator("#document")).to_have_text(first.locator("#document").inner_text())
    second.keyboard.press("0")
    expect_saved(second)
    assert stored_grades() == [2, 0]
    assert Judgment.objects.values("pair").distinct().count() == 2


def test_a_tab_hears_what_another_one_is_told_is_stored_to_the_end_of_the_batch(open_judge):
    waits, answers = open_judge(), open_judge()
    for number in range(1, N_PAIRS):
        expect_position(answers, number)
        answers.keyboard.press("2")
        expect_saved(answers)
        expect(waits.locator("#progress-bar")).to_have_js_property("value", number)
        expect(waits.locator("#progress-last-day")).to_have_text(f"{number} in the last 24 hours")
        expect_position(waits, number + 1)
    answers.keyboard.press("2")
    for tab in (answers, waits):
        expect(tab.locator("#empty-title")).to_have_text("Nothing is left to judge")
        expect(tab.locator("#empty-batch")).to_contain_text(f"{N_PAIRS} labels in this batch.")
        expect(tab.locator("#empty")).to_be_focused()
        expect(tab.get_by_role("button", name="Look again")).to_be_visible()
        expect(tab.locator("#empty-progress")).to_contain_text(
            f"{N_PAIRS} judged in the last 24 hours"
        )
        expect_saved(tab)


def test_a_tab_sends_what_another_one_left_behind(open_judge):
    waits, closes = open_judge(), open_judge()
    for page in (waits, closes):
        page.route("**/judge/answer", lambda route: route.abort())
    for number in range(1, N_PAIRS):
        expect_position(closes, number)
        closes.keyboard.press("2")
    closes.close()
    waits.unroute_all()
    waits.evaluate("dispatchEvent(new Event('online'))")  # else it would retry in some seconds
    expect_saved(waits)
    expect_position(waits, N_PAIRS)
    assert len(stored_grades()) == N_PAIRS - 1
