"""Clips that a browser cannot play: notice, passing on, other sources; trouble after loading."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotate.models import HandOut, Judgment, Report, Seat
from annotate.services.judging import claiming
from annotate.services.review import inbox
from tests import cast, clips
from tests.browsing import pass_time, wait_for_condition, wait_for_expression
from tests.judge_screen.screen import (
    MEDIA,
    expect_saved,
    is_medium,
    open_documents,
    put_file,
    recording,
    shape,
    video,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
THEORA = 'video/ogg; codecs="theora, vorbis"'
READY = "document.querySelector('#document video')?.readyState > 1"
# Records whether the box about failed loading was ever there, even for a moment.
WATCH_FOR_BOXES = """new MutationObserver((changes) => {
    const isBroken = (node) => node.matches(".broken") || node.querySelector(".broken");
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    if (added.some((node) => node.nodeType === 1 && isBroken(node))) window.sawBroken = true;
}).observe(document, { childList: true, subtree: true });"""


def theora(collection, *also):
    """A Theora clip, which no browser of today plays, perhaps with further sources."""
    path = put_file(collection, "old.ogv", clips.theora())
    return {"kind": "video", "path": path, "type": THEORA, "also": list(also)}


def webm(collection, name="s004.webm", mime='video/webm; codecs="vp9"'):
    return {"path": shape(collection, name), "type": mime}


def test_a_clip_that_cannot_play_is_told_and_passed_on_with_one_key_and_another_person_gets_it(
    collection, open_judge, annotator
):
    pairs = open_documents(collection, theora(collection), theora(collection))
    requested_urls = []
    page = open_judge(
        before=lambda page: page.on("request", lambda request: requested_urls.append(request.url))
    )
    box = page.locator("#document .unplayable")
    expect(box).to_contain_text("This browser cannot play this clip (Ogg, Theora, Vorbis).")
    expect(box).to_contain_text("It goes to other people; you lose nothing.")
    expect(page.locator("#judge")).to_contain_class("is-asleep")  # no label for an unseen clip
    page.keyboard.press("b")
    expect_saved(page)
    expect(page.locator("#progress-text")).to_contain_text("2 of 2")
    box.get_by_role("button", name="Go on").click()
    expect(page.locator("#empty-title")).to_be_visible()
    expect_saved(page)
    assert not [address for address in requested_urls if is_medium(address)]
    rows = Report.objects.values_list("kind", "reason", "state").distinct()
    assert list(rows) == [("unplayable", "Ogg, Theora, Vorbis", "open")]
    assert set(Seat.objects.filter(pair__in=pairs).values_list("state", flat=True)) == {"free"}
    assert (Judgment.objects.count(), inbox.count(collection=collection).n) == (0, 0)
    other = cast.annotator(collection)
    claiming.current_batch(annotator=other)
    assert {hand_out.seat.pair for hand_out in claiming.open_hand_outs(annotator=other)} == set(
        pairs
    )


def test_a_pair_passed_on_is_back_after_an_undo(collection, open_judge):
    open_documents(collection, theora(collection), video(collection))
    page = open_judge()
    if not page.locator("#document .unplayable").count():
        page.keyboard.press("2")
    expect(page.locator("#document .unplayable")).to_be_visible()
    page.keyboard.press("b")
    expect_saved(page)
    assert Report.objects.open().count() == 1
    page.keyboard.press("z")
    expect(page.locator("#document .unplayable")).to_be_visible()
    expect_saved(page)
    assert (Report.objects.get().state, HandOut.objects.filter(answered_at=None).exists()) == (
        "undone",
        True,
    )


def test_where_the_first_source_cannot_play_the_second_does(collection, open_judge):
    open_documents(collection, theora(collection, webm(collection)))
    page = open_judge()
    wait_for_expression(page, READY)
    assert page.locator("#document video").get_attribute("src").endswith("/1/#t=0.001")
    page.keyboard.press("2")
    expect_saved(page)
    assert (Judgment.objects.count(), Report.objects.count()) == (1, 0)


def test_a_source_that_fails_gives_way_to_the_next_and_only_the_last_did_not_load(
    collection, open_judge
):
    first = {
        "kind": "video",
        "path": put_file(collection, "broken.webm", b"no clip"),
        "also": [webm(collection)],
    }
    open_documents(collection, first)
    page = open_judge(before=lambda page: page.add_init_script(WATCH_FOR_BOXES))
    wait_for_expression(page, READY)
    assert page.evaluate("window.sawBroken") is None
    page.keyboard.press("2")
    expect_saved(page)
    assert Judgment.objects.count() == 1


@pytest.mark.usefixtures("frozen_pages")
def test_what_the_server_gives_and_the_browser_cannot_play_is_passed_on_after_another_try(
    collection, open_judge
):
    open_documents(
        collection, {"kind": "video", "path": put_file(collection, "broken.webm", b"no clip")}
    )
    page = open_judge()
    expect(page.locator("#document .broken [data-what]")).to_have_text(
        "This clip did not load. Trying again…"
    )
    pass_time(page, 2)
    why = page.locator("#document .unplayable [data-what]")
    expect(why).to_have_text("This browser cannot play this clip (WebM).")
    page.get_by_role("button", name="Try anyway").click()
    expect(why).to_have_text("Tried: this browser cannot play this clip (WebM).")
    expect(page.get_by_role("button", name="Try anyway")).to_be_hidden()
    page.keyboard.press("b")
    expect(page.locator("#empty-title")).to_be_visible()
    expect_saved(page)
    assert Report.objects.get().kind == "unplayable"


@pytest.mark.usefixtures("frozen_pages")
@pytest.mark.parametrize(
    "away", [(1, 2), (1, 2, 4)], ids=["before it is asked", "and after it was"]
)
def test_a_clip_whose_server_was_away_plays_once_it_is_back(away, collection, open_judge):
    """The server is back when the page checks whether it gives the file."""
    open_documents(collection, video(collection))
    requested_urls = []

    def answer(route):
        requested_urls.append(route.request.url)
        if len(requested_urls) in away:
            route.fulfill(status=503)
        else:
            route.continue_()

    page = open_judge(before=lambda page: page.route(MEDIA, answer))
    expect(page.locator("#document .broken [data-what]")).to_have_text(
        "This clip did not load. Trying again…"
    )
    wait_for_condition(page, lambda: page.evaluate(READY) or pass_time(page, 1))
    expect(page.locator("#document .unplayable")).to_have_count(0)


@pytest.mark.usefixtures("frozen_pages")
@pytest.mark.parametrize(
    ("content", "mime", "words"),
    [
        (b"<h1>Not found</h1>", "", "This file could not be read as a clip."),
        (b"RIFF", "video/x-msvideo", "This clip plays in no browser (AVI)."),
    ],
)
def test_what_no_browser_would_play_is_reported_to_the_lead(
    content, mime, words, collection, open_judge
):
    path = put_file(collection, "broken.mp4", content)
    open_documents(
        collection, {"kind": "video", "path": path, "type": mime, "looked_at": timezone.now()}
    )
    page = open_judge()
    box = page.locator("#document .unplayable")
    wait_for_condition(page, lambda: box.count() or pass_time(page, 1))
    expect(box).to_contain_text(words)
    expect(box).to_contain_text("Report it: its lead can add a file that plays.")
    box.get_by_role("button", name="Report it").click()
    expect(page.locator("#empty-title")).to_be_visible()
    expect_saved(page)
    assert (Report.objects.get().kind, Report.objects.get().reason) == (
        "cannot_judge",
        "does_not_play",
    )


@pytest.mark.usefixtures("frozen_pages")
def test_nothing_more_is_loaded_of_a_card_that_is_gone(collection, open_judge):
    open_documents(
        collection,
        video(collection),
        *(video(collection, name) for name in ("s011.webm", "s014.webm")),
    )
    page = open_judge()
    wait_for_expression(page, READY)
    page.evaluate("window.gone = document.querySelector('#document video')")
    page.keyboard.press("2")
    expect(page.locator("#progress-text")).to_contain_text("2 of 3")
    assert page.evaluate("[window.gone.isConnected, window.gone.hasAttribute('src')]") == [
        False,
        False,
    ]


@pytest.mark.usefixtures("frozen_pages")
def test_what_the_server_does_not_give_did_not_load(collection, open_judge):
    open_documents(collection, {"kind": "video", "path": "missing.webm"})
    page = open_judge()
    expect(page.locator("#document .broken [data-what]")).to_have_text(
        "This clip did not load. Trying again…"
    )
    pass_time(page, 2)
    expect(page.locator("#document .broken [data-what]")).to_have_text("This clip did not load.")
    expect(page.locator("#document .unplayable")).to_have_count(0)


@pytest.mark.usefixtures("frozen_pages")
def test_what_a_browser_denies_can_be_tried_all_the_same(collection, open_judge):
    open_documents(
        collection, {"kind": "video", "path": shape(collection, "s004.webm"), "type": THEORA}
    )
    page = open_judge()
    page.get_by_role("button", name="Try anyway").click()
    wait_for_expression(page, READY)
    expect(page.locator("#document .unplayable")).to_have_count(0)
    page.keyboard.press("2")
    expect_saved(page)
    assert Judgment.objects.count() == 1


def test_a_clip_of_which_only_the_sound_plays_is_never_labelled(collection, open_judge):
    blank = clips.encode_clip("mp4", "mpeg2video", "aac")
    open_documents(collection, {"kind": "video", "path": put_file(collection, "blank.mp4", blank)})
    page = open_judge()
    expect(page.locator("#document .unplayable")).to_be_visible()
    expect(page.locator("#judge")).to_contain_class("is-asleep")
    page.keyboard.press("b")
    expect(page.locator("#empty-title")).to_be_visible()
    expect_saved(page)
    assert (Report.objects.get().kind, Judgment.objects.count()) == ("unplayable", 0)


@pytest.mark.usefixtures("frozen_pages")
def test_a_source_of_which_nothing_comes_gives_way_to_the_next_and_then_did_not_load(
    collection, open_judge
):
    """A server that keeps connections open and sends neither data nor an error."""
    first = {
        "kind": "video",
        "path": shape(collection, "s004.webm"),
        "also": [webm(collection, "s011.webm")],
    }
    open_documents(collection, first)
    requested_urls = []
    page = open_judge(
        before=lambda page: page.route(
            MEDIA, lambda route: requested_urls.append(route.request.url)
        )
    )
    wait_for_condition(page, lambda: len(requested_urls) == 1)
    pass_time(page, 19)
    assert len(requested_urls) == 1
    pass_time(page, 2)
    wait_for_condition(page, lambda: len(requested_urls) == 2)
    assert requested_urls[1].endswith("/1/")
    pass_time(page, 21)
    expect(page.locator("#document .broken [data-what]")).to_contain_text("This clip did not load.")
    page.unroute_all()
    wait_for_condition(page, lambda: page.evaluate(READY) or pass_time(page, 1))
    expect(page.locator("#document .broken")).to_have_count(0)


def test_trouble_after_loading_as_without_a_sound_device_is_no_failed_load(collection, open_judge):
    open_documents(collection, recording(collection))
    page = open_judge(before=lambda page: page.add_init_script(WATCH_FOR_BOXES))
    wait_for_expression(page, "document.querySelector('#document audio').readyState === 4")
    # simulates Firefox without a sound device, which fails when playing begins
    page.evaluate("""() => {
        const audio = document.querySelector("#document audio");
        Object.defineProperty(audio, "error", { value: { code: 3 }, configurable: true });
        audio.dispatchEvent(new Event("error"));
        audio.dispatchEvent(new Event("ended"));
    }""")
    expect(page.locator("#document .trouble")).to_be_visible()
    expect(page.locator("#document .trouble")).to_contain_text(
        "Is a loudspeaker or headphone connected?"
    )
    assert page.evaluate("window.sawBroken") is None
    page.evaluate("delete document.querySelector('#document audio').error")
    page.keyboard.press("Space")
    wait_for_expression(page, "!document.querySelector('#document audio').paused")
    expect(page.locator("#document .trouble")).to_be_hidden()
    page.keyboard.press("2")
    expect_saved(page)
    assert Judgment.objects.count() == 1
