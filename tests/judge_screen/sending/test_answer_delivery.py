"""Every answer arrives exactly once, whatever happens; the screen never waits for it."""

import datetime as dt

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotate.models import Judgment, Seat, User
from tests.browsing import wait_for_condition, wait_until_levels_awake
from tests.judge_screen.screen import (
    N_PAIRS,
    expect_position,
    expect_saved,
    stored_grades,
    wait_for_requests,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.usefixtures("frozen_pages")
def test_a_server_that_answers_with_an_error_is_asked_again(open_judge):
    page = open_judge()
    states, requests = [503, 502, 429], []

    def fail(route):
        requests.append(route)
        if states:
            route.fulfill(status=states.pop(0), headers={"Retry-After": "1"}, body="<h1>down</h1>")
        else:
            route.continue_()

    page.route("**/judge/answer", fail)
    page.keyboard.press("2")
    expect_position(page, 2)
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (1 waiting)")
    page.keyboard.press("0")
    wait_for_requests(page, requests, 4)
    expect_saved(page)
    assert (states, stored_grades()) == ([], [2, 0])


def test_a_csrf_token_that_was_changed_meanwhile_is_fetched_anew(open_judge, sign_in, person):
    page = open_judge()
    sign_in(person)  # in another tab: a new session with a token of its own
    page.context.clear_cookies(name="csrftoken")
    page.keyboard.press("2")
    expect_saved(page)
    expect_position(page, 2)
    assert stored_grades() == [2]


def test_somebody_elses_session_sends_nobodys_answers(open_judge, sign_in, collection, person):
    page = open_judge()
    other = User.objects.create(username="other")
    sign_in(other)
    page.context.clear_cookies(name="csrftoken")
    page.keyboard.press("2")
    expect(page.locator("#dialog-signin")).to_be_visible()
    assert stored_grades() == []
    sign_in(person)
    page.get_by_role("button", name="I have signed in").click()
    expect_saved(page)
    assert stored_grades() == [2]


def test_an_answer_that_comes_after_its_lease_counts_if_the_seat_is_still_free(open_judge):
    page = open_judge()
    Seat.objects.filter(state="held").update(leased_until=timezone.now() - dt.timedelta(hours=9))
    page.keyboard.press("2")
    expect_saved(page)
    stored = Judgment.objects.get()
    assert stored.seat.state == "done"


def test_one_judgment_is_one_request_and_brings_the_next_card(open_judge):
    page = open_judge()
    expect_position(page, 1)
    requests = []

    def hear(request):
        if request.resource_type in ("fetch", "xhr"):  # not pictures and fonts, which may come late
            requests.append((request.method, request.url.rpartition("/")[2]))

    page.on("request", hear)
    for number, key in enumerate("2020", start=1):
        expect_position(page, number)
        page.keyboard.press(key)
        expect_saved(page)
    expect_position(page, N_PAIRS)
    assert requests == [("POST", "answer")] * 4


def test_the_next_card_is_on_screen_before_the_next_frame_whatever_the_network_does(open_judge):
    page = open_judge()
    held_routes, is_holding = [], True

    def hold(route):
        if is_holding:
            held_routes.append(route)
        else:
            route.continue_()

    page.route("**/judge/answer", hold)
    for _ in range(2):
        wait_until_levels_awake(page)
        assert page.evaluate("""() => {
            const before = document.querySelector("#document").innerText;
            document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "2", bubbles: true}));
            return document.querySelector("#document").innerText !== before;
        }""")
    expect_position(page, 3)
    wait_for_condition(page, lambda: held_routes)
    is_holding = False
    held_routes[0].continue_()
    expect_saved(page)
    assert stored_grades() == [2, 2]


@pytest.mark.heavy
def test_the_next_card_is_drawn_within_a_twentieth_of_a_second(open_judge):
    page = open_judge()
    page.wait_for_load_state("networkidle")
    times = page.evaluate("""async () => {
        const times = [];
        for (let number = 0; number < 4; number += 1) {
            await new Promise(requestAnimationFrame);
            const begun = performance.now();
            document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "2", bubbles: true}));
            await new Promise(requestAnimationFrame);
            times.push(performance.now() - begun);
            await new Promise((done) => setTimeout(done, 400));
        }
        return times;
    }""")
    print("next card drawn after", [round(time, 1) for time in times], "ms")
    assert sorted(times)[1] < 50


@pytest.mark.usefixtures("frozen_pages")
def test_a_laptop_that_slept_sends_what_waited_and_counts_no_sleep(open_judge):
    page = open_judge()
    page.route("**/judge/answer", lambda route: route.abort())
    page.keyboard.press("2")
    expect(page.locator("#saved")).to_have_text("Not saved - will retry (1 waiting)")
    page.unroute("**/judge/answer")
    page.clock.fast_forward("08:00:00")  # timers fire once, late
    expect_saved(page)
    page.keyboard.press("0")
    expect_saved(page)
    assert stored_grades() == [2, 0]
    before, after = Judgment.objects.order_by("pk").values_list("active_ms", flat=True)
    assert before < 1_000 and after == 30_000  # the first: time to the key
