"""The sentences about clips and recordings that could not be read, or do not play everywhere."""

from annotate.core.media.media_doubts import TypedParts, doubts

THEORA, OPUS = 'video/ogg; codecs="theora, vorbis"', 'audio/ogg; codecs="opus"'
VP9, HEVC = 'video/webm; codecs="vp9, opus"', 'video/mp4; codecs="hvc1.1.6.L93.B0, mp4a.40.2"'
H264 = 'video/mp4; codecs="avc1.64001f, mp4a.40.2"'


def sentences(*parts):
    return [str(doubt) for doubt in doubts(TypedParts(*fields) for fields in parts)]


def test_one_sentence_a_kind_of_trouble_with_counts_the_most_first_and_ids():
    assert sentences(
        ("video", (THEORA,), 12, ("q1", "q2", "q3")),
        ("video", (H264,), 258, ("q9",)),
        ("video", (VP9,), 29, ("q4",)),
        ("video", (VP9, HEVC.replace("hvc1", "av01")), 1, ("q5",)),
        ("audio", (OPUS,), 1, ("r1",)),
    ) == [
        "30 of 300 clips are WebM, VP9, Opus: they play on iPhones and iPads only from iOS 17.4. "
        "Add an MP4 (H.264, AAC) beside them. Among them: q4, q5.",
        "12 of 300 clips are Ogg, Theora, Vorbis: they play in no Safari, in Chrome only up to "
        "version 122 and in Firefox up to 125. Add an MP4 (H.264, AAC) beside them. Among them: "
        "q1, q2, q3.",
        "1 of 1 recording is Ogg, Opus: it plays in Safari only from version 18.4. "
        "Add an MP3 or an M4A (AAC) beside it. It belongs to r1.",
    ]


def test_what_could_not_be_read_comes_first_and_is_named_three_times_at_most():
    assert sentences(
        ("video", (THEORA,), 40, ("q1", "q2", "q3")),
        ("video", (H264,), 77, ("q4",)),
        ("video", (None,), 2, ("q17", "q18")),
        ("video", (None, None), 1, ("q40",)),
        ("audio", (None,), 4, ("r1", "r2", "r3")),
        ("audio", (None, None), 1, ("r9",)),
    )[:2] == [
        "5 of 5 recordings could not be read: their files are missing, empty, cut short, damaged "
        "or not what their names say. Add an MP3 or an M4A (AAC) beside them. Among them: r1, r2, "
        "r3.",
        "3 of 120 clips could not be read: their files are missing, empty, cut short, damaged or "
        "not what their names say. Add an MP4 (H.264, AAC) beside them. They belong to q17, q18, "
        "q40.",
    ]
    assert sentences(("audio", (None,), 1, ("r1",))) == [
        "1 of 1 recording could not be read: its file is missing, empty, cut short, damaged or "
        "not what its name says. Add an MP3 or an M4A (AAC) beside it. It belongs to r1.",
    ]


def test_a_file_beside_others_that_could_not_be_read_is_told_and_mends_nothing():
    unread = (
        "has a file beside others that could not be read: it is missing, empty, cut short, "
        "damaged or not what"
    )
    assert sentences(("video", (H264, None), 1, ("q1",))) == [
        f"1 of 1 clip {unread} its name says. It belongs to q1."
    ]
    first, second = sentences(("video", (THEORA, None), 1, ("q1",)))
    assert unread in first and "is Ogg, Theora, Vorbis: it plays in no Safari" in second
    (only,) = sentences(("video", (None, ""), 1, ("q1",)))  # of the address nobody knows
    assert unread in only


def test_no_doubt_is_told_of_what_is_not_known_or_has_another_source_that_plays():
    assert (
        sentences(("video", ("",), 5), ("video", (THEORA, H264), 5), ("video", (VP9, HEVC), 5))
        == []
    )
    (doubt,) = doubts([TypedParts("video", (THEORA, VP9), 5), TypedParts("video", (THEORA, ""), 1)])
    # on old iPhones neither plays
    assert (doubt.n, doubt.n_of_kind, doubt.fault.format_names) == (5, 6, "WebM, VP9, Opus")
