"""Clips and recordings that a browser cannot play, or not without a sound device."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from annotate.models import Judgment, Report
from tests import clips
from tests.browsers.programs import firefox, webkit
from tests.browsers.window import Window
from tests.judge_screen.screen import open_documents, put_file, recording, shape

PLAYS = "document.querySelector('#document video')?.readyState >= 2"
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]


@pytest.fixture
def driver() -> Iterator[WebDriver]:
    """A Firefox that finds no sound device, whatever the machine has."""
    with firefox(media__cubeb__backend="none") as driver:
        yield driver


def test_a_recording_without_a_sound_device_is_no_failed_load(
    window, collection, annotator, media_root
):
    open_documents(collection, recording(collection))
    window.sign_in("ada")
    window.open("/c/birds/judge/")
    window.wait_for(
        lambda: window.evaluate("document.querySelector('#document audio')?.readyState") == 4,
        "the recording",
    )
    window.key(" ")
    window.find("#document .trouble", "Is a loudspeaker or headphone connected?")
    window.wait_until_levels_awake()
    assert not window.has(".broken")
    window.key("m")  # muted it plays, and no trouble is shown
    window.key(" ")
    window.wait_for(
        lambda: window.evaluate("document.querySelector('#document audio').paused") is False,
        "playing",
    )
    assert window.evaluate("document.querySelector('#document .trouble').hidden") is True


def test_theora_is_told_and_passed_on_and_a_second_source_plays(
    window, collection, annotator, media_root
):
    old = {
        "kind": "video",
        "path": put_file(collection, "a.ogv", clips.theora()),
        "type": 'video/ogg; codecs="theora"',
    }
    new = {"path": shape(collection, "s004.webm"), "type": 'video/webm; codecs="vp9"'}
    open_documents(collection, old, {**old, "also": [new]})
    window.sign_in("ada")
    window.open("/c/birds/judge/")
    for _ in range(2):  # the order of the two cards is random
        window.find("#document :is(video, .unplayable)")
        if window.has("#document .unplayable"):
            assert "This browser cannot play this clip (Ogg, Theora)." in window.text()
            window.key("b")
        else:
            window.wait_until_levels_awake()
            window.key("2")
    window.find("#empty-title")
    window.wait_for(
        lambda: Judgment.objects.count() == 1 and Report.objects.count() == 1, "both on disk"
    )
    assert Report.objects.get().kind == "unplayable"


@pytest.mark.parametrize("engine", [firefox, webkit])
def test_what_is_no_clip_gives_way_to_the_next_source_and_alone_is_passed_on(
    engine, proxy, collection, annotator, media_root
):
    no_clip = {"kind": "video", "path": put_file(collection, "no.webm", b"no clip"), "type": ""}
    open_documents(
        collection,
        no_clip,
        {**no_clip, "also": [{"path": shape(collection, "s004.webm"), "type": "video/webm"}]},
    )
    with engine() as driver:
        window = Window(driver, proxy.url)
        window.sign_in("ada")
        window.open("/c/birds/judge/")
        for _ in range(2):
            window.wait_for(
                lambda: window.evaluate(PLAYS) or window.has("#document .unplayable"),
                "one or the other",
            )
            if window.evaluate(PLAYS):
                window.wait_until_levels_awake()
                window.key("2")
            else:
                window.key("b")
        window.find("#empty-title")
        window.wait_for(
            lambda: Judgment.objects.count() == 1 and Report.objects.count() == 1, "both on disk"
        )
    assert Report.objects.get().kind == "unplayable"
