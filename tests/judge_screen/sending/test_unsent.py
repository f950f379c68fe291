"""Unsent answers on a device: sent as the page is left, with a notice on every page."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment, Membership, User
from tests.browsing import pass_time, wait_for_condition
from tests.judge_screen.screen import N_PAIRS, expect_position, expect_saved, stored_grades

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("frozen_pages")]
REFUSE_STORAGE = """
    Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("refused", "SecurityError"); },
    });
"""

KEPT_KEYS = "Object.keys(localStorage).filter((key) => /outbox|aside/.test(key))"
REFUSE_LONGER_VALUES = """
    const put = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key, value) {
        if (this.getItem(key)?.length < value.length) {
            throw new DOMException("full", "QuotaExceededError");
        }
        put.call(this, key, value);
    };
"""


@pytest.fixture
def outage(open_judge):
    """The screen with two unsent answers in an outage; `context.unroute_all()` ends it."""
    page = open_judge()
    page.context.route("**/judge/answer", lambda route: route.abort())
    for number, key in enumerate("20", start=1):
        expect_position(page, number)
        page.keyboard.press(key)
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (2 waiting)")
    return page


def wait_for_notice(notice):
    """Let time pass until the notice appears; not at once, as fresh answers may be on their way."""
    assert not notice.count()
    wait_for_condition(notice.page, lambda: notice.count() or pass_time(notice.page, 1))


def test_what_waits_is_sent_as_the_page_is_left(outage, context, live_server):
    context.unroute_all()
    assert not Judgment.objects.exists()
    outage.goto(f"{live_server.url}/healthz")
    wait_for_condition(outage, lambda: Judgment.objects.count() == 2)
    assert sorted(stored_grades()) == [0, 2]


def test_what_waits_is_sent_as_soon_as_somebody_looks_at_the_page_again(outage, context):
    context.unroute_all()
    look = (
        "document.dispatchEvent(new Event('visibilitychange')), "
        "document.querySelector('#saved').dataset.state"
    )
    # the last try may still be failing at first
    wait_for_condition(outage, lambda: outage.evaluate(look) == "saved")
    assert stored_grades() == [2, 0]


def test_the_browser_is_asked_to_keep_what_waits(open_judge):
    def count(page):
        page.add_init_script("""
            window.nAsked = 0;
            navigator.storage.persisted = async () => false;
            navigator.storage.persist = async () => { window.nAsked += 1; };
        """)

    page = open_judge(before=count)
    page.route("**/judge/answer", lambda route: route.abort())
    page.keyboard.press("2")
    wait_for_condition(page, lambda: page.evaluate("window.nAsked") == 1)


def test_where_the_browser_keeps_nothing_it_is_said_first_and_no_second_answer_waits(open_judge):
    page = open_judge(before=lambda page: page.add_init_script(REFUSE_STORAGE))
    expect(page.locator(".judge-notices")).to_contain_text(
        "This browser keeps nothing for this site"
    )
    held_routes = []
    page.route(
        "**/judge/answer",
        lambda route: route.continue_() if held_routes else held_routes.append(route),
    )
    page.keyboard.press("2")
    expect_position(page, 2)
    page.keyboard.press("0")
    expect(page.locator(".is-passing")).to_contain_text("one waits at a time")
    page.keyboard.press("x")
    page.locator("#dialog-cannot input").first.check()
    page.locator("#dialog-cannot textarea").fill("a word")
    page.get_by_role("button", name="Send to the lead").click()
    expect(page.locator("#dialog-cannot textarea")).to_have_value("a word")  # the text stays
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    page.keyboard.press("z")
    expect_position(page, 2)
    wait_for_condition(page, lambda: held_routes)
    held_routes[0].continue_()
    expect_saved(page)
    expect(page.locator(".is-passing")).to_have_count(0)
    page.keyboard.press("0")
    expect_position(page, 3)
    expect_saved(page)
    assert stored_grades() == [2, 0]


def test_every_page_says_what_waits_whose_it_is_and_what_can_be_done(
    outage, context, live_server, person, sign_in
):
    page = context.new_page()
    page.goto(live_server.url)
    notice = page.locator(".messages .notice")
    wait_for_notice(notice)
    expect(notice).to_contain_text(
        "2 answers in birds wait on this device, not stored yet. The server cannot be reached"
    )
    expect(notice.get_by_role("link", name="Go there")).to_have_attribute("href", "/c/birds/judge/")
    sign_in(User.objects.create(username="other"))
    page.goto(live_server.url)
    expect(notice).to_contain_text("of another account")
    expect(notice.get_by_role("link")).to_have_count(0)
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_have_count(0)
    context.clear_cookies()
    page.goto(f"{live_server.url}/accounts/login/")
    expect(notice).to_contain_text("Sign in to send them.")
    sign_in(person)
    page.goto(live_server.url)
    # Before the network is back: a page that opens sends unsent answers, and the link goes away.
    notice.get_by_role("link", name="Go there").click()
    page.wait_for_url("**/judge/")
    context.unroute_all()
    for screen in (page, outage):
        state = screen.locator("#saved")
        wait_for_condition(
            screen, lambda state=state: state.inner_text() == "Saved" or pass_time(state.page, 1)
        )
    assert sorted(stored_grades()) == [0, 2]  # a page that is left may send them in parallel
    assert page.evaluate(KEPT_KEYS) == []


def test_any_page_sends_what_waits_of_whoever_is_signed_in(outage, context, live_server):
    outage.close()
    context.unroute_all()
    page = context.new_page()
    bodies = []
    page.on("request", lambda request: bodies.append(request.post_data_json or {}))
    page.goto(live_server.url)
    wait_for_condition(page, lambda: page.evaluate(KEPT_KEYS) == [])
    # nobody reads cards there
    assert [body["wants_cards"] for body in bodies if "hand_out" in body] == [False, False]
    assert sorted(stored_grades()) == [0, 2]  # a closed tab may send them in parallel
    expect(page.locator(".messages .notice")).to_have_count(0)


def test_where_nobody_may_judge_any_more_what_waits_can_be_thrown_away(
    outage, context, live_server, annotator
):
    outage.close()
    context.unroute_all()
    Membership.objects.filter(user=annotator.user).delete()
    page = context.new_page()
    page.goto(live_server.url)
    wait_for_notice(page.locator(".messages .notice"))
    expect(page.locator(".messages .notice")).to_contain_text("you cannot judge there any more")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Throw away").click()
    expect(page.locator(".messages .notice")).to_have_count(0)
    assert page.evaluate(KEPT_KEYS) == []


def test_the_judge_screen_says_that_she_may_not_judge_any_more(open_judge, annotator):
    page = open_judge()
    member = Membership.objects.get(user=annotator.user)
    Membership.objects.filter(pk=member.pk).delete()
    page.keyboard.press("2")
    expect(page.locator("#empty-title")).to_have_text("You cannot judge here any more")
    expect(page.locator("#empty-text")).to_contain_text(
        "Ask its lead. 1 answer is kept in this browser and sent once"
    )
    for key in "lxb":
        page.keyboard.press(key)  # on a hidden card
    expect(page.locator("#dialog-cannot")).to_be_hidden()
    expect(page.locator("#saved")).to_have_text("Not saved - kept here (1 waiting)")
    member.save(force_insert=True)
    wait_for_condition(
        page, lambda: page.locator("#saved").inner_text() == "Saved" or pass_time(page, 1)
    )
    expect_position(page, 2)
    assert stored_grades() == [2]


def test_a_page_that_stands_open_sends_what_a_closed_tab_left_behind(
    open_judge, context, live_server
):
    """Also answers that came after others were sent, and answers given one by one."""
    other = context.new_page()
    other.goto(live_server.url)
    for n in (1, 3):
        page = open_judge()
        expect_position(page, n)
        page.route("**/judge/answer", lambda route: route.abort())
        for key in "20":
            page.keyboard.press(key)
            pass_time(page, 3)
        expect(page.locator("#saved")).to_contain_text("(2 waiting)")
        page.close()
        wait_for_condition(other, lambda: other.evaluate(KEPT_KEYS) == [] or pass_time(other, 1))
        assert len(stored_grades()) == n + 1
    expect(other.locator(".messages .notice")).to_have_count(0)


def test_both_of_two_tabs_go_on_when_the_network_is_back_for_one(open_judge, context):
    page = open_judge()
    for number in range(1, N_PAIRS):
        expect_position(page, number)
        page.keyboard.press("2")
    expect_saved(page)
    other = open_judge()
    context.route("**/judge/answer", lambda route: route.abort())
    expect_position(page, N_PAIRS)
    page.keyboard.press("2")
    for tab in (page, other):
        expect(tab.locator("#empty-title")).to_have_text("Waiting for the server")
    context.unroute_all()
    wait_for_condition(page, lambda: Judgment.objects.count() == N_PAIRS or pass_time(page, 1))
    pass_time(page, 40)
    for tab in (page, other):
        expect(tab.locator("#empty-title")).to_have_text("Nothing is left to judge")
        expect_saved(tab)


def test_a_full_storage_stops_nothing(open_judge):
    """The browser has room for the answer, and for nothing more about it."""
    page = open_judge(before=lambda page: page.add_init_script(REFUSE_LONGER_VALUES))
    failing = [500]
    page.route(
        "**/judge/answer",
        lambda route: route.fulfill(status=failing.pop()) if failing else route.continue_(),
    )
    page.keyboard.press("2")
    expect_position(page, 2)
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (1 waiting)")
    expect(page.locator(".until-saved")).to_contain_text("no room left to keep answers")
    wait_for_condition(
        page, lambda: page.locator("#saved").inner_text() == "Saved" or pass_time(page, 1)
    )
    expect(page.locator(".until-saved")).to_have_count(0)
    page.keyboard.press("0")
    expect_position(page, 3)
    expect_saved(page)
    assert stored_grades() == [2, 0]


def test_a_tab_that_sleeps_in_its_turn_holds_the_others_up_for_a_minute_at_most(
    open_judge, context, live_server
):
    page = open_judge()
    sleeper = context.new_page()
    sleeper.goto(f"{live_server.url}/healthz")
    owner = page.evaluate("`${document.querySelector('#judge').dataset.owner}`")
    sleeper.evaluate(
        f"void navigator.locks.request('assayer.outbox.birds.{owner}.', "
        f"() => new Promise(() => {{}}))"
    )
    page.keyboard.press("2")
    pass_time(page, 59)
    expect(page.locator("#saved")).to_have_text("Saving…")
    assert not Judgment.objects.exists()
    pass_time(page, 2)
    expect_saved(page)
    assert stored_grades() == [2]
