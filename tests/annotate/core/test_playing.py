"""What plays where, and the sentences about it."""

import pytest

from annotate.core.playing import ALL, CHROMIUM, FIREFOX, PHONES, SAFARI, doubts, limit_of, offered, what

THEORA, OPUS = 'video/ogg; codecs="theora, vorbis"', 'audio/ogg; codecs="opus"'
VP9, AV1 = 'video/webm; codecs="vp9, opus"', 'video/mp4; codecs="av01.0.04M.08"'
HEVC, H264 = 'video/mp4; codecs="hvc1.1.6.L93.B0, mp4a.40.2"', 'video/mp4; codecs="avc1.64001f, mp4a.40.2"'


@pytest.mark.parametrize(("mime", "browsers"), [
    (THEORA, ALL), (OPUS, SAFARI), (VP9, {PHONES}), (AV1, SAFARI), (HEVC, {CHROMIUM, FIREFOX}), (H264, None),
    ("audio/mpeg", None), ("audio/wav", None), ("audio/flac", None), ('audio/mp4; codecs="mp4a.40.2"', None),
    ("video/x-msvideo", ALL), ("video/mpeg", ALL), ("", None), ("video/unheard-of", None),
])  # fmt: skip
def test_a_type_is_limited_to_some_browsers_or_is_not(mime, browsers):
    limit = limit_of(mime)
    assert (set(limit.browsers) if limit else None) == (set(browsers) if browsers else None)


def test_a_type_in_words():
    assert [what(mime) for mime in (THEORA, HEVC, "audio/mpeg", "audio/wav", 'video/mp4; codecs="mp4a.6B"', "")] == [
        "Ogg, Theora, Vorbis", "MP4, HEVC, AAC", "MP3", "WAV", "MP4, MP3", "",
    ]  # fmt: skip


def test_a_browser_is_asked_about_what_it_answers_rightly():
    assert offered('video/quicktime; codecs="avc1.64001f"') == 'video/mp4; codecs="avc1.64001f"'
    assert offered('video/matroska; codecs="avc1.64001f"') == ""
    assert offered(VP9) == VP9


def test_one_sentence_a_kind_of_trouble_with_counts_the_most_first():
    parts = [("video", (THEORA,), 12), ("video", (H264,), 258), ("video", (VP9,), 30), ("audio", (OPUS,), 1)]
    assert [str(doubt) for doubt in doubts(parts)] == [
        "30 of 300 clips are WebM, VP9, Opus: they play on iPhones and iPads only from iOS 17.4. "
        "Add an MP4 (H.264, AAC) beside them.",
        "12 of 300 clips are Ogg, Theora, Vorbis: they play in no Safari, in Chrome only up to version 122 and in "
        "Firefox up to 125. Add an MP4 (H.264, AAC) beside them.",
        "1 of 1 recording is Ogg, Opus: it plays in Safari only from version 18.4. "
        "Add an MP3 or an M4A (AAC) beside it.",
    ]


def test_no_doubt_is_told_of_what_is_not_known_or_has_another_source_that_plays():
    assert doubts([("video", ("",), 5), ("video", (THEORA, H264), 5), ("video", (VP9, HEVC), 5)]) == []
    (doubt,) = doubts([("video", (THEORA, VP9), 5), ("video", (THEORA, ""), 1)])
    assert (doubt.n, doubt.of, doubt.what) == (5, 6, "WebM, VP9, Opus")  # on old iPhones neither plays
