"""Ten cards ahead: without network one goes on judging; nothing is lost or out of its turn."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Annotator, Collection, HandOut, Judgment, Seat
from tests import campaigns
from tests.browsing import wait_for_condition
from tests.judge_screen.screen import expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 15  # of the batch: more than a browser holds
AHEAD = 10


@pytest.fixture
def collection() -> Collection:
    return campaigns.open_collection(SIZE, "birds", per_query=SIZE, grades=3, batch_candidates=SIZE)


def expect_card(page: Page, number: int) -> None:
    """Wait until the card at this place of the batch is on screen."""
    expect(page.locator("#card")).to_have_attribute("aria-label", f"Document, {number} of {SIZE}")
    expect(page.locator("#card")).to_be_visible()


def judge(page: Page, keys: str, *, first: int = 1) -> list[str]:
    """Answer one card after the other by these keys; returns the texts of their documents."""
    documents = []
    for number, key in enumerate(keys, start=first):
        expect_card(page, number)
        documents.append(page.locator("#document").inner_text())
        page.keyboard.press(key)
    return documents


def judged_documents() -> list[str]:
    """The texts of the documents judged, in the order in which they were stored."""
    judgments = Judgment.objects.order_by("pk")
    return [judgment.pair.document.parts.get().text for judgment in judgments]


def test_eight_cards_judged_without_a_network_are_kept_once_and_in_their_order(open_judge, context):
    page = open_judge()
    expect_card(page, 1)
    context.set_offline(True)
    documents = judge(page, "20202020")
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (8 waiting)")
    expect_card(page, 9)
    assert stored_grades() == []
    context.set_offline(False)
    expect_saved(page)
    expect_card(page, 9)
    assert judged_documents() == documents
    assert stored_grades() == [2, 0] * 4
    # the reserve is filled again: the rest of the batch needs no network
    context.set_offline(True)
    judge(page, "2" * 7, first=9)
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (7 waiting)")
    context.set_offline(False)
    wait_for_condition(page, lambda: Judgment.objects.count() == SIZE)
    assert len(set(judged_documents())) == SIZE


def test_only_a_card_that_was_on_screen_is_stored_as_shown(open_judge, context):
    page = open_judge()
    expect_card(page, 1)
    context.set_offline(True)
    judge(page, "222")
    context.set_offline(False)
    expect_saved(page)
    expect_card(page, 4)
    shown = HandOut.objects.exclude(shown_at=None).values_list("position", flat=True)
    assert sorted(shown) == [1, 2, 3, 4]


def test_each_card_is_sent_once(open_judge):
    page = open_judge()
    replies: list[dict] = []
    page.on(
        "response",
        lambda reply: replies.append(reply.json()) if reply.url.endswith("/answer") else None,
    )
    judge(page, "222222")
    expect_saved(page)
    wait_for_condition(page, lambda: len(replies) == 6)
    assert [len(reply["cards"]) for reply in replies] == [1, 1, 1, 1, 0, 0]
    assert [len(reply["order"]) for reply in replies] == [11, 11, 11, 11, 10, 9]


def test_answers_are_taken_back_across_the_cards_ahead(open_judge, context):
    page = open_judge()
    documents = judge(page, "222")
    expect_saved(page)
    context.set_offline(True)
    documents += judge(page, "00", first=4)
    for number in (5, 4, 3):  # one never sent, one perhaps sent, and one that is stored
        page.keyboard.press("z")
        expect_card(page, number)
        expect(page.locator("#document")).to_have_text(documents[number - 1])
    context.set_offline(False)
    expect_saved(page)
    assert judge(page, "000", first=3) == documents[2:]
    expect_saved(page)
    expect_card(page, 6)
    done_seats = Seat.objects.filter(state=Seat.State.DONE).order_by("judgment")
    assert list(done_seats.values_list("judgment__level__grade", flat=True)) == [2, 2, 0, 0, 0]


def test_a_card_put_off_without_a_network_comes_back_at_the_end(open_judge, context):
    page = open_judge()
    expect_card(page, 1)
    first = page.locator("#document").inner_text()
    context.set_offline(True)
    page.keyboard.press("l")
    judge(page, "2222", first=2)
    context.set_offline(False)
    expect_saved(page)
    judge(page, "2" * 10, first=6)
    expect_card(page, 1)
    expect(page.locator("#document")).to_have_text(first)


def test_a_closed_tab_loses_none_of_what_was_judged_ahead(open_judge, context):
    page = open_judge()
    expect_card(page, 1)
    context.route("**/judge/*", lambda route: route.abort())
    documents = judge(page, "22222222")
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (8 waiting)")
    assert stored_grades() == []
    page.close()
    context.unroute_all()
    page = open_judge()
    expect_saved(page)
    expect_card(page, 9)
    # they may be sent in parallel
    assert sorted(judged_documents()) == sorted(documents)


def test_what_was_judged_ahead_is_kept_when_she_is_paused_meanwhile(open_judge, context, annotator):
    page = open_judge()
    expect_card(page, 1)
    context.set_offline(True)
    documents = judge(page, "222")
    Annotator.objects.filter(pk=annotator.pk).update(paused_at="2026-01-01T00:00Z")
    context.set_offline(False)
    expect_saved(page)
    assert judged_documents() == documents


def test_a_second_tab_shows_no_card_out_of_its_turn(open_judge):
    first, second = open_judge(), open_judge()
    first.bring_to_front()
    documents = judge(first, "2222")
    expect_saved(first)
    second.bring_to_front()
    documents += judge(second, "0" * AHEAD, first=5)
    expect_saved(second)
    expect_card(second, SIZE)
    assert judged_documents() == documents
