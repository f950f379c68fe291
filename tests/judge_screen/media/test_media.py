"""Pictures, clips, recordings and pages: zoomed, played, broken, and loaded in advance."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment, Report
from tests.browsing import wait_for_condition, wait_for_expression
from tests.judge_screen.screen import (
    MEDIA,
    PAGE,
    expect_saved,
    image,
    is_medium,
    open_documents,
    open_queries,
    put_file,
    tone,
    video,
    wait_for_frames,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


COUNT_MEDIA_BUILT = """window.built = 0;
    const importNode = Document.prototype.importNode;
    Document.prototype.importNode = function (node, deep) {
        window.built += node.querySelector("img, video") ? 1 : 0;
        return importNode.call(this, node, deep);
    };"""
# Measures the played time of the clip on screen like the page, from now on.
COUNT_PLAYED = """async () => {
    const { Playback } = await import("/static/js/judge/media/playback.js");
    const video = document.querySelector("#document video");
    window.playback = new Playback();
    window.nBegun = 0;
    video.addEventListener("timeupdate", () => window.playback.tick("timeupdate", video, Infinity));
    video.addEventListener("seeked", () => { window.nBegun += 1; });
}"""


def frame_state(page):
    return page.evaluate(
        "(() => { const f = document.querySelector('#document .frame');"
        " return {zoom: Number(f.style.getPropertyValue('--zoom') || 1),"
        " left: f.scrollLeft, top: f.scrollTop,"
        " width: f.querySelector('img').getBoundingClientRect().width / f.clientWidth}; })()"
    )


def test_an_image_is_zoomed_by_key_button_and_wheel_and_moved_by_key_and_by_drag(
    collection, open_judge
):
    open_documents(collection, image(collection))
    page = open_judge()
    expect(page.locator("#document img")).to_be_visible()
    page.keyboard.press("+")
    assert frame_state(page)["width"] == pytest.approx(2, abs=0.02)
    before = frame_state(page)
    assert before["left"] > 0  # the middle stays in the middle
    page.keyboard.press("ArrowRight")
    wait_for_expression(
        page, f"document.querySelector('#document .frame').scrollLeft > {before['left']}"
    )
    box = page.locator("#document .frame").bounding_box()
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] + 100, at[1] + 40)
    page.mouse.up()
    assert frame_state(page)["top"] < before["top"]
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    wait_for_expression(
        page, "document.querySelector('#document .frame').style.getPropertyValue('--zoom') > 2"
    )
    page.mouse.wheel(0, 30)  # without Ctrl it only scrolls
    for _ in range(4):
        page.keyboard.press("-")
    assert (frame_state(page)["zoom"], page.locator("[data-zoom]").inner_text()) == (1, "fit")
    page.get_by_role("button", name="Zoom").click()
    assert frame_state(page)["zoom"] == 2


def test_two_fingers_zoom_the_image_and_not_the_page(collection, open_judge):
    open_documents(collection, image(collection))
    page = open_judge()
    expect(page.locator("#document img")).to_be_visible()
    defaults_allowed = page.evaluate("""() => {
        const frame = document.querySelector("#document .frame");
        const box = frame.getBoundingClientRect();
        const touch = (id, x) => new Touch({
            identifier: id, target: frame, clientX: box.x + x, clientY: box.y + 50,
        });
        const send = (name, x) => {
            const touches = [touch(0, 100), touch(1, x)];
            return frame.dispatchEvent(new TouchEvent(name, {
                touches, targetTouches: touches, cancelable: true, bubbles: true,
            }));
        };
        return [send("touchstart", 150), send("touchmove", 200), send("touchmove", 250)];
    }""")
    assert defaults_allowed == [False, False, False]  # the browser's own zoom is held back
    assert frame_state(page)["zoom"] == 3


def test_two_taps_and_two_fingers_on_a_macs_trackpad_zoom_the_image_once(collection, open_judge):
    open_documents(collection, image(collection))
    page = open_judge()
    expect(page.locator("#document img")).to_be_visible()
    assert (
        page.locator("#document .frame").evaluate("(frame) => getComputedStyle(frame).touchAction")
        == "pan-x pan-y"
    )
    page.evaluate("""() => {
        const frame = document.querySelector("#document .frame");
        const box = frame.getBoundingClientRect();
        const at = { clientX: box.x + 60, clientY: box.y + 50, bubbles: true, cancelable: true };
        const finger = { ...at, pointerId: 7, pointerType: "touch", isPrimary: true };
        const send = (name) => frame.dispatchEvent(new PointerEvent(name, finger));
        const tap = () => ["pointerdown", "pointerup"].forEach(send);
        tap();
        tap();
        frame.dispatchEvent(new MouseEvent("dblclick", at));  // as some browsers make of them
    }""")
    assert frame_state(page)["zoom"] == 2
    defaults_allowed = page.evaluate("""() => {
        const frame = document.querySelector("#document .frame");
        const box = frame.getBoundingClientRect();
        const send = (name, scale) => {
            const event = new Event(name, { bubbles: true, cancelable: true });
            Object.assign(event, { scale, clientX: box.x + 60, clientY: box.y + 50 });
            return frame.dispatchEvent(event);
        };
        return [send("gesturestart", 1), send("gesturechange", 1.25), send("gesturechange", 1.5)];
    }""")
    assert defaults_allowed == [False, False, False]
    assert frame_state(page)["zoom"] == 3


@pytest.mark.usefixtures("frozen_pages")
def test_a_strip_of_frames_shows_where_the_clip_is_and_seeks(collection, open_judge):
    open_documents(collection, video(collection))
    page = open_judge()
    frames = page.locator("#document .strip canvas")
    wait_for_frames(page)
    expect(page.locator(".strip canvas.is-now")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator("#document [data-act=play]")).to_have_attribute("aria-label", "Play")
    frames.nth(6).click()
    assert page.evaluate("document.querySelector('#document video').currentTime") == pytest.approx(
        3, abs=0.1
    )
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.querySelector('#document video').currentTime") == pytest.approx(
        2, abs=0.1
    )
    painted = (
        "[...document.querySelector('.strip').children]"
        ".map((c) => c.getContext('2d').getImageData(9, 9, 1, 1).data[3])"
    )
    assert page.evaluate(painted) == [255] * 8


def test_how_much_was_played_and_replayed_is_stored_and_the_speed_is_remembered(
    collection, open_judge
):
    open_documents(
        collection, video(collection, start=1.0, end=2.0), video(collection, "s011.webm")
    )
    page = open_judge()
    page.keyboard.press("s")  # one and a half times as fast
    first = page.locator("#document video").get_attribute("src")
    wait_for_expression(page, "document.querySelector('#document video').played.length > 0")
    page.evaluate(COUNT_PLAYED)
    wait_for_expression(page, "window.playback.played > 500")
    if first.endswith("#t=1"):
        wait_for_expression(page, "window.nBegun > 0")
    page.keyboard.press("2")
    page.keyboard.press("Space")
    wait_for_expression(
        page, f"document.querySelector('#document video').getAttribute('src') !== '{first}'"
    )
    wait_for_expression(page, "document.querySelector('#document video').readyState > 1")
    assert page.evaluate("document.querySelector('#document video').playbackRate") == 1.5
    expect_saved(page)
    stored = Judgment.objects.get()
    # the order of the two cards is random
    assert stored.played_ms > 500
    if stored.pair.document.parts.get().end:
        assert stored.played_ms <= 1_000
        assert stored.n_replays >= 1


def test_a_recording_is_drawn_and_plays_where_its_picture_is_clicked(collection, open_judge):
    open_documents(collection, {"kind": "audio", "path": put_file(collection, "tone.wav", tone())})
    page = open_judge()
    wave = page.locator("#document .wave")
    expect(wave).to_have_class("wave is-drawn")
    lengths = page.evaluate(
        "document.querySelector('.wave path').getAttribute('d').match(/M[^M]+/g)"
        ".map((bar) => { const [, a, b] = bar.match(/ ([\\d.]+)V([\\d.]+)/); return b - a; })"
    )
    assert len(lengths) == 160
    assert lengths[0] < lengths[80] < lengths[159]  # it swells
    # the picture may be there before
    wait_for_expression(page, "document.querySelector('#document audio').readyState > 0")
    box = wave.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + 20)
    assert page.evaluate("document.querySelector('#document audio').currentTime") == pytest.approx(
        1.5, abs=0.05
    )


def test_a_click_before_the_length_of_a_recording_is_known_is_heard_once_it_is(
    collection, open_judge
):
    open_documents(collection, {"kind": "audio", "path": put_file(collection, "tone.wav", tone())})
    page = open_judge()
    expect(page.locator("#document .wave")).to_have_class("wave is-drawn")
    page.evaluate("""() => {
        const audio = document.querySelector("#document audio");
        audio.load();  // back to where it knows nothing
        const wave = document.querySelector("#document .wave"), box = wave.getBoundingClientRect();
        const at = { bubbles: true, clientX: box.x + box.width * 0.75 };
        wave.dispatchEvent(new MouseEvent("click", at));
        window.lengthThen = audio.duration;
    }""")
    assert page.evaluate("Number.isNaN(window.lengthThen)")
    wait_for_expression(
        page, "Math.abs(document.querySelector('#document audio').currentTime - 1.5) < 0.05"
    )


def test_a_recording_too_large_to_be_drawn_plays_all_the_same(collection, open_judge):
    open_documents(
        collection, {"kind": "audio", "path": put_file(collection, "long.wav", tone(300))}
    )
    page = open_judge()
    expect(page.locator("#document [data-time]")).to_have_text("0:00 / 5:00")
    expect(page.locator("#document .wave")).to_have_class("wave")


def test_a_page_is_shown_without_scripts_and_its_words_are_marked(collection, open_judge):
    open_documents(
        collection,
        {
            "kind": "html",
            "text": PAGE
            + "<a href='https://elsewhere.example'>away</a><img src='https://elsewhere.example/x'>",
        },
    )
    page = open_judge()
    frame = page.frame_locator("#document iframe")
    expect(frame.locator("h1")).to_have_text("A red circle")
    assert page.locator("#document iframe").get_attribute("sandbox") == ""
    assert page.evaluate("document.querySelector('#document iframe').contentDocument") is None
    assert frame.locator("script, img, [href]").count() == 0
    page.keyboard.press("w")
    expect(frame.locator("mark")).to_have_text(["red", "circle", "circles", "red"])
    page.keyboard.press("w")
    expect(frame.locator("mark")).to_have_count(0)
    # after the page's own
    page.evaluate("addEventListener('blur', () => setTimeout(() => { window.isBack = true; }))")
    frame.locator("p").click()
    wait_for_expression(page, "window.isBack")
    page.keyboard.press("2")  # a click into the page does not take the keys away
    expect_saved(page)
    assert Judgment.objects.count() == 1


@pytest.mark.usefixtures("frozen_pages")
def test_what_does_not_load_is_said_tried_again_and_reported_with_one_key(collection, open_judge):
    pairs = open_documents(collection, image(collection), image(collection, "s002.webp"))
    requested_urls = []

    def fail(page):
        page.route(
            MEDIA,
            lambda route: (requested_urls.append(route.request.url), route.fulfill(status=404)),
        )

    page = open_judge(before=fail)
    box = page.locator("#document .broken")
    expect(box).to_contain_text("This image did not load. Trying again…")
    expect(box.get_by_role("button", name="Report it")).to_be_visible()
    wait_for_condition(page, lambda: len(requested_urls) == 2)
    box.get_by_role("button", name="Try again").click()
    expect(box.locator("[data-what]")).to_have_text("This image did not load.")
    assert len(requested_urls) == 3
    page.keyboard.press("b")
    wait_for_condition(page, Report.objects.exists)
    report = Report.objects.get()
    assert (report.kind, report.reason, report.pair in pairs) == (
        "cannot_judge",
        "does_not_play",
        True,
    )
    # a check of the reported file, and the next one's
    wait_for_condition(page, lambda: len(requested_urls) == 5)
    page.unroute_all()
    page.locator("#document").get_by_role("button", name="Try again").click()
    expect(page.locator("#document img")).to_be_visible()
    page.keyboard.press("b")  # nothing is broken any more
    expect(page.locator("#document img")).to_be_visible()
    assert Report.objects.count() == 1


def test_media_of_the_next_cards_are_loaded_while_this_one_is_judged(collection, open_judge):
    open_documents(
        collection,
        image(collection),
        image(collection, "s002.webp"),
        image(collection, "s003.webp"),
    )
    requested_urls = []
    page = open_judge(
        before=lambda page: page.on("request", lambda request: requested_urls.append(request.url))
    )
    wait_for_condition(page, lambda: len({url for url in requested_urls if is_medium(url)}) == 3)
    before = len(requested_urls)
    page.keyboard.press("2")
    expect_saved(page)
    expect(page.locator("#document img")).to_be_visible()
    assert [url for url in requested_urls[before:] if is_medium(url)] == []


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (image, ("s001.webp", "s002.webp", "s003.webp")),
        (video, ("s004.webm", "s011.webm", "s014.webm")),
    ],
)
def test_the_next_query_is_loaded_while_this_one_is_judged(collection, open_judge, make, names):
    open_queries(collection, *(make(collection, name) for name in names))
    requested_urls = set()

    def listen(page):
        page.add_init_script(COUNT_MEDIA_BUILT)
        page.on(
            "request", lambda request: is_medium(request.url) and requested_urls.add(request.url)
        )

    page = open_judge(before=listen)
    wait_for_condition(page, lambda: len(requested_urls) == 3)
    for _ in range(2):
        first = page.locator("#query :is(img, video)").get_attribute("src")
        page.keyboard.press("2")
        expect(page.locator("#query :is(img, video)")).not_to_have_attribute("src", first)
        expect(page.locator("#live")).to_have_text("New query.")
        expect_saved(page)
    assert page.evaluate("window.built") == 3  # loaded elements are shown, not built again


def test_what_was_prepared_is_what_is_shown_and_plays_as_was_chosen_meanwhile(
    collection, open_judge
):
    open_documents(
        collection,
        video(collection),
        video(collection, "s011.webm"),
        video(collection, "s014.webm"),
    )
    page = open_judge(before=lambda page: page.add_init_script(COUNT_MEDIA_BUILT))
    wait_for_expression(page, "document.querySelector('#document video').readyState > 1")
    page.keyboard.press("s")
    page.keyboard.press("o")
    page.keyboard.press("m")
    for _ in range(2):
        first = page.locator("#document video").get_attribute("src")
        page.keyboard.press("2")
        expect(page.locator("#document video")).not_to_have_attribute("src", first)
        wait_for_expression(page, "document.querySelector('#document video').readyState > 1")
        chosen = (
            "(({playbackRate, muted}) => [playbackRate, muted])"
            "(document.querySelector('#document video'))"
        )
        assert page.evaluate(chosen) == [1.5, False]
        expect(page.locator("#document [data-act=loopToggle]")).to_have_attribute(
            "aria-pressed", "false"
        )
    expect_saved(page)
    assert page.evaluate("window.built") == 3
