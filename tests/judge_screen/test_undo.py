"""Taking answers back: at once, after a reload, from the list of the last ones, and when the server says no."""

import pytest
from django.db.models import F
from playwright.sync_api import expect

from annotate.models import Batch, Judgment, Seat
from tests.browsing import heard
from tests.judge_screen.screen import N_PAIRS, grades, position, saved

pytestmark = pytest.mark.django_db(transaction=True)
UNDONE = "The last judgment is undone."
REFUSED = "The judgment was not undone: Batch 1 is settled; its answers stand."


def judge(page, keys):
    """Give these answers, one card after the other; what was shown for each."""
    shown = []
    for number, key in enumerate(keys, start=1):
        position(page, number)
        shown.append(page.locator("#document").inner_text())
        page.keyboard.press(key)
    saved(page)
    return shown


def keep_what_is_heard(page):
    """Keep all that a screen reader is told, since a later word takes an earlier one's place."""
    page.evaluate("""() => {
        window.heard = [];
        const live = document.getElementById("live");
        new MutationObserver(() => window.heard.push(live.textContent)).observe(live, {childList: true});
    }""")


def test_an_answer_is_called_undone_when_the_server_has_said_so(open_judge):
    page = open_judge()
    judge(page, "2")
    asked = []

    def hold(route):
        asked.append(route)

    page.route("**/judge/undo", hold)
    keep_what_is_heard(page)
    page.keyboard.press("z")
    position(page, 1)
    heard(page, lambda: asked)
    expect(page.locator("#saved")).to_have_text("Saving…")
    assert UNDONE not in page.evaluate("window.heard")
    asked[0].continue_()
    expect(page.locator("#live")).to_have_text(UNDONE)
    saved(page)


def test_the_card_of_a_judgment_that_stands_goes_away_again_and_the_reason_is_told(open_judge):
    page = open_judge()
    judge(page, "2" * N_PAIRS)
    expect(page.locator("#empty-title")).to_have_text("Batch done")
    Batch.objects.update(settled_at=F("finished_at"))
    keep_what_is_heard(page)
    page.keyboard.press("z")
    expect(page.get_by_role("status").get_by_text(REFUSED)).to_be_visible()
    expect(page.locator("#empty-title")).to_have_text("Batch done")
    expect(page.locator("#card")).to_be_hidden()
    saved(page)
    assert UNDONE not in page.evaluate("window.heard")
    assert Seat.objects.filter(state=Seat.State.DONE).count() == N_PAIRS


def test_after_a_refused_undo_the_card_that_waited_behind_is_on_screen(open_judge):
    page = open_judge()
    judge(page, "2")
    position(page, 2)
    second = page.locator("#document").inner_text()
    said = {"error": "Batch 1 is settled; its answers stand."}
    page.route("**/judge/undo", lambda route: route.fulfill(status=409, json=said))
    page.keyboard.press("z")
    expect(page.get_by_role("status").get_by_text(REFUSED)).to_be_visible()
    expect(page.locator("#document")).to_have_text(second)
    page.keyboard.press("0")
    saved(page)
    assert grades() == [2, 0]


def test_the_last_answer_is_undone_after_a_reload(open_judge):
    page = open_judge()
    first = judge(page, "22")[0]
    page.reload()
    position(page, 3)
    page.keyboard.press("z")
    position(page, 2)
    expect(page.locator("#live")).to_have_text(UNDONE)
    assert page.locator("#document").inner_text() != first
    page.keyboard.press("0")
    position(page, 3)
    saved(page)
    assert grades() == [2, 2, 0]
    assert Seat.objects.filter(state=Seat.State.DONE).count() == 2


@pytest.mark.parametrize("reload", [False, True])
def test_an_answer_of_the_last_20_is_changed(open_judge, reload):
    page = open_judge()
    first = judge(page, "222")[0]
    if reload:
        page.reload()
        position(page, 4)
    page.keyboard.press("r")
    page.locator("#recent-list li", has_text=first).get_by_role("button", name="Change").click()
    expect(page.locator("#dialog-recent")).to_be_hidden()
    expect(page.locator("#document")).to_have_text(first)
    page.keyboard.press("0")
    position(page, 4)
    saved(page)
    new = Judgment.objects.order_by("pk").last()
    assert new.pair.document.parts.get().text == first
    assert sorted(Seat.objects.filter(state="done").values_list("judgment__level__grade", flat=True)) == [0, 2, 2]
    page.keyboard.press("r")
    expect(page.locator("#recent-list li", has_text=first)).to_contain_text("Level 0")
