"""Answers refused for good are set aside, kept and shown; later answers go on."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment
from tests.browsing import pass_time, wait_for_condition
from tests.judge_screen.screen import expect_position, expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)


def refuse_first_card(page, answer, *, first):
    """Let the server refuse the first judged card with `answer`; returns the list of refusals."""
    refused, passed = [], []

    def act(route):
        hand_out = route.request.post_data_json["hand_out"]
        if refused or not passed:
            first.setdefault("hand_out", hand_out)
        if hand_out == first["hand_out"]:
            refused.append(hand_out)
            route.fulfill(**answer)
        else:
            passed.append(hand_out)
            route.continue_()

    page.route("**/judge/answer", act)
    return refused


def refusal_notice(page):
    return page.locator(".messages .notice-bad")


def test_an_answer_that_is_refused_is_kept_shown_and_sent_again_on_demand(
    open_judge, context, live_server
):
    page = open_judge()
    refuse_first_card(page, {"status": 409, "json": {"error": "Batch 1 is settled."}}, first={})
    page.keyboard.press("2")
    expect(refusal_notice(page)).to_contain_text("1 answer was refused, and kept in this browser")
    expect(refusal_notice(page)).to_contain_text("Level 2: Batch 1 is settled.")
    page.reload()
    expect(refusal_notice(page)).to_contain_text("Level 2: Batch 1 is settled.")
    expect(page.locator("#saved")).to_have_text("1 refused")
    other = context.new_page()
    other.goto(live_server.url)
    notice = other.locator(".messages .notice")
    expect(notice).to_contain_text(
        "1 answer in birds was refused, and is kept on this device alone."
    )
    link = notice.get_by_role("link", name="Show what was refused")
    expect(link).to_have_attribute("href", "/c/birds/judge/")
    assert stored_grades() == []
    page.unroute("**/judge/answer")
    page.get_by_role("button", name="Send again").click()
    expect(refusal_notice(page)).to_have_count(0)
    expect_saved(page)
    expect(notice).to_have_count(0)
    other.close()
    assert stored_grades() == [2]
    page.reload()
    expect_position(page, 2)
    expect(refusal_notice(page)).to_have_count(0)


@pytest.mark.usefixtures("frozen_pages")
def test_an_answer_at_which_the_server_fails_for_a_minute_lets_the_others_pass(open_judge):
    page = open_judge()
    refused = refuse_first_card(page, {"status": 500, "body": "<h1>It broke</h1>"}, first={})
    page.keyboard.press("2")
    page.keyboard.press("0")
    page.keyboard.press("0")
    failing_since = page.evaluate("Date.now()")
    wait_for_condition(page, lambda: refusal_notice(page).count() or pass_time(page, 1))
    assert page.evaluate("Date.now()") - failing_since >= 59_000
    assert len(refused) >= 3
    expect(refusal_notice(page)).to_contain_text("1 answer was refused, and kept in this browser")
    expect(page.locator("#saved")).to_have_text("1 refused")
    assert stored_grades() == [0, 0]
    page.get_by_role("button", name="Throw away").click()
    expect_saved(page)
    expect(refusal_notice(page)).to_have_count(0)
    page.reload()
    expect(page.locator("#card")).to_be_visible()
    expect(refusal_notice(page)).to_have_count(0)
    assert Judgment.objects.count() == 2


@pytest.mark.usefixtures("frozen_pages")
def test_while_the_server_fails_at_everything_nothing_is_set_aside(open_judge):
    page = open_judge()
    refused = refuse_first_card(page, {"status": 500, "body": "<h1>It broke</h1>"}, first={})
    page.route("**/judge/token", lambda route: route.fulfill(status=500, body="<h1>It broke</h1>"))
    page.keyboard.press("2")
    wait_for_condition(page, lambda: len(refused) >= 5 or pass_time(page, 1))
    expect(refusal_notice(page)).to_have_count(0)
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (1 waiting)")
    page.unroute("**/judge/answer")
    page.unroute("**/judge/token")
    wait_for_condition(
        page, lambda: page.locator("#saved").inner_text() == "Saved" or pass_time(page, 1)
    )
    assert stored_grades() == [2]
