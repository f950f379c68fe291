"""The lead's inbox in a real browser: decided by keyboard alone, and open to everybody."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Batch, Gold, Level, Report, Resolution, ReviewAction, Seat
from tests import cast
from tests.addresses.page_checks import violations
from tests.annotate.views.review.inbox_rows import dispute, fail_batch, report
from tests.browsing import wait_for_expression

pytestmark = pytest.mark.django_db(transaction=True)
BEYOND_TILES = """() => [...document.querySelectorAll(".tile .badge")].filter((badge) =>
  badge.getBoundingClientRect().right > badge.closest(".tile").getBoundingClientRect().right
).map((badge) => badge.textContent)"""


@pytest.fixture
def collection():
    collection = cast.collection(
        "birds",
        grades=3,
        positive_from=2,
        labels_per_pair=2,
        ceiling=2,
        gold_positives=0,
        gold_negatives=0,
        batch_candidates=20,
    )
    dispute(collection, 2)
    fail_batch(collection)
    report(collection, "cannot_judge", n_people=2)
    report(collection, "escalated")
    return collection


@pytest.fixture
def desk(collection, lead, page: Page, live_server):
    """The inbox as a lead opens it; in the end the browser has not complained or left the host."""
    complaints: list[str] = []
    cast.sign_in(page.context, live_server.url, lead)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on(
        "request",
        lambda request: request.url.startswith(live_server.url) or complaints.append(request.url),
    )
    page.goto(f"{live_server.url}/c/birds/inbox/?tab=disputed")
    yield page
    assert complaints == []


def test_disputes_are_decided_by_keyboard_one_after_the_other(collection, desk):
    desk.get_by_role("link", name="Decide about").first.focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Decide about a pair")).to_be_visible()
    desk.wait_for_load_state()  # the keys are there once the page's script has run
    desk.keyboard.press("n")
    desk.keyboard.type("2 wings")  # keys are off while typing
    desk.keyboard.press("Escape")
    for left in range(Resolution.objects.filter(status="disputed").count() - 1, -1, -1):
        with desk.expect_navigation():
            desk.keyboard.press("0" if ReviewAction.objects.exists() else "2")
        assert Resolution.objects.filter(status="disputed").count() == left
    expect(desk.get_by_text("Nothing is disputed")).to_be_visible()
    expect(desk.get_by_text("Grade 0 decides")).to_be_visible()
    assert set(Resolution.objects.filter(status="adjudicated").values_list("grade", flat=True)) == {
        0,
        2,
    }
    assert ReviewAction.objects.exclude(reason="").get().reason == "2 wings"


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), pytest.param("dark", 390, marks=pytest.mark.full)]
)
def test_no_page_of_the_room_has_an_accessibility_finding(
    collection, desk, live_server, scheme, width
):
    desk.set_viewport_size({"width": width, "height": 844})
    desk.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    pair = Report.objects.filter(kind="escalated").get().pair_id
    batch = collection.batches.exclude(gold_action="").get()
    paths = [
        *(f"inbox/?tab={tab}" for tab in ("batches", "disputed", "escalated", "cannot", "golds")),
        f"inbox/pairs/{pair}/",
        f"inbox/batches/{batch.pk}/",
        f"judging/pairs/{pair}/",
        "inbox/log/",
        f"people/{batch.annotator_id}/?since=2026-01-01T00:00",
    ]
    findings = {}
    for path in paths:
        desk.goto(f"{live_server.url}/c/birds/{path}")
        findings[path] = violations(desk)
        assert desk.evaluate("document.documentElement.scrollWidth") <= width, path
    assert {path: page_findings for path, page_findings in findings.items() if page_findings} == {}


def test_a_batch_is_gone_through_by_arrows_and_a_pair_enlarged(collection, desk, live_server):
    batch = Batch.objects.filter(gold_action="warn").get()
    desk.goto(f"{live_server.url}/c/birds/inbox/batches/{batch.pk}/")
    desk.wait_for_load_state()  # the keys are there once the page's script has run
    first, second = desk.locator("[data-open]").all()
    first.focus()
    desk.keyboard.press("ArrowRight")
    expect(second).to_be_focused()
    desk.keyboard.press("ArrowRight")  # there is none behind the last
    desk.keyboard.press("Space")
    dialog = desk.get_by_role("dialog", name="Pair 2, ")
    expect(dialog.get_by_text("text of ")).to_have_count(2)
    desk.keyboard.press("ArrowLeft")
    expect(desk.get_by_role("dialog", name="Pair 1, ")).to_be_visible()
    assert violations(desk) == []
    desk.keyboard.press("Escape")
    expect(first).to_be_focused()
    expect(desk.get_by_role("dialog")).to_have_count(0)


def test_a_pair_of_a_batch_is_a_button_and_a_link_for_another_window(collection, desk, live_server):
    batch = Batch.objects.filter(gold_action="warn").get()
    desk.goto(f"{live_server.url}/c/birds/inbox/batches/{batch.pk}/")
    desk.wait_for_load_state()
    tile = desk.get_by_role("button", name="Pair 1, ")
    dialog = desk.get_by_role("dialog", name="Pair 1, ")
    pair = batch.hand_outs.get(position=1).seat.pair_id
    for act in (
        lambda: tile.click(modifiers=["ControlOrMeta"]),
        lambda: tile.click(button="middle"),
        lambda: tile.press("ControlOrMeta+Enter"),
    ):
        with desk.context.expect_page() as other:
            act()
        expect(other.value).to_have_url(f"{live_server.url}/c/birds/inbox/pairs/{pair}/")
        other.value.close()
        expect(dialog).to_have_count(0)
    desk.set_viewport_size({"width": 390, "height": 300})
    tile.focus()
    top = desk.evaluate("scrollY")
    desk.keyboard.down("Space")
    expect(dialog).to_have_count(0)
    desk.keyboard.up("Space")
    expect(dialog).to_be_visible()
    assert desk.evaluate("scrollY") == top
    desk.keyboard.press("Escape")
    expect(tile).to_be_focused()
    desk.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    assert f"/batches/{batch.pk}/" in desk.url


def test_a_pair_of_a_batch_leads_to_its_page_where_scripts_are_off(
    collection, desk, live_server, new_context
):
    batch = Batch.objects.filter(gold_action="warn").get()
    context = new_context(java_script_enabled=False, storage_state=desk.context.storage_state())
    page = context.new_page()
    page.goto(f"{live_server.url}/c/birds/inbox/batches/{batch.pk}/")
    page.get_by_role("link", name="Pair 1, ").click()
    pair = batch.hand_outs.get(position=1).seat.pair
    expect(page).to_have_url(f"{live_server.url}/c/birds/inbox/pairs/{pair.pk}/")
    for item in (pair.query, pair.document):
        expect(
            page.locator(".review-items").get_by_text(f"text of {item.external_id}")
        ).to_be_visible()


def test_what_a_tile_of_a_batch_says_of_a_gold_is_within_it(collection, desk, live_server):
    Level.objects.filter(collection=collection).update(name="Something of it, though not all")
    batch = Batch.objects.filter(gold_action="warn").get()
    seats = Seat.objects.filter(hand_outs__batch=batch)
    seats.update(purpose=Seat.Purpose.GOLD)
    golds = [
        Gold(
            collection=collection,
            pair_id=seat.pair_id,
            grade=0,
            is_positive=False,
            origin=Gold.Origin.CURATED,
        )
        for seat in seats
    ]
    Gold.objects.bulk_create(golds)
    desk.goto(f"{live_server.url}/c/birds/inbox/batches/{batch.pk}/")
    expect(desk.locator(".tile .badge", has_text="gold: ")).to_have_count(2)
    for width in (1280, 768, 390, 320):
        desk.set_viewport_size({"width": width, "height": 800})
        wait_for_expression(desk, f"innerWidth === {width}")
        assert desk.evaluate(BEYOND_TILES) == []


def test_an_enlarged_pair_is_turned_by_touch(collection, desk, live_server):
    desk.set_viewport_size({"width": 390, "height": 844})
    batch = Batch.objects.filter(gold_action="warn").get()
    desk.goto(f"{live_server.url}/c/birds/inbox/batches/{batch.pk}/")
    desk.wait_for_load_state()
    desk.locator("[data-open]").first.click()
    before, after = (
        desk.get_by_role("button", name=name, exact=True)
        for name in ("The pair before", "The next pair")
    )
    for button in (before, after):
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 48
    expect(before).to_have_attribute("aria-disabled", "true")
    after.click()
    expect(desk.get_by_role("dialog", name="Pair 2, ")).to_be_visible()
    expect(after).to_have_attribute("aria-disabled", "true")
    expect(after).to_be_focused()
    after.click(force=True)  # none is behind the last
    expect(desk.get_by_role("dialog", name="Pair 2, ")).to_be_visible()
    assert violations(desk) == []
    before.click()
    expect(desk.get_by_role("dialog", name="Pair 1, ")).to_be_visible()
