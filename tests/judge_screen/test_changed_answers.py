"""The undo stack, and changes of answers: the screen, the stored rows, and the rows left alone."""

import re

import pytest
from django.db.models import F
from playwright.sync_api import expect

from annotate.models import Batch, HandOut, Judgment, JudgmentEvent, Report, Seat
from tests.browsing import wait_for_condition
from tests.judge_screen.screen import N_PAIRS, expect_position, expect_saved, stored_grades
from tests.judge_screen.test_undo import judge

pytestmark = pytest.mark.django_db(transaction=True)


def document_text(page):
    return page.locator("#document").inner_text()


def escalate(page, question="Does a drawing count?"):
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog", name="Escalate to the lead")
    dialog.get_by_label("What should the lead decide?").fill(question)
    dialog.get_by_role("button", name="Escalate").click()
    expect(dialog).to_be_hidden()


def change(page, text):
    """Choose to change the answer about the pair with this document text."""
    page.keyboard.press("r")
    page.locator("#recent-list li", has_text=text).get_by_role("button", name="Change").click()
    expect(page.locator("#dialog-recent")).to_be_hidden()
    expect(page.locator("#changing")).to_be_visible()
    expect(page.locator("#document")).to_have_text(text)


def counting_grades():
    """The grades that count, in the order of their judgments."""
    done_seats = Seat.objects.filter(state="done").order_by("judgment")
    return list(done_seats.values_list("judgment__level__grade", flat=True))


def test_changing_shows_the_answer_as_it_stands_and_escape_leaves_all_as_it_was(open_judge):
    page = open_judge()
    expect_position(page, 1)
    page.locator("#comment").fill("a wing")
    page.locator("#comment").blur()
    first = judge(page, "2")[0]
    expect_position(page, 2)
    second = document_text(page)
    page.locator("#comment").fill("half a word")
    page.locator("#comment").blur()
    change(page, first)
    expect(page.locator("#changing")).to_contain_text("You said Level 2 (“a wing”)")
    expect(page.get_by_role("radio", name="Level 2")).to_be_checked()
    expect(page.locator("#comment")).to_have_value("a wing")
    page.keyboard.press("l")  # an answered pair cannot be put off
    expect(page.locator("#document")).to_have_text(first)
    page.keyboard.press("Escape")
    expect(page.locator("#document")).to_have_text(second)
    expect(page.locator("#changing")).to_be_hidden()
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    expect(page.locator("#comment")).to_have_value("half a word")
    expect_position(page, 2)
    expect_saved(page)
    assert (stored_grades(), counting_grades(), JudgmentEvent.objects.count()) == ([2], [2], 0)


@pytest.mark.parametrize("reload", [False, True])
def test_a_change_is_one_row_more_and_undone_it_lets_the_first_answer_count_again(
    open_judge, reload
):
    page = open_judge()
    first = judge(page, "22")[0]
    change(page, first)
    page.keyboard.press("0")
    expect_position(page, 3)
    expect_saved(page)
    assert (stored_grades(), counting_grades(), JudgmentEvent.objects.count()) == (
        [2, 2, 0],
        [2, 0],
        0,
    )
    if reload:
        page.reload()
        expect_position(page, 3)
    third = document_text(page)
    page.keyboard.press("z")
    expect(
        page.get_by_role("status").get_by_text("The change is taken back: “Level 2” stands again.")
    ).to_be_visible()
    expect(page.locator("#document")).to_have_text(third)
    expect_position(page, 3)
    expect_saved(page)
    assert counting_grades() == [2, 2]
    restored_judgment = Judgment.objects.order_by("pk").last()
    assert restored_judgment.restores == Judgment.objects.order_by("pk").first()
    page.keyboard.press("0")
    expect(page.locator(".is-passing")).to_have_count(0)


def test_reasons_given_before_are_chosen_when_the_same_level_is_pressed_again(open_judge):
    page = open_judge()
    expect_position(page, 1)
    first = document_text(page)
    page.keyboard.press("1")
    page.locator("#chips").get_by_role("button", name="action").click()
    page.keyboard.press("Enter")
    expect_position(page, 2)
    expect_saved(page)
    change(page, first)
    expect(page.locator("#changing")).to_contain_text("Level 1 (action)")
    page.keyboard.press("1")
    expect(page.locator("#chips").get_by_role("button", name="action")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.locator("#chips").get_by_role("button", name="colour").click()
    page.keyboard.press("Enter")
    expect_position(page, 2)
    expect_saved(page)
    assert [sorted(judgment.reasons) for judgment in Judgment.objects.order_by("pk")] == [
        ["action"],
        ["action", "colour"],
    ]


@pytest.mark.parametrize("reload", [False, True])
def test_a_report_is_undone_and_its_pair_judged(open_judge, reload):
    page = open_judge()
    expect_position(page, 1)
    first = document_text(page)
    escalate(page)
    expect_position(page, 2)
    expect_saved(page)
    if reload:
        page.reload()
        expect_position(page, 2)
    page.keyboard.press("z")
    expect_position(page, 1)
    expect(page.locator("#document")).to_have_text(first)
    expect(page.locator("#live")).to_have_text("The report is taken back.")
    page.keyboard.press("2")
    expect_position(page, 2)
    expect_saved(page)
    report = Report.objects.get()
    assert (report.state, report.events.get().kind, counting_grades()) == ("undone", "undone", [2])
    assert Judgment.objects.get().pair == report.pair


@pytest.mark.parametrize("reload", [False, True])
def test_what_was_put_off_comes_back_at_once(open_judge, reload):
    page = open_judge()
    expect_position(page, 1)
    first = document_text(page)
    page.keyboard.press("l")
    expect(page.locator("#document")).not_to_have_text(first)
    expect_saved(page)
    if reload:
        page.reload()
        expect_position(page, 1)
    page.keyboard.press("z")
    expect(page.locator("#document")).to_have_text(first)
    expect(page.locator("#live")).to_have_text("What you put off is back.")
    expect_saved(page)
    assert not HandOut.objects.filter(deferred_at__isnull=False).exists()


def test_undo_goes_back_step_by_step_through_all_that_was_done(open_judge):
    page = open_judge()
    first, second = judge(page, "20")
    expect_position(page, 3)
    third = document_text(page)
    escalate(page)
    expect_position(page, 4)
    change(page, first)
    page.keyboard.press("0")
    expect_position(page, 4)
    fourth = document_text(page)
    page.keyboard.press("l")
    expect(page.locator("#document")).not_to_have_text(fourth)
    expect_saved(page)
    assert counting_grades() == [0, 0]
    for back in (fourth, fourth, third, second, first):
        page.keyboard.press("z")
        expect(page.locator("#document")).to_have_text(back)
        expect_saved(page)
    expect_position(page, 1)
    assert (counting_grades(), Report.objects.open().count()) == ([], 0)
    page.keyboard.press("z")
    expect(page.get_by_role("status").get_by_text("There is nothing to undo")).to_be_visible()


def test_what_one_tab_did_is_undone_in_another(open_judge):
    page = open_judge()
    other = open_judge()
    first = judge(other, "0")[0]
    expect(page.locator("#document")).not_to_have_text(first)  # the position may arrive before
    expect_position(page, 2)
    last = document_text(page)
    page.keyboard.press("2")
    expect_position(page, 3)
    expect_saved(page)
    expect(other.locator("#document")).not_to_have_text(last)
    other.keyboard.press("z")
    expect(other.locator("#document")).to_have_text(last)
    expect_saved(other)
    assert counting_grades() == [0]
    other.keyboard.press("1")
    other.locator("#chips").get_by_role("button", name="action").click()
    other.keyboard.press("Enter")
    expect_saved(other)
    assert counting_grades() == [0, 1]
    page.keyboard.press("z")
    expect(page.locator("#document")).to_have_text(last)
    expect_saved(page)
    wait_for_condition(page, lambda: counting_grades() == [0])


def test_the_last_ones_list_reports_and_one_becomes_an_answer(open_judge):
    page = open_judge()
    expect_position(page, 1)
    first = document_text(page)
    escalate(page, "Who is it?")
    expect_position(page, 2)
    expect_saved(page)
    page.keyboard.press("r")
    expect(page.locator("#recent-list li", has_text=first)).to_contain_text("Escalated")
    page.keyboard.press("Escape")
    change(page, first)
    expect(page.locator("#changing")).to_contain_text("You reported it: Escalated (“Who is it?”)")
    page.keyboard.press("2")
    expect_position(page, 2)
    expect_saved(page)
    assert (counting_grades(), Report.objects.get().state) == ([2], "undone")
    page.keyboard.press("z")
    expect(page.get_by_role("status").get_by_text("“Escalated” stands again.")).to_be_visible()
    expect_saved(page)
    assert (counting_grades(), Report.objects.get().state) == ([], "open")


def test_an_answer_becomes_a_report(open_judge):
    page = open_judge()
    first = judge(page, "2")[0]
    change(page, first)
    escalate(page)
    expect_position(page, 2)
    expect_saved(page)
    assert (counting_grades(), Report.objects.get().pair.document.parts.get().text) == ([], first)
    page.keyboard.press("z")
    expect(page.get_by_role("status").get_by_text("“Level 2” stands again.")).to_be_visible()
    expect_saved(page)
    assert (counting_grades(), Report.objects.get().state) == ([2], "undone")


def test_a_change_that_was_never_sent_is_undone_without_the_server(open_judge):
    page = open_judge()
    first = judge(page, "22")[0]
    change(page, first)
    page.route("**/judge/*", lambda route: route.abort())
    page.route("**/judge/answer", lambda route: None)  # neither refused nor answered
    page.keyboard.press("0")
    expect_position(page, 3)
    second = document_text(page)
    page.keyboard.press("2")
    page.keyboard.press("z")  # undoes the answer queued behind the change
    expect(page.locator("#document")).to_have_text(second)
    page.unroute("**/judge/answer")
    page.unroute("**/judge/*")
    page.reload()
    expect_saved(page)
    wait_for_condition(page, lambda: counting_grades() == [2, 0])


def test_what_can_no_longer_be_changed_is_said_when_it_is_tried(open_judge):
    page = open_judge()
    first = judge(page, "2" * N_PAIRS)[0]
    page.keyboard.press("r")
    row = page.locator("#recent-list li", has_text=first)
    expect(row).to_be_visible()
    utc = re.compile(r"^\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d UTC$")
    expect(row.locator("[data-at]")).to_have_attribute("title", utc)
    Batch.objects.update(settled_at=F("finished_at"))
    row.get_by_role("button", name="Change").click()
    expect(
        page.get_by_role("status").get_by_text("Batch 1 is settled; its answers stand.")
    ).to_be_visible()
    expect(page.locator("#changing")).to_be_hidden()


def test_the_answer_that_stands_given_again_changes_nothing_and_undo_leaves_it_alone(open_judge):
    page = open_judge()
    first, second = judge(page, "20")
    change(page, first)
    page.keyboard.press("2")
    expect_position(page, 3)
    expect(page.locator("#changing")).to_be_hidden()
    page.keyboard.press("z")
    expect(page.locator("#document")).to_have_text(second)
    expect_saved(page)
    assert (stored_grades(), counting_grades()) == ([2, 0], [2])


def test_a_comment_comes_back_with_its_pair_and_one_begun_waits(open_judge):
    page = open_judge()
    expect_position(page, 1)
    page.locator("#comment").fill("a wing")
    page.locator("#comment").blur()
    page.keyboard.press("2")
    expect_position(page, 2)
    page.locator("#comment").fill("half a word")
    page.locator("#comment").blur()
    page.keyboard.press("z")
    expect_position(page, 1)
    expect(page.locator("#comment")).to_have_value("a wing")
    expect_saved(page)
    page.keyboard.press("0")
    expect_position(page, 2)
    expect(page.locator("#comment")).to_have_value("half a word")
    expect_saved(page)
    expect(page.locator("#comment")).to_have_value("half a word")
    assert [judgment.comment.text for judgment in Judgment.objects.all()] == ["a wing", "a wing"]


def test_two_steps_back_at_once_after_a_reload_are_two_steps(open_judge):
    page = open_judge()
    first, second = judge(page, "22")
    change(page, first)
    page.keyboard.press("0")
    expect_position(page, 3)
    expect_saved(page)
    page.reload()
    expect_position(page, 3)
    page.keyboard.press("z")
    page.keyboard.press("z")
    expect(page.locator("#document")).to_have_text(second)
    wait_for_condition(page, lambda: counting_grades() == [2])
    expect_saved(page)
    assert Seat.objects.get(state="done").judgment.pair.document.parts.get().text == first


def test_at_the_end_of_a_batch_the_last_answer_is_undone_without_a_key(open_judge):
    page = open_judge()
    last = judge(page, "2" * N_PAIRS)[-1]
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    expect(page.locator("#empty")).to_be_focused()
    expect(page.locator("#progress-bar")).to_have_js_property("value", N_PAIRS)
    page.get_by_role("button", name="Undo the last one").click()
    expect(page.locator("#document")).to_have_text(last)
    expect_saved(page)
    assert len(counting_grades()) == N_PAIRS - 1


def test_a_change_and_its_answer_taken_back_at_once_leave_the_card_on_screen(open_judge):
    page = open_judge()
    first = judge(page, "22")[0]
    change(page, first)
    page.keyboard.press("0")
    expect_position(page, 3)
    expect_saved(page)
    third = document_text(page)
    page.keyboard.press("z")
    page.keyboard.press("z")  # the answer to the second pair
    page.keyboard.press("z")  # the answer to the first one
    expect(page.locator("#document")).to_have_text(first)
    wait_for_condition(page, lambda: counting_grades() == [])
    expect_saved(page)
    expect(page.locator("#document")).to_have_text(first)
    expect(page.locator("#document")).not_to_have_text(third)


def test_an_answer_and_its_change_taken_back_at_once_leave_the_card_on_screen(open_judge):
    page = open_judge()
    first = judge(page, "2")[0]
    change(page, first)
    page.keyboard.press("0")
    expect_position(page, 2)
    expect_saved(page)
    page.keyboard.press("z")
    page.keyboard.press("z")
    expect(page.locator("#document")).to_have_text(first)
    wait_for_condition(page, lambda: counting_grades() == [])
    expect_saved(page)
    expect(page.locator("#document")).to_have_text(first)
    expect(page.locator(".is-passing")).to_have_count(0)  # no message about a restored answer
    page.keyboard.press("2")
    expect_position(page, 2)
    expect_saved(page)
    assert counting_grades() == [2]
