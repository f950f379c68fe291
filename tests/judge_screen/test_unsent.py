"""Answers that wait on a device: sent as its page is left, and told wherever its person goes."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment, User
from tests.browsing import heard, pass_time
from tests.judge_screen.screen import grades, position, saved

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("standing_pages")]
REFUSE_STORAGE = """
    Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } });
"""


@pytest.fixture
def outage(open_judge):
    """The screen while no answer arrives, with two that wait; the network comes back with `page.unroute_all()`."""
    page = open_judge()
    page.route("**/judge/answer", lambda route: route.abort())
    for number, key in enumerate("20", start=1):
        position(page, number)
        page.keyboard.press(key)
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (2 waiting)")
    return page


def test_what_waits_is_sent_as_the_page_is_left(outage, live_server):
    outage.unroute_all()
    assert not Judgment.objects.exists()
    outage.goto(f"{live_server.url}/healthz")
    heard(outage, lambda: Judgment.objects.count() == 2)
    assert sorted(grades()) == [0, 2]


def test_what_waits_is_sent_as_soon_as_somebody_looks_at_the_page_again(outage):
    outage.unroute_all()
    look = "document.dispatchEvent(new Event('visibilitychange')), document.querySelector('#saved').dataset.state"
    heard(outage, lambda: outage.evaluate(look) == "saved")  # the last try may still be failing at the first look
    assert grades() == [2, 0]


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
    heard(page, lambda: page.evaluate("window.nAsked") == 1)


def test_where_the_browser_keeps_nothing_it_is_said_first_and_no_second_answer_waits(open_judge):
    page = open_judge(before=lambda page: page.add_init_script(REFUSE_STORAGE))
    expect(page.locator(".judge-notices")).to_contain_text("This browser keeps nothing for this site")
    held = []
    page.route("**/judge/answer", lambda route: route.continue_() if held else held.append(route))
    page.keyboard.press("2")
    position(page, 2)
    page.keyboard.press("0")
    expect(page.locator(".is-passing")).to_contain_text("one waits at a time")
    page.keyboard.press("l")
    page.keyboard.press("z")
    position(page, 2)
    heard(page, lambda: held)
    held[0].continue_()
    saved(page)
    page.keyboard.press("0")
    position(page, 3)
    saved(page)
    assert grades() == [2, 0]


def test_every_page_says_what_waits_and_leads_to_where_it_is_sent(outage, context, live_server, person, sign_in):
    page = context.new_page()
    page.goto(live_server.url)
    notice = page.locator(".messages .notice")
    expect(notice).to_contain_text("2 answers in birds wait on this device, not sent yet.")
    sign_in(User.objects.create(username="other"))
    page.goto(live_server.url)
    expect(notice).to_contain_text("of another account")
    expect(notice.get_by_role("link")).to_have_count(0)
    context.clear_cookies()
    page.goto(f"{live_server.url}/accounts/login/")
    expect(notice).to_contain_text("Sign in to send them.")
    sign_in(person)
    page.goto(live_server.url)
    outage.unroute_all()
    notice.get_by_role("link", name="Send").click()
    saved(page)
    assert grades() == [2, 0]
    pass_time(outage, 60)
    saved(outage)
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('outbox'))") == []
