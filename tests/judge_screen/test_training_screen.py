"""The training screen in a real browser: judge screen keys, and feedback after each answer."""

import pytest
from playwright.sync_api import expect

from annotate.models import Guidelines, Item, Judgment, Part, Report, TrainingTry
from annotate.services.training import tries as training
from tests.addresses.page_checks import PHONE, low_targets, violations
from tests.annotate.trainees import right_grade, trained, waiting
from tests.browsing import awaiting_levels, pass_time, with_long_timeout

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def collection():
    collection = trained(grades=(2, 0, 1))
    Guidelines.objects.create(
        collection=collection, version=2, markdown="# How to judge\n\n## Colours\n\nThey count."
    )
    return collection


@pytest.fixture
def page(frozen_pages, context, live_server, annotator, sign_in):
    """The screen of a training try; errors and requests to other hosts fail the test."""
    complaints = []
    sign_in(annotator.user)
    page = awaiting_levels(context.new_page(), is_clock_stopped=True)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda line: complaints.append(line.text) if "Content Security" in line.text else None,
    )
    page.on(
        "request",
        lambda request: request.url.startswith(live_server.url) or complaints.append(request.url),
    )
    page.goto(f"{live_server.url}/c/birds/judge/")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#progress-text")).to_have_text("1 of 3")
    yield page
    assert complaints == []


def press(page, annotator, *, is_right):
    """Answer the card on screen by key, after a second."""
    pass_time(page, 1)
    right = right_grade(waiting(annotator)[0])
    page.keyboard.press(str(right if is_right else (right + 1) % 3))
    expect(page.locator("#told-title")).to_have_text("Right" if is_right else "Not quite")


def test_a_try_is_gone_through_with_the_keyboard_alone(page, annotator):
    for number in (1, 2, 3):
        expect(page.locator("#progress-text")).to_have_text(f"{number} of 3")
        press(page, annotator, is_right=True)
        expect(page.locator("#told-next")).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_text("You passed with 3 of 3 right")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Judge").click()
    expect(page.locator("#progress-text")).to_contain_text("Batch")
    assert TrainingTry.objects.get().passed
    assert list(Judgment.objects.values_list("active_ms", flat=True)) == [1000] * 3


def test_a_judgment_keeps_the_guidelines_that_its_page_showed(page, annotator, collection):
    Guidelines.objects.create(collection=collection, version=3, markdown="# Otherwise")
    press(page, annotator, is_right=True)
    assert Judgment.objects.get().guidelines.version == 2


def test_a_wrong_answer_is_told_in_a_live_region_with_the_paragraph_and_cannot_be_mended(
    page, annotator
):
    press(page, annotator, is_right=False)
    feedback = page.locator("#told")
    assert feedback.get_attribute("aria-live") == "polite"
    expect(feedback).to_contain_text("you said")
    expect(feedback).to_contain_text("reason")
    page.keyboard.press("2")
    page.keyboard.press("0")
    page.get_by_role("button", name="Guidelines: Colours").click()
    expect(page.locator("#guidelines #g-colours")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#told-next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#progress-text")).to_have_text("2 of 3")
    assert Judgment.objects.count() == 1


def test_an_answer_whose_acknowledgement_is_lost_is_stored_once_and_told(page, annotator):
    lost = []

    def lose_the_first(route):
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().status)
            route.abort()

    page.route("**/pairs/answer", lose_the_first)
    right = right_grade(waiting(annotator)[0])
    page.keyboard.press(str(right))
    expect(page.locator("#saved")).to_have_text("Not saved - will retry")
    pass_time(page, 3)
    expect(page.locator("#told-title")).to_have_text("Right")
    assert lost == [200]
    assert Judgment.objects.count() == 1


def test_a_pair_left_out_is_reported_and_the_next_one_comes(page, annotator):
    page.keyboard.press("x")
    page.get_by_label("What is wrong with it?").fill("It does not load.")
    page.get_by_role("button", name="Leave it out").click()
    expect(page.locator("#progress-text")).to_have_text("2 of 3")
    assert Report.objects.get().note == "It does not load."
    assert len(training.waiting_hand_outs(annotator=annotator)) == 2


@pytest.mark.parametrize(
    ("width", "height", "scheme"),
    [(1280, 800, "light"), pytest.param(390, 844, "dark", marks=pytest.mark.full)],
)
def test_the_screen_has_no_accessibility_finding(page, annotator, width, height, scheme):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.clock.resume()
    assert violations(page) == []
    press(page, annotator, is_right=False)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_whatever_is_pressed_is_48_pixels_high_under_a_finger(page, annotator, new_context):
    screen = with_long_timeout(
        new_context(**PHONE, storage_state=page.context.storage_state())
    ).new_page()
    awaiting_levels(screen).goto(page.url)
    expect(screen.locator("#progress-text")).to_have_text("1 of 3")
    assert low_targets(screen) == []
    press(screen, annotator, is_right=False)
    expect(screen.locator("#told-next")).to_be_visible()
    assert low_targets(screen) == []


def test_a_clip_that_cannot_play_is_left_out_with_what_it_is_as_the_note(
    collection, request, annotator
):
    items = Item.objects.filter(collection=collection, side="document")
    Part.objects.filter(item__in=items).delete()
    mime = 'video/ogg; codecs="theora"'
    Part.objects.bulk_create(
        Part(item=item, position=0, kind="video", path="a.ogv", type=mime) for item in items
    )
    page = request.getfixturevalue("page")
    box = page.locator("#document .unplayable")
    expect(box).to_contain_text("This browser cannot play this clip (Ogg, Theora).")
    expect(box).to_contain_text("Leave it out; it is left out of the mark too.")
    box.get_by_role("button", name="Leave it out").click()
    expect(page.locator("#cannot-note")).to_have_value("This browser cannot play it (Ogg, Theora).")
    page.locator("#dialog-cannot").get_by_role("button", name="Leave it out").click()
    expect(page.locator("#progress-text")).to_have_text("2 of 3")
    report = Report.objects.get()
    assert (report.kind, report.note) == (
        "cannot_judge",
        "This browser cannot play it (Ogg, Theora).",
    )
