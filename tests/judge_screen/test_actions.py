"""Pairs without a grade: put off, reported as impossible to judge, or escalated to the lead."""

import pytest
from playwright.sync_api import expect

from annotate.models import HandOut, Judgment, Report
from tests.judge_screen.screen import N_PAIRS, expect_position, expect_saved

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def page(open_judge):
    page = open_judge()
    expect_position(page, 1)
    return page


def stored_report():
    """Kind, reason, note and document text of the only report."""
    report = Report.objects.get()
    return report.kind, report.reason, report.note, report.pair.document.parts.get().text


def test_a_pair_put_off_comes_back_at_the_end_of_the_batch(page):
    first = page.locator("#document").inner_text()
    page.keyboard.press("l")
    expect(page.locator("#document")).not_to_have_text(first)
    expect_saved(page)
    assert (
        HandOut.objects.get(deferred_at__isnull=False).seat.pair.document.parts.get().text == first
    )
    for number in range(1, N_PAIRS):
        expect_position(page, number)
        expect(page.locator("#document")).not_to_have_text(first)
        page.keyboard.press("2")
    expect_position(page, N_PAIRS)
    expect(page.locator("#document")).to_have_text(first)
    page.keyboard.press("0")
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    expect_saved(page)
    assert Judgment.objects.get(level__grade=0).pair.document.parts.get().text == first
    assert Report.objects.count() == 0


def test_a_pair_that_cannot_be_judged_is_sent_to_the_lead_with_reason_and_note(page):
    first = page.locator("#document").inner_text()
    page.keyboard.press("x")
    dialog = page.get_by_role("dialog", name="Why can it not be judged?")
    dialog.get_by_label("I do not know the language").check()
    dialog.get_by_label("Note").fill("  Is it Basque? 2 ")
    dialog.get_by_role("button", name="Send to the lead").click()
    expect(dialog).to_be_hidden()
    expect_position(page, 2)
    expect_saved(page)
    assert stored_report() == ("cannot_judge", "wrong_language", "Is it Basque? 2", first)
    assert Judgment.objects.count() == 0
    page.keyboard.press("x")  # the next one begins with nothing filled in
    expect(dialog.get_by_label("Note")).to_have_value("")
    dialog.get_by_role("button", name="Send to the lead").click()
    expect(dialog).to_be_visible()  # no reason is chosen
    dialog.get_by_role("button", name="Go back").click()
    expect_position(page, 2)
    assert Report.objects.count() == 1


def test_a_pair_is_escalated_to_the_lead_with_a_question(page):
    first = page.locator("#document").inner_text()
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog", name="Escalate to the lead")
    dialog.get_by_label("What should the lead decide?").fill("Does a drawing count?")
    dialog.get_by_role("button", name="Escalate").click()
    expect(dialog).to_be_hidden()
    expect_position(page, 2)
    expect_saved(page)
    assert stored_report() == ("escalated", "", "Does a drawing count?", first)
    assert Judgment.objects.count() == 0


def test_a_dialog_left_with_escape_reports_nothing(page):
    for key in ("x", "e"):
        page.keyboard.press(key)
        expect(page.locator("dialog:modal")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("dialog:modal")).to_have_count(0)
    expect_position(page, 1)
    page.keyboard.press("2")
    expect_saved(page)
    assert (Report.objects.count(), Judgment.objects.count()) == (0, 1)
