"""Accessibility: keyboard alone, screen readers, touch, large print, no motion, light and dark."""

import pytest
from playwright.sync_api import expect

from annotate.models import Level
from tests import cast
from tests.addresses.page_checks import PHONE, low_targets, violations
from tests.browsing import wait_for_condition, wait_until_levels_awake, with_long_timeout
from tests.judge_screen.screen import (
    PAGE,
    expect_position,
    expect_saved,
    image,
    open_documents,
    put_file,
    recording,
    video,
    wait_for_frames,
)

pytestmark = pytest.mark.django_db(transaction=True)


def assert_accessible(page, state):
    assert (state, violations(page)) == (state, [])
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, state


def check_all_states(page):
    """Go through the screen's states by key, checking each."""
    for key, state in (
        ("g", "at rest"),
        ("Escape", "guidelines"),
        ("1", "at rest again"),
        ("a", "reasons"),
        ("Escape", "details"),
        ("x", "without reasons"),
        ("Escape", "cannot judge"),
        ("e", "back"),
        ("Escape", "escalate"),
        ("?", "back"),
        ("Escape", "keys"),
        ("r", "back"),
        ("Escape", "last judgments"),
    ):
        assert_accessible(page, state)
        page.keyboard.press(key)


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.full)]
)
def test_no_state_of_the_screen_has_an_accessibility_finding(collection, open_judge, width, scheme):
    reasons = [{"name": "does not match", "what": ["quantity", "colour"]}, "too general"]
    Level.objects.filter(collection=collection, grade=1).update(reasons=reasons)
    page = open_judge()
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    check_all_states(page)
    for number in range(1, 6):
        expect_position(page, number)
        page.keyboard.press("2")
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    assert_accessible(page, "nothing left")


@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1280, "dark", marks=pytest.mark.full), (390, "light")]
)
def test_media_have_no_accessibility_finding(collection, open_judge, media_root, width, scheme):
    documents = [
        image(collection),
        video(collection),
        recording(collection),
        {"kind": "html", "text": PAGE},
        {"kind": "image", "path": put_file(collection, "bad.png", b"no picture")},
    ]
    open_documents(collection, *documents)
    page = open_judge()
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    asleep, given_up = (
        page.locator("#judge.is-asleep"),
        page.locator("#document .broken:not(.is-trying)"),
    )
    for number in range(1, 6):
        expect_position(page, number)
        page.keyboard.press("+")
        wait_for_condition(page, lambda: given_up.count() or not asleep.count())
        assert_accessible(page, page.locator("#document").inner_html()[:80])
        page.keyboard.press("b" if given_up.count() else "2")
    expect_saved(page)


def test_the_answers_are_one_stop_of_the_tab_key_and_arrows_walk_through_them(open_judge):
    page = open_judge()
    focused = "document.activeElement.dataset.grade ?? document.activeElement.id"
    assert page.evaluate(focused) == "card"  # where a screen reader begins
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "2"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "0"
    expect_position(page, 1)  # walking gives no answer
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.action") == "undo"
    page.keyboard.press("Shift+Tab")
    wait_until_levels_awake(page)
    page.keyboard.press("Space")
    expect_position(page, 2)
    expect_saved(page)
    assert page.evaluate(focused) == "card"
    stops = page.locator(".level").evaluate_all("(all) => all.map((one) => one.tabIndex)")
    assert stops == [0, -1, -1]


def test_a_screen_reader_hears_the_card_the_answers_and_trouble_in_this_order(open_judge, context):
    page = open_judge()
    snapshot = page.locator("#judge").aria_snapshot()
    order = [
        snapshot.index(words)
        for words in ("Query", "Document, 1 of 5", "How relevant is it", "Undo", "Comment")
    ]
    assert order == sorted(order)
    assert snapshot.count('- radio "') == 3
    context.set_offline(True)
    page.keyboard.press("2")
    expect(page.locator("#live")).to_have_text("Not saved - will retry (1 waiting)")
    context.set_offline(False)
    expect(page.locator("#live")).to_have_text("Saved")


@pytest.mark.usefixtures("frozen_pages")
def test_nothing_plays_or_moves_by_itself_for_who_asked_for_stillness(
    collection, open_judge, media_root
):
    open_documents(collection, video(collection))
    page = open_judge(before=lambda page: page.emulate_media(reduced_motion="reduce"))
    wait_for_frames(page)
    assert page.evaluate("document.querySelector('#document video').paused")
    page.keyboard.press("g")
    moving = (
        "document.getAnimations()"
        ".filter((one) => one.effect.getComputedTiming().duration > 10).length"
    )
    assert page.evaluate(moving) == 0


def test_the_screen_works_at_twice_the_size(open_judge):
    page = open_judge()
    page.set_viewport_size({"width": 640, "height": 400})  # 1280 by 800 at 200 %
    for level in page.locator(".level").all():
        level.scroll_into_view_if_needed()
        expect(level).to_be_in_viewport(ratio=0.9)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.get_by_role("radio", name="Level 2").click()
    expect_position(page, 2)
    expect_saved(page)


def test_every_answer_is_a_48_pixel_target_on_a_phone(new_context, live_server, collection, person):
    Level.objects.filter(collection=collection, grade=1).update(
        reasons=[{"name": "does not match", "what": ["colour"]}]
    )
    phone = with_long_timeout(new_context(**PHONE))
    cast.sign_in(phone, live_server.url, person)
    page = phone.new_page()
    page.goto(f"{live_server.url}/c/birds/judge/")
    expect(page.locator(".level").first).to_be_in_viewport()
    targets = page.locator(".level, .action:visible")
    assert min(box["height"] for box in (target.bounding_box() for target in targets.all())) >= 48
    page.get_by_role("radio", name="Level 1").tap()
    page.get_by_role("button", name="does not match").tap()
    chips = page.locator(".chip:visible, #reasons-save")
    assert min(box["height"] for box in (chip.bounding_box() for chip in chips.all())) >= 48
    page.get_by_role("button", name="colour").tap()
    page.locator("#reasons-save").tap()
    expect_saved(page)
    expect_position(page, 2)
    for drawer in ("Guidelines", "Last 20", "Keys"):
        page.get_by_role("button", name=drawer, exact=True).tap()
        expect(page.locator("dialog[open]")).not_to_contain_text("Loading…")
        assert (drawer, low_targets(page)) == (drawer, [])
        page.get_by_role("button", name="Close").tap()
