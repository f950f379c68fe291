"""What Firefox does with clips and recordings that it cannot play, or not without a sound device."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from annotate.models import Judgment, Report
from tests import clips
from tests.browsers.programs import firefox, webkit
from tests.browsers.window import Window
from tests.judge_screen.screen import put_file, recording, shape, show

PLAYS = "document.querySelector('#document video')?.readyState >= 2"
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]


@pytest.fixture
def driver() -> Iterator[WebDriver]:
    """A Firefox that finds no sound device, whatever the machine has."""
    with firefox(media__cubeb__backend="none") as driver:
        yield driver


def test_a_recording_without_a_sound_device_is_no_failed_load(window, collection, annotator, media_root):
    show(collection, recording(collection))
    window.sign_in("ada")
    window.open("/c/birds/judge/")
    window.until(lambda: window.tell("document.querySelector('#document audio')?.readyState") == 4, "the recording")
    window.key(" ")
    window.find("#document .trouble", "Is a loudspeaker or headphone connected?")
    window.look()
    assert not window.has(".broken")
    window.key("m")  # without sound it plays, and nothing more is said
    window.key(" ")
    window.until(lambda: window.tell("document.querySelector('#document audio').paused") is False, "playing")
    assert window.tell("document.querySelector('#document .trouble').hidden") is True


def test_theora_is_told_and_passed_on_and_a_second_source_plays(window, collection, annotator, media_root):
    old = {"kind": "video", "path": put_file(collection, "a.ogv", clips.theora()), "type": 'video/ogg; codecs="theora"'}
    new = {"path": shape(collection, "s004.webm"), "type": 'video/webm; codecs="vp9"'}
    show(collection, old, {**old, "also": [new]})
    window.sign_in("ada")
    window.open("/c/birds/judge/")
    for _ in range(2):  # which of the two comes first is the batch's business
        window.find("#document :is(video, .unplayable)")
        if window.has("#document .unplayable"):
            assert "This browser cannot play this clip (Ogg, Theora)." in window.words()
            window.key("b")
        else:
            window.look()
            window.key("2")
    window.find("#empty-title")
    window.until(lambda: Judgment.objects.count() == 1 and Report.objects.count() == 1, "both on disk")
    assert Report.objects.get().kind == "unplayable"


@pytest.mark.parametrize("engine", [firefox, webkit])
def test_what_is_no_clip_gives_way_to_the_next_source_and_alone_is_passed_on(
    engine, proxy, collection, annotator, media_root
):
    no_clip = {"kind": "video", "path": put_file(collection, "no.webm", b"no clip"), "type": ""}
    show(collection, no_clip, {**no_clip, "also": [{"path": shape(collection, "s004.webm"), "type": "video/webm"}]})
    with engine() as driver:
        window = Window(driver, proxy.url)
        window.sign_in("ada")
        window.open("/c/birds/judge/")
        for _ in range(2):
            window.until(lambda: window.tell(PLAYS) or window.has("#document .unplayable"), "one or the other")
            if window.tell(PLAYS):
                window.look()
                window.key("2")
            else:
                window.key("b")
        window.find("#empty-title")
        window.until(lambda: Judgment.objects.count() == 1 and Report.objects.count() == 1, "both on disk")
    assert Report.objects.get().kind == "unplayable"
