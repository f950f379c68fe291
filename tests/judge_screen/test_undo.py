"""Undoing answers: at once, after a reload, from the list of the last ones, and refused ones."""

import pytest
from django.db.models import F
from playwright.sync_api import expect

from annotate.models import Batch, Judgment, Seat
from tests.browsing import wait_for_condition
from tests.judge_screen.screen import N_PAIRS, expect_position, expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)
UNDONE = "The last judgment is undone."
REFUSED = "The judgment was not undone: Batch 1 is settled; its answers stand."


def judge(page, keys):
    """Answer one card after the other by these keys; returns the texts of their documents."""
    documents = []
    for number, key in enumerate(keys, start=1):
        expect_position(page, number)
        documents.append(page.locator("#document").inner_text())
        page.keyboard.press(key)
    expect_saved(page)
    return documents


def record_announcements(page):
    """Record all announcements to screen readers, as a later one replaces an earlier one."""
    page.evaluate("""() => {
        window.announcements = [];
        const live = document.getElementById("live");
        const record = () => window.announcements.push(live.textContent);
        new MutationObserver(record).observe(live, {childList: true});
    }""")


def test_an_answer_is_called_undone_when_the_server_has_said_so(open_judge):
    page = open_judge()
    judge(page, "2")
    routes = []

    def hold(route):
        routes.append(route)

    page.route("**/judge/undo", hold)
    record_announcements(page)
    page.keyboard.press("z")
    expect_position(page, 1)
    wait_for_condition(page, lambda: routes)
    expect(page.locator("#saved")).to_have_text("Saving…")
    assert not any(UNDONE in text for text in page.evaluate("window.announcements"))
    routes[0].continue_()
    expect(page.locator("#live")).to_contain_text(UNDONE)
    expect_saved(page)


def test_the_card_of_a_judgment_that_stands_goes_away_again_and_the_reason_is_told(open_judge):
    page = open_judge()
    judge(page, "2" * N_PAIRS)
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    Batch.objects.update(settled_at=F("finished_at"))
    record_announcements(page)
    page.keyboard.press("z")
    expect(page.get_by_role("status").get_by_text(REFUSED)).to_be_visible()
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    expect(page.locator("#card")).to_be_hidden()
    expect_saved(page)
    assert not any(UNDONE in text for text in page.evaluate("window.announcements"))
    assert Seat.objects.filter(state=Seat.State.DONE).count() == N_PAIRS


def test_after_a_refused_undo_the_card_that_waited_behind_is_on_screen(open_judge):
    page = open_judge()
    judge(page, "2")
    expect_position(page, 2)
    second = page.locator("#document").inner_text()
    refusal = {"error": "Batch 1 is settled; its answers stand."}
    page.route("**/judge/undo", lambda route: route.fulfill(status=409, json=refusal))
    page.keyboard.press("z")
    expect(page.get_by_role("status").get_by_text(REFUSED)).to_be_visible()
    expect(page.locator("#document")).to_have_text(second)
    page.keyboard.press("0")
    expect_saved(page)
    assert stored_grades() == [2, 0]


def test_the_last_answer_is_undone_after_a_reload(open_judge):
    page = open_judge()
    first = judge(page, "22")[0]
    page.reload()
    expect_position(page, 3)
    page.keyboard.press("z")
    expect_position(page, 2)
    expect(page.locator("#live")).to_contain_text(UNDONE)
    assert page.locator("#document").inner_text() != first
    page.keyboard.press("0")
    expect_position(page, 3)
    expect_saved(page)
    assert stored_grades() == [2, 2, 0]
    assert Seat.objects.filter(state=Seat.State.DONE).count() == 2


@pytest.mark.parametrize("reload", [False, True])
def test_an_answer_of_the_last_20_is_changed(open_judge, reload):
    page = open_judge()
    first = judge(page, "222")[0]
    if reload:
        page.reload()
        expect_position(page, 4)
    page.keyboard.press("r")
    page.locator("#recent-list li", has_text=first).get_by_role("button", name="Change").click()
    expect(page.locator("#dialog-recent")).to_be_hidden()
    expect(page.locator("#document")).to_have_text(first)
    page.keyboard.press("0")
    expect_position(page, 4)
    expect_saved(page)
    new_judgment = Judgment.objects.order_by("pk").last()
    assert new_judgment.pair.document.parts.get().text == first
    assert sorted(
        Seat.objects.filter(state="done").values_list("judgment__level__grade", flat=True)
    ) == [0, 2, 2]
    page.keyboard.press("r")
    expect(page.locator("#recent-list li", has_text=first)).to_contain_text("Level 0")


def test_the_last_20_arrive_without_moving_what_closes_them(open_judge):
    page = open_judge()
    routes = []

    def hold(route):
        routes.append(route)

    # long before the request: a browser may let through what is asked for the moment after
    page.route("**/recent", hold)
    judge(page, "2222")
    page.keyboard.press("r")
    close = page.locator("#dialog-recent").get_by_role("button", name="Close")
    expect(page.locator("#recent-state")).to_have_text("Loading…")
    wait_for_condition(page, lambda: routes)
    first_place = close.bounding_box()
    routes[0].continue_()
    expect(page.locator("#recent-list li")).to_have_count(4)
    assert close.bounding_box() == first_place
