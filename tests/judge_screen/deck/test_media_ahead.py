"""Media of the next two cards are loaded ahead, as far as they fit into a budget together."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from annotate.models import Annotator, Collection, HandOut, Part
from annotate.services.judging import claiming
from tests.browsing import wait_for_condition
from tests.judge_screen.screen import (
    expect_saved,
    image,
    is_medium,
    open_documents,
    open_queries,
    video,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
BUDGET = 20_000_000
NAMES = ("s001.webp", "s002.webp", "s003.webp", "s006.webp")


def in_turn(annotator: Annotator) -> list[HandOut]:
    """The annotator's hand-outs, in the order in which she will get their cards."""
    claiming.current_batch(annotator=annotator)
    return list(claiming.open_hand_outs(annotator=annotator))


def enlarge(medium: Part, n_bytes: int) -> None:
    """Let a medium's file be this large; browsers pass over what follows the picture."""
    folder = Path(settings.MEDIA_ROOT) / "collections" / medium.item.collection.slug
    with (folder / medium.path).open("r+b") as stream:
        stream.truncate(n_bytes)


def addresses(media: Sequence[Part]) -> set[str]:
    """The paths of these media on the site."""
    return {reverse("annotate:part-media", args=["birds", medium.pk]) for medium in media}


@pytest.fixture
def loads() -> set[str]:
    """The paths of the media that the browser has asked for."""
    return set()


@pytest.fixture
def open_watched(open_judge: Callable, live_server: object, loads: set[str]) -> Callable:
    """Function that opens the judge screen and notes in `loads` what it asks for."""

    def note(url: str) -> None:
        if is_medium(url):
            loads.add(url.removeprefix(live_server.url))

    return lambda: open_judge(
        before=lambda page: page.on("request", lambda request: note(request.url))
    )


@pytest.fixture
def pictures(collection: Collection, annotator: Annotator) -> list[Part]:
    """Four pictures, in the order in which their cards come."""
    open_documents(collection, *(image(collection, name) for name in NAMES))
    return [hand_out.seat.pair.document.parts.get() for hand_out in in_turn(annotator)]


def expect_loads(page: Page, loads: set[str], media: Sequence[Part]) -> None:
    """Wait until these media were asked for and all that was asked for is there; no other was."""
    wait_for_condition(page, lambda: loads >= addresses(media))
    page.wait_for_load_state("networkidle")
    assert loads == addresses(media)


def answer(page: Page) -> None:
    """Answer the card on screen once its picture was seen."""
    page.keyboard.press("2")
    expect_saved(page)


def test_the_media_of_two_cards_are_loaded_ahead_and_no_more(open_watched, pictures, loads):
    page = open_watched()
    expect_loads(page, loads, pictures[:3])
    answer(page)
    expect_loads(page, loads, pictures)


@pytest.mark.parametrize(
    ("sizes", "ahead"),
    [
        pytest.param((BUDGET + 1, None), [2], id="a large one is left out, the next is not"),
        pytest.param((12_000_000, 12_000_000), [1], id="both beyond the budget together"),
        pytest.param((10_000_000, 10_000_000), [1, 2], id="both just within it"),
    ],
)
def test_what_is_over_the_budget_loads_when_it_becomes_the_card(
    open_watched, pictures, loads, sizes, ahead
):
    for medium, n_bytes in zip(pictures[1:], sizes, strict=False):
        if n_bytes:
            enlarge(medium, n_bytes)
    page = open_watched()
    expect_loads(page, loads, [pictures[0], *(pictures[index] for index in ahead)])
    answer(page)
    wait_for_condition(page, lambda: addresses([pictures[1]]) <= loads)
    answer(page)  # its levels awake, so its picture is there
    wait_for_condition(page, lambda: addresses(pictures[:3]) <= loads)


def test_a_large_query_is_not_loaded_ahead_either(open_watched, collection, annotator, loads):
    open_queries(collection, *(image(collection, name) for name in NAMES[:3]))
    queries = [hand_out.seat.pair.query.parts.get() for hand_out in in_turn(annotator)]
    enlarge(queries[1], BUDGET + 1)
    page = open_watched()
    expect_loads(page, loads, [queries[0], queries[2]])
    answer(page)
    wait_for_condition(page, lambda: addresses(queries) <= loads)


def hide_sizes(route: Route) -> None:
    """Give the cards without the sizes of their media, as of those at addresses elsewhere."""
    data = route.fetch().json()
    for card in data["cards"]:
        for part in card["document"]["parts"]:
            part["n_bytes"] = None
    route.fulfill(json=data)


def test_a_picture_of_unknown_size_is_loaded_with_its_card(open_judge, pictures, live_server):
    loads = set[str]()

    def before(page):
        page.route("**/judge/next", hide_sizes)
        page.on("request", lambda request: loads.add(request.url.removeprefix(live_server.url)))

    page = open_judge(before=before)
    for n_shown in (1, 2, 3):
        wait_for_condition(page, lambda: addresses([pictures[n_shown - 1]]) <= loads)  # noqa: B023
        page.wait_for_load_state("networkidle")
        assert {url for url in loads if is_medium(url)} == addresses(pictures[:n_shown])
        expect(page.locator("#document img")).to_have_js_property("complete", True)
        answer(page)


def test_of_a_clip_of_unknown_size_the_beginning_alone_is_loaded_ahead(
    open_judge, collection, annotator
):
    open_documents(collection, *(video(collection, f"s{number:03}.webm") for number in (4, 11)))
    in_turn(annotator)

    note_preloads = """window.preloads = [];
        const { set } = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "preload");
        Object.defineProperty(HTMLMediaElement.prototype, "preload", {
            set(value) { window.preloads.push(value); set.call(this, value); } });"""

    def before(page):
        page.add_init_script(note_preloads)
        page.route("**/judge/next", hide_sizes)

    page = open_judge(before=before)
    expect(page.locator("#document video")).to_have_attribute("preload", "auto")
    wait_for_condition(page, lambda: "metadata" in page.evaluate("window.preloads"))
    answer(page)
    expect(page.locator("#document video")).to_have_attribute("preload", "auto")
