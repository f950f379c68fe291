"""Media that do not load at first, on the visible card and on the card prepared behind it."""

from collections import Counter

import pytest
from playwright.sync_api import expect

from annotate.models import Report
from tests.browsing import pass_time, wait_for_condition
from tests.judge_screen.screen import MEDIA, expect_saved, image, open_documents

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("frozen_pages")]
TRYING = "This image did not load. Trying again…"


@pytest.fixture(autouse=True)
def two_images(collection, media_root):
    open_documents(collection, image(collection), image(collection, "s002.webp"))


@pytest.fixture
def n_requests():
    """Number of requests of each picture, by URL."""
    return Counter()


def failing(n_requests, *, n_failures, status=404):
    """Function that makes each picture fail n_failures times in a page."""

    def answer(route):
        n_requests[route.request.url] += 1
        if n_requests[route.request.url] <= n_failures:
            route.fulfill(status=status)
        else:
            route.continue_()

    return lambda page: page.route(MEDIA, answer)


def wait_for_tries(page, n_requests, *, n):
    """Let time pass until both pictures were requested n times each."""
    wait_for_condition(
        page, lambda: (len(n_requests) == 2 and min(n_requests.values()) >= n) or pass_time(page, 1)
    )
    assert set(n_requests.values()) == {n}


def test_a_picture_that_came_with_the_second_try_is_shown_when_its_card_is(open_judge, n_requests):
    page = open_judge(before=failing(n_requests, n_failures=1))
    expect(page.locator("#document .broken")).to_contain_text(TRYING)
    wait_for_tries(page, n_requests, n=2)
    expect(page.locator("#document img")).to_be_visible()
    page.keyboard.press("2")
    expect_saved(page)
    expect(page.locator("#document img")).to_be_visible()
    expect(page.locator("#document .broken")).to_have_count(0)


def test_a_picture_that_did_not_come_is_asked_for_again_when_the_network_is_back(
    open_judge, n_requests, context
):
    page = open_judge(before=failing(n_requests, n_failures=2))
    wait_for_tries(page, n_requests, n=2)
    expect(page.locator("#document .broken [data-what]")).to_have_text("This image did not load.")
    context.set_offline(True)
    context.set_offline(False)
    wait_for_tries(page, n_requests, n=3)
    expect(page.locator("#document img")).to_be_visible()
    page.keyboard.press("2")
    expect_saved(page)
    expect(page.locator("#document img")).to_be_visible()
    assert set(n_requests.values()) == {3}


def test_a_picture_that_did_not_load_while_it_was_prepared_is_reported_with_one_key(
    open_judge, n_requests
):
    page = open_judge(before=failing(n_requests, n_failures=99))
    wait_for_tries(page, n_requests, n=2)
    given_up = page.locator("#document .broken:not(.is-trying)")
    expect(given_up).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator("#progress-text")).to_contain_text("2 of 2")
    expect(given_up).to_be_visible()  # though its last try failed while nobody saw it
    page.keyboard.press("b")
    expect(page.locator("#empty-title")).to_be_visible()
    expect_saved(page)
    assert [report.reason for report in Report.objects.all()] == ["does_not_play"] * 2


def test_what_does_not_load_is_tried_again_ever_more_rarely(open_judge):
    seconds, requested_at = 0, {}

    def fail(page):
        page.route(
            MEDIA,
            lambda route: (
                requested_at.setdefault(route.request.url, []).append(seconds),
                route.abort(),
            ),
        )

    page = open_judge(before=fail)

    def pass_a_second():
        nonlocal seconds
        seconds += 1
        pass_time(page, 1)

    wait_for_condition(
        page, lambda: [len(times) for times in requested_at.values()] == [7, 7] or pass_a_second()
    )
    # 2, 5, 10, 20, 40 and 60 seconds after each failure, noticed a little later
    for times in requested_at.values():
        assert times[-1] - times[0] > 100
        assert times[6] - times[5] > times[3] - times[2]
    pass_time(page, 3_600)
    assert [len(times) for times in requested_at.values()] == [7, 7]


def test_nothing_is_reported_while_the_server_is_away_and_the_sign_in_is_offered_where_that_is_it(
    open_judge, n_requests, context
):
    page = open_judge(before=failing(n_requests, n_failures=99))
    wait_for_tries(page, n_requests, n=2)
    expect(page.locator("#document .broken:not(.is-trying)")).to_be_visible()
    page.route("**/judge/token", lambda route: route.abort())
    page.keyboard.press("b")
    expect(page.locator(".is-passing")).to_contain_text(
        "Nothing is reported: the server cannot be reached"
    )
    page.unroute(MEDIA)
    page.route(MEDIA, lambda route: route.fulfill(status=503))
    page.unroute("**/judge/token")
    page.keyboard.press("b")
    expect(page.locator(".is-passing")).to_contain_text(
        "Nothing is reported: the server cannot give this file"
    )
    page.unroute(MEDIA)
    page.route(MEDIA, lambda route: route.fulfill(status=404))
    signed_in = context.cookies()
    context.clear_cookies()
    page.keyboard.press("b")
    expect(page.locator("#dialog-signin")).to_be_visible()
    assert not Report.objects.exists()
    context.add_cookies(signed_in)
    page.locator("#signin-again").click()
    expect(page.locator("#dialog-signin")).to_be_hidden()
    page.keyboard.press("b")
    wait_for_condition(page, lambda: Report.objects.count() == 1)
