"""Clips and recordings are looked into once, by the load or by a worker; no address is asked."""

from pathlib import Path

import pytest
from django.core.cache import cache

from annotate import tasks
from annotate.core.files.archives.sources import FileSource, ZipSource
from annotate.models import Part
from annotate.services.collection import media
from annotate.services.collection.references import FileRejected
from annotate.services.imports import items, media_inspection, media_inspection_turns, reports
from annotate.services.pages import overview
from config.site.stores import media_store
from tests import cast, clips
from tests.annotate.core.files.samples import archive, file, line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
THEORA, VP8 = 'video/ogg; codecs="theora, vorbis"', 'video/webm; codecs="vp8, opus"'


@pytest.fixture
def collection():
    return cast.collection("films")


def webm() -> bytes:
    return clips.encode_clip("webm", "libvpx", "libopus")


def sound() -> bytes:
    return clips.encode_clip("wav", sound="pcm_s16le")


def load(collection, *lines, files=None):
    """Items in a zip with their media."""
    members = {"items.jsonl": "".join(f"{text}\n" for text in lines).encode(), **(files or {})}
    return items.load_collection(
        collection=collection, source=ZipSource(archive(members), "films.zip")
    )


def stored(collection):
    rows = Part.objects.filter(item__collection=collection).order_by(
        "item__external_id", "position"
    )
    return [
        (part.type, [source["type"] for source in part.also], part.looked_at is not None)
        for part in rows
    ]


def test_what_comes_in_a_zip_is_looked_into_with_all_its_sources(collection):
    also = {"kind": "video", "path": "a.webm", "also": ["b.ogv"]}
    report = load(
        collection,
        line("1", parts=[also]),
        line("2", audio="c.wav"),
        line("3", video="broken.mp4"),
        line("4"),
        files={"a.webm": webm(), "b.ogv": clips.theora(), "c.wav": sound(), "broken.mp4": b"x"},
    )
    assert (report.n_media, report.n_parts) == (4, 4)
    assert stored(collection) == [
        (VP8, [THEORA], True),
        ("audio/wav", [], True),
        ("", [], True),
        ("", [], False),
    ]


def test_the_length_of_a_clip_is_kept_and_is_unknown_of_what_cannot_be_read(collection):
    load(
        collection,
        line("1", video="a.webm"),
        line("2", parts=[{"kind": "video", "path": "broken.mp4", "also": ["a.webm"]}]),
        line("3", video="broken.mp4"),
        line("4"),
        files={"a.webm": webm(), "broken.mp4": b"x"},
    )
    parts = Part.objects.order_by("item__external_id")
    first, second, *others = parts.values_list("seconds", flat=True)
    assert first == second == pytest.approx(0.5, abs=0.15)
    assert others == [None, None]


def test_what_lies_in_the_operators_folder_is_looked_into_there(collection, tmp_path, settings):
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "a.webm").write_bytes(webm())
    settings.STORAGES = {**settings.STORAGES, **media_store(str(tmp_path))}
    lines = [
        line("1", video="a.webm"),
        line("2", parts=[{"kind": "video", "path": "a.webm", "start": 0, "end": 1}]),
    ]
    items.load_collection(collection=collection, source=FileSource(file(*lines), "items.jsonl"))
    assert stored(collection) == [(VP8, [], True)] * 2


def test_of_an_address_the_type_is_what_the_file_says_and_nobody_asks_it(
    collection, settings, monkeypatch
):
    settings.MEDIA_HOSTS = ["https://h"]
    monkeypatch.setattr(
        "annotate.core.files.archives.ranged_files.urlopen",
        lambda *args, **options: pytest.fail("asked"),
    )
    source = {"path": "https://h/b.mp4", "type": 'video/mp4; codecs="avc1.64001f"'}
    load(
        collection,
        line(
            "1",
            parts=[{"kind": "video", "path": "https://h/a.webm?x=1", "also": [source, "c.webm"]}],
        ),
        files={"c.webm": webm()},
    )
    load(collection, line("2", parts=[{"kind": "video", **source}]))
    media_inspection_turns.take_turn(collection=collection)
    assert stored(collection) == [("", [source["type"], VP8], True), (source["type"], [], True)]


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ({"kind": "video", "path": "a.webm", "also": ["none.mp4"]}, 'there is no file "none.mp4"'),
        ({"kind": "video", "path": "a.webm", "also": ["../a.mp4"]}, "leads out of the folder"),
        ({"kind": "video", "path": "a.webm", "also": ["a.mp3"]}, "belongs to no video known here"),
        ({"kind": "video", "path": "a.webm", "also": ["a.webm"]}, "names the same source twice"),
        ({"kind": "video", "path": "a.webm", "also": [7]}, "neither a path nor an object"),
        (
            {"kind": "video", "path": "a.webm", "also": [{"path": "a.webm", "size": 1}]},
            "neither a path nor an object",
        ),
        (
            {"kind": "video", "path": "a.webm", "also": [f"{n}.webm" for n in range(9)]},
            "has more than 8 further sources",
        ),
        (
            {"kind": "video", "path": "a.webm", "also": ["https://elsewhere/a.mp4"]},
            "MEDIA_HOSTS does not name",
        ),
        ({"kind": "video", "path": "a.webm", "type": "video/webm"}, "files are looked into"),
        (
            {"kind": "video", "path": "https://h/a.webm", "type": "text/html"},
            "write it as video/webm",
        ),
        ({"kind": "image", "path": "a.png", "also": ["a.webp"]}, "which are for video and audio"),
        ({"kind": "text", "text": "x", "type": "video/webm"}, "which are for video and audio"),
    ],
)
def test_a_source_that_cannot_be_one_is_a_fault_with_its_line(collection, settings, part, fault):
    settings.MEDIA_HOSTS = ["https://h"]
    with pytest.raises(FileRejected) as refused:
        load(collection, line("1", parts=[part]), files={"a.webm": webm()})
    (problem,) = refused.value.problems.lines()
    assert problem.startswith("Line 1: ") and fault in problem


def test_the_short_form_has_further_sources_of_its_one_clip(collection):
    files = {"a.ogv": clips.theora(), "a.webm": webm()}
    load(collection, line("1", text="x", video="a.ogv", also="a.webm"), files=files)
    assert stored(collection) == [("", [], False), (THEORA, [VP8], True)]
    with pytest.raises(FileRejected, match="stands beside one video or one audio"):
        load(collection, line("2", text="x", also="a.webm"), files=files)


def test_the_lead_is_told_what_does_not_play_where_and_no_more_once_it_has_another_source(
    collection,
):
    files = {"a.ogv": clips.theora(), "b.mp4": clips.encode_clip("mp4", "libx264", "aac")}
    report = load(collection, line("1", video="a.ogv"), line("2", video="b.mp4"), files=files)
    doubt = (
        "1 of 2 clips is Ogg, Theora, Vorbis: it plays in no Safari, in Chrome only up to version "
        "122 and in Firefox up to 125. Add an MP4 (H.264, AAC) beside it. It belongs to 1."
    )
    assert report.doubts == [doubt] == overview.overview(collection=collection).doubts
    again = load(collection, line("1", video="a.ogv", also=["b.mp4"]), files=files)
    assert (again.n_with_new_sources, again.n_known, again.n_items, again.doubts) == (1, 1, 0, [])
    assert "1 have further sources now" in str(again) and "Nothing changed" not in str(again)
    assert overview.overview(collection=collection).doubts == []
    assert stored(collection)[0] == (THEORA, ['video/mp4; codecs="avc1.64000a, mp4a.40.2"'], True)
    for also in ({}, {"also": ["b.mp4"]}):
        assert "Nothing changed" in str(
            load(collection, line("1", video="a.ogv", **also), files=files)
        )
    with pytest.raises(FileRejected, match="loaded before with other content"):
        load(collection, line("1", video="b.mp4", also=["a.ogv"]), files=files)


def test_items_of_before_are_looked_into_by_a_worker_once(collection):
    load(
        collection,
        line("1", video="a.webm"),
        line("2", video="b.ogv"),
        files={"a.webm": webm(), "b.ogv": b"gone"},
    )
    media_inspection_turns.take_turn(collection=collection)  # for the checksums
    assert media_inspection_turns.overdue() == []
    Part.objects.update(type="", looked_at=None)  # as they stood before anybody looked
    assert media_inspection_turns.overdue() == [collection.pk]
    tasks.look_into_media(collection_id=collection.pk)
    assert stored(collection) == [(VP8, [], True), ("", [], True)]
    media.media_folder(collection).joinpath("a.webm").unlink()
    tasks.look_into_media(collection_id=collection.pk)
    assert media_inspection_turns.overdue() == []
    assert stored(collection)[0] == (VP8, [], True)


def test_a_second_look_waits_for_files_that_were_read_once(collection):
    clip = {"kind": "video", "path": "a.webm", "also": ["b.ogv"]}
    load(collection, line("1", parts=[clip]), files={"a.webm": webm(), "b.ogv": clips.theora()})
    media_inspection_turns.take_turn(collection=collection)  # for the checksums
    seconds, doubts = Part.objects.get().seconds, media_inspection.doubts(collection=collection)
    assert seconds and stored(collection) == [(VP8, [THEORA], True)]
    file_a = media.media_folder(collection).joinpath("a.webm")
    away = file_a.rename(file_a.with_suffix(".away"))  # as with its disk
    Part.objects.update(looked_at=None, seconds=None)
    assert media_inspection.look_into_files(collection=collection) == 0
    assert media_inspection_turns.take_turn(collection=collection) == 0
    assert stored(collection) == [(VP8, [THEORA], False)]
    assert media_inspection.doubts(collection=collection) == doubts
    assert media_inspection_turns.overdue() == []  # it rests
    away.rename(file_a)
    cache.clear()
    assert media_inspection_turns.overdue() == [collection.pk]
    assert media_inspection_turns.take_turn(collection=collection) == 1
    assert stored(collection) == [(VP8, [THEORA], True)]
    assert Part.objects.get().seconds == seconds


def test_a_second_look_unlearns_what_a_file_is_not_any_more(collection):
    load(collection, line("1", video="a.webm"), files={"a.webm": webm()})
    media.media_folder(collection).joinpath("a.webm").write_bytes(b"not a clip")
    Part.objects.update(looked_at=None)
    assert media_inspection.look_into_files(collection=collection) == 1
    assert stored(collection) == [("", [], True)]


def test_the_lead_is_told_how_many_files_are_not_what_they_are_called(
    collection, django_assert_num_queries
):
    broken = clips.encode_clip("mp4", "libx264", "aac")
    files = {
        "a.webm": webm(),
        "b.mp4": b"<!doctype html><title>404</title>",
        "c.mp4": broken[: broken.index(b"moov")],
        "d.webm": b"",
        "e.mp3": b"a,b\n1,2\n",
        "f.mp4": b"\x89PNG\r\n\x1a\n" + bytes(99),
    }
    lines = [
        line(name[0], **{"audio" if name.endswith("mp3") else "video": name}) for name in files
    ]
    report = load(collection, *lines, files=files)
    why = "missing, empty, cut short, damaged or not what"
    assert report.doubts[:2] == [
        f"4 of 5 clips could not be read: their files are {why} their names say. "
        "Add an MP4 (H.264, AAC) beside them. Among them: b, c, d.",
        f"1 of 1 recording could not be read: its file is {why} its name says. "
        "Add an MP3 or an M4A (AAC) beside it. It belongs to e.",
    ]
    assert overview.overview(collection=collection).doubts == report.doubts
    assert reports.report_of([report]).as_json()["loads"][0]["doubts"] == report.doubts
    with django_assert_num_queries(1):
        assert media_inspection.doubts(collection=collection) == report.doubts


def test_nothing_is_said_to_be_unread_that_nobody_has_looked_into_or_that_lies_elsewhere(
    collection, settings
):
    settings.MEDIA_HOSTS = ["https://h"]
    part = {"kind": "video", "path": "https://h/a.mp4", "also": ["b.mp4", "https://h/c.mp4"]}
    report = load(
        collection, line("1", parts=[part]), files={"b.mp4": clips.encode_clip("mp4", "libx264")}
    )
    assert report.doubts == []
    Part.objects.update(type="", also=[{"path": "b.mp4", "type": ""}], looked_at=None)
    assert media_inspection.doubts(collection=collection) == []


def test_an_address_gets_its_type_by_the_same_items_once_more(collection, settings):
    settings.MEDIA_HOSTS = ["https://h"]
    address, other = "https://h/a.webm", "https://h/b.mp4"
    h264, vp9 = 'video/mp4; codecs="avc1.64001f"', 'video/webm; codecs="vp9"'

    def load_with(mime, *also):
        part = {"kind": "video", "path": address, "type": mime, "also": [*also]}
        lines = [line("1", parts=[{"kind": "text", "text": "x"}, part]), line("2", text="y")]
        return load(collection, *lines, files={"c.webm": webm()})

    load_with("", "c.webm", other)
    assert stored(collection)[1] == ("", [VP8, ""], True)
    report = load_with(vp9, "c.webm", {"path": other, "type": h264})
    assert (report.n_typed, report.n_with_new_sources, report.n_known, report.n_items) == (
        1,
        0,
        2,
        0,
    )
    assert "1 have the type of an address now" in str(report) and "Nothing changed" not in str(
        report
    )
    assert ("Known before, now with the type of an address", 1) in report.figures()
    assert stored(collection)[1] == (vp9, [VP8, h264], True)
    # what is not said again stays
    for mime, also in ((vp9, ["c.webm", other]), ("", ["c.webm"]), ("", [])):
        report = load_with(mime, *also)
        assert report.n_typed == 0 and "Nothing changed" in str(report)
    assert stored(collection)[1] == (vp9, [VP8, h264], True)
    # types that are known stay beside a further source
    report = load_with("", "c.webm", other, "https://h/d.mp4")
    assert (report.n_typed, report.n_with_new_sources) == (0, 1)
    assert stored(collection)[1] == (vp9, [VP8, h264, ""], True)
    assert load_with(h264).n_typed == 1  # the later word counts
    assert stored(collection)[1] == (h264, [VP8, h264, ""], True)


def test_quicktime_matroska_and_avi_are_taken_and_the_lead_is_told_where_they_do_not_play(
    collection,
):
    files = {
        "a.mov": clips.encode_clip("mov", "libx264", "aac"),
        "b.mkv": clips.encode_clip("matroska", "libx264", "aac"),
        "c.avi": clips.encode_clip("avi", "mpeg4"),
    }
    report = load(collection, *(line(name[0], video=name) for name in files), files=files)
    assert [mime.partition(";")[0] for mime, _, _ in stored(collection)] == [
        "video/quicktime",
        "video/matroska",
        "video/x-msvideo",
    ]
    assert [doubt.partition(":")[2].partition(".")[0] for doubt in report.doubts] == [
        " it plays in no browser",
        " it plays in neither Safari nor most versions of Firefox",
        " it does not play in every version of Chrome and Firefox",
    ]
    with pytest.raises(FileRejected) as refused:
        load(collection, line("4", video="d.wmv"), files={"d.wmv": b"x"})
    (problem,) = refused.value.problems.lines()
    assert (
        "belongs to no video known here; known are .mp4, .m4v, .webm, .ogv, .mov, .mkv, .avi"
        in problem
    )


def test_fifty_clips_are_looked_into_with_as_many_queries_as_ten(
    collection, django_assert_max_num_queries
):
    folder = Path(media.media_folder(collection))
    folder.mkdir(parents=True)
    for number in range(60):
        (folder / f"{number}.webm").write_bytes(webm())
    first_lines = [line(f"a{number}", video=f"{number}.webm") for number in range(10)]
    many = [line(f"b{number}", video=f"{number}.webm") for number in range(10, 60)]
    with django_assert_max_num_queries(99) as few:
        load(collection, *first_lines)
    with django_assert_max_num_queries(len(few)):
        load(collection, *many)
    assert stored(collection) == [(VP8, [], True)] * 60
