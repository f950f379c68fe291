"""Browsers' support of media formats."""

import pytest

from annotate.core.media.browser_support import (
    ALL,
    CHROMIUM,
    FIREFOX,
    PHONES,
    SAFARI,
    browser_query_type,
    format_names,
    playback_limit,
)

THEORA, OPUS = 'video/ogg; codecs="theora, vorbis"', 'audio/ogg; codecs="opus"'
VP9, AV1 = 'video/webm; codecs="vp9, opus"', 'video/mp4; codecs="av01.0.04M.08"'
HEVC, H264 = (
    'video/mp4; codecs="hvc1.1.6.L93.B0, mp4a.40.2"',
    'video/mp4; codecs="avc1.64001f, mp4a.40.2"',
)


@pytest.mark.parametrize(
    ("mime", "browsers"),
    [
        (THEORA, ALL),
        (OPUS, SAFARI),
        (VP9, {PHONES}),
        (AV1, SAFARI),
        (HEVC, {CHROMIUM, FIREFOX}),
        (H264, None),
        ("audio/mpeg", None),
        ("audio/wav", None),
        ("audio/flac", None),
        ('audio/mp4; codecs="mp4a.40.2"', None),
        ("video/x-msvideo", ALL),
        ("video/mpeg", ALL),
        ("", None),
        ("video/unheard-of", None),
    ],
)
def test_a_type_is_limited_to_some_browsers_or_is_not(mime, browsers):
    limit = playback_limit(mime)
    assert (set(limit.browsers) if limit else None) == (set(browsers) if browsers else None)


def test_a_type_in_words():
    assert [
        format_names(mime)
        for mime in (THEORA, HEVC, "audio/mpeg", "audio/wav", 'video/mp4; codecs="mp4a.6B"', "")
    ] == [
        "Ogg, Theora, Vorbis",
        "MP4, HEVC, AAC",
        "MP3",
        "WAV",
        "MP4, MP3",
        "",
    ]


def test_a_browser_is_asked_about_what_it_answers_rightly():
    assert (
        browser_query_type('video/quicktime; codecs="avc1.64001f"')
        == 'video/mp4; codecs="avc1.64001f"'
    )
    assert browser_query_type('video/matroska; codecs="avc1.64001f"') == ""
    assert browser_query_type(VP9) == VP9


def test_a_codec_is_limited_by_its_object_type_and_by_what_it_lies_in():
    assert playback_limit('video/mp4; codecs="mp4v.20.9"').browsers == {CHROMIUM, FIREFOX}
    for kind in ("60", "61", "65", "6A"):
        assert playback_limit(f'video/mp4; codecs="mp4v.{kind}"').browsers == ALL
    assert playback_limit('video/mp4; codecs="mp4a.A5"').browsers == {CHROMIUM, FIREFOX}
    assert (
        playback_limit('audio/mp4; codecs="mp4a.6B"')
        is playback_limit('audio/mp4; codecs="mp4a.67"')
        is None
    )
    assert playback_limit('video/webm; codecs="vp8"').browsers == {PHONES}
    assert playback_limit('video/ogg; codecs="vp8, vorbis"').browsers == SAFARI | {FIREFOX}
    assert playback_limit('video/ogg; codecs="vp8"').where == "play in neither Safari nor Firefox"
    assert [
        format_names(f'video/mp4; codecs="{codec}"')
        for codec in ("mp4v.61", "mp4v.6a", "mp4v.20.9", "mp4a.A6")
    ] == [
        "MP4, MPEG-2",
        "MP4, MPEG-1",
        "MP4, MPEG-4 Part 2",
        "MP4, E-AC-3",
    ]
