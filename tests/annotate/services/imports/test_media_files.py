"""Every medium gets a checksum from a worker: of its bytes, or what its bucket says of them."""

import hashlib
import tracemalloc
from contextlib import suppress

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import IntegrityError, connection, transaction

from annotate import tasks
from annotate.core.files.archives.sources import FileSource, ZipSource
from annotate.models import Part
from annotate.services.collection import media
from annotate.services.collection.references import FileRejected
from annotate.services.imports import items, media_files, media_inspection_turns
from annotate.services.imports.media_inspection_turns import overdue, take_turn
from config.site.stores import media_store
from tests import cast, clips
from tests.annotate.bucket import Store, content
from tests.annotate.core.files.samples import archive, file, line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
MD5 = "d41d8cd98f00b204e9800998ecf8427e"
HEAD, FIRST_BYTE = "bytes=0-65535", "bytes=0-0"


@pytest.fixture
def collection():
    return cast.collection("films")


def load(collection, *lines, files=None):
    """Items in a zip with their media."""
    members = {"items.jsonl": "".join(f"{text}\n" for text in lines).encode(), **(files or {})}
    items.load_collection(collection=collection, source=ZipSource(archive(members), "films.zip"))


def load_pictures(collection, names):
    """An item and its picture for each letter, all of other bytes."""
    lines = [line(name, image=f"{name}.png") for name in names]
    load(collection, *lines, files={f"{name}.png": name.encode() for name in names})


def load_from_bucket(collection, bucket, **paths):
    """Files in the bucket, with an item for each: "a" for a="a.png", which is a picture."""
    for path in paths.values():
        bucket.save(f"films/{path}", ContentFile(b"x"))
    lines = [
        line(name, **{"image" if path.endswith("png") else "video": path})
        for name, path in paths.items()
    ]
    items.load_collection(collection=collection, source=FileSource(file(*lines), "items.jsonl"))


def checksums(collection):
    """The checksums of parts, by item and position."""
    parts = Part.objects.filter(item__collection=collection)
    return {
        f"{part.item.external_id}{part.position or ''}": part.checksum
        for part in parts.order_by("item__external_id", "position").select_related("item")
    }


def sha256(content_bytes: bytes) -> str:
    return f"sha256:{hashlib.sha256(content_bytes).hexdigest()}"


def read_files(monkeypatch, instead=lambda number: None):
    """Note the files that are read wholly; `instead` is called with the number of each."""
    file_digest, names = hashlib.file_digest, []

    def note_file(stream, method):
        names.append(stream.name.rpartition("/")[2])
        instead(len(names))
        return file_digest(stream, method)

    monkeypatch.setattr(media_files.hashlib, "file_digest", note_file)
    return names


def test_pictures_clips_and_recordings_get_the_sha256_of_their_files_and_equal_files_equal_ones(
    collection, monkeypatch
):
    webm, wav = (
        clips.encode_clip("webm", "libvpx", "libopus"),
        clips.encode_clip("wav", sound="pcm_s16le"),
    )
    names = read_files(monkeypatch)
    load(
        collection,
        line("a", image="a.png"),
        line("b", image="b/copy.png"),
        line("c", text="x", video="c.webm"),
        line("d", audio="d.wav"),
        line("e", image="e.png"),
        files={"a.png": b"p" * 700_000, "b/copy.png": b"p" * 700_000, "e.png": b""}
        | {"c.webm": webm, "d.wav": wav},
    )
    assert set(checksums(collection).values()) == {None} and names == []  # no load waits for them
    assert overdue() == [collection.pk] and Part.objects.unread().count() == 5
    tasks.look_into_media(collection_id=collection.pk)
    assert checksums(collection) == {
        "a": sha256(b"p" * 700_000),
        "b": sha256(b"p" * 700_000),
        "c": None,  # a text
        "c1": sha256(webm),
        "d": sha256(wav),
        "e": sha256(b""),
    }
    assert overdue() == [] and not Part.objects.unread().exists()
    assert take_turn(collection=collection) == 0 and len(names) == 5


def test_what_lies_in_the_operators_folder_gets_its_checksum_there(collection, tmp_path, settings):
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "a.png").write_bytes(b"a")
    settings.STORAGES = {**settings.STORAGES, **media_store(str(tmp_path))}
    source = FileSource(file(line("a", image="a.png")), "items.jsonl")
    items.load_collection(collection=collection, source=source)
    take_turn(collection=collection)
    assert checksums(collection) == {"a": sha256(b"a")}


def test_a_large_file_is_never_whole_in_memory(collection):
    load(collection, line("a", image="a.png"), files={"a.png": bytes(16 * 2**20)})
    tracemalloc.start()
    take_turn(collection=collection)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert checksums(collection) == {"a": sha256(bytes(16 * 2**20))} and peak < 4 * 2**20


def test_a_file_that_cannot_be_read_or_takes_half_an_hour_has_none_and_is_not_tried_again(
    collection, monkeypatch
):
    def fail_at_the_first(number):
        if number == 1:
            raise OSError("the disk has a fault")

    load_pictures(collection, "ab")
    load(collection, line("c", image="c.png"), files={"c.png": b"12345"})
    monkeypatch.setattr(media_files, "MAX_BYTES", 4)
    names = read_files(monkeypatch, fail_at_the_first)
    missing_file = media.media_folder(collection) / "b.png"
    missing_file.rename(missing_file.with_name("elsewhere.png"))
    assert take_turn(collection=collection) == 3
    assert checksums(collection) == {"a": "", "b": "", "c": ""} and names == ["a.png"]
    missing_file.with_name("elsewhere.png").rename(missing_file)
    assert overdue() == [] and take_turn(collection=collection) == 0 and names == ["a.png"]


def test_of_an_address_there_is_none_and_nobody_fetches_it(
    collection, bucket, settings, monkeypatch
):
    settings.MEDIA_HOSTS = ["https://h"]
    monkeypatch.setattr(
        "annotate.core.files.archives.ranged_files.urlopen",
        lambda *args, **options: pytest.fail("asked"),
    )
    locate_medium, paths = media_files.locate_medium, []
    monkeypatch.setattr(
        media_files,
        "locate_medium",
        lambda *, collection, path: (
            paths.append(path) or locate_medium(collection=collection, path=path)
        ),
    )
    source = {"kind": "video", "path": "https://h/b.mp4", "also": ["c.webm"]}
    load(
        collection,
        line("a", image="https://h/a.png"),
        line("b", parts=[source]),
        files={"c.webm": clips.encode_clip("webm", "libvpx")},
    )
    assert take_turn(collection=collection) == 2 and overdue() == []
    assert checksums(collection) == {"a": "", "b": ""} and paths == ["c.webm"]
    with pytest.raises(IntegrityError, match="checksum_of_file"), transaction.atomic():
        Part.objects.update(checksum=sha256(b""))


def test_a_turn_takes_a_minute_and_the_next_one_goes_on_behind_it(
    collection, monkeypatch, job_clock
):
    load_pictures(collection, "abcde")
    names = read_files(monkeypatch, lambda number: job_clock.wait(25))
    assert take_turn(collection=collection) == 3 and overdue() == [collection.pk]
    assert take_turn(collection=collection) == 2 and overdue() == []
    assert names == ["a.png", "b.png", "c.png", "d.png", "e.png"]


def test_a_worker_that_is_told_to_stop_keeps_what_it_read_and_a_killed_one_loses_one_chunk(
    collection, monkeypatch
):
    load_pictures(collection, "abcdef")
    stored_so_far = []

    def stop_at_the_sixth(number):
        stored_so_far.append(len([value for value in checksums(collection).values() if value]))
        if number == 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(media_inspection_turns, "AT_ONCE", 2)
    names = read_files(monkeypatch, stop_at_the_sixth)
    with suppress(KeyboardInterrupt):
        take_turn(collection=collection)
    # as much as a killed worker would have left
    assert stored_so_far == [0, 0, 2, 2, 4, 4] and overdue() == [collection.pk]
    assert take_turn(collection=collection) == 1 and overdue() == []
    assert "".join(name[0] for name in names) == "abcdeff"
    assert checksums(collection) == {name: sha256(name.encode()) for name in "abcdef"}


def test_a_file_of_several_parts_is_read_once(collection, monkeypatch):
    names = read_files(monkeypatch)
    webm = clips.encode_clip("webm", "libvpx", "libopus")
    pieces = [
        {"kind": "video", "path": "a.webm", "start": second, "end": second + 1}
        for second in range(3)
    ]
    load(collection, line("a", parts=pieces), files={"a.webm": webm})
    assert take_turn(collection=collection) == 3 and names == ["a.webm"]
    assert set(checksums(collection).values()) == {sha256(webm)}


def test_further_sources_leave_a_checksum_as_it_is(collection, monkeypatch):
    names = read_files(monkeypatch)
    files = {"a.ogv": clips.theora(), "b.webm": clips.encode_clip("webm", "libvpx")}
    load(collection, line("a", video="a.ogv"), files=files)
    take_turn(collection=collection)
    load(collection, line("a", video="a.ogv", also=["b.webm"]), files=files)
    with pytest.raises(FileRejected):  # no load gives a stored part another first file
        load(collection, line("a", video="b.webm", also=["a.ogv"]), files=files)
    assert overdue() == [] and names == ["a.ogv"]
    assert checksums(collection) == {"a": sha256(files["a.ogv"])}


def test_of_a_clip_in_a_bucket_the_head_that_says_its_type_says_its_checksum_too(
    collection, bucket
):
    load_from_bucket(collection, bucket, a="a.mp4", b="b.mp4", c="c.mp4")
    Store.etags = {"/films/a.mp4": f'"{MD5}"', "/films/b.mp4": f'"{MD5}"'}
    Store.instead = {"/films/c.mp4": 404}
    assert take_turn(collection=collection) == 3 and overdue() == []
    mark = f"etag:{MD5}-{len(content())}"
    assert checksums(collection) == {"a": mark, "b": mark, "c": ""}
    assert Store.asked == [(f"/films/{name}.mp4", HEAD) for name in "abc"]
    assert Store.n_bytes == 2 * 65_536 < len(content())
    assert set(Part.objects.values_list("type", flat=True)) == {
        'video/mp4; codecs="avc1.64000a, mp4a.40.2"',
        "",
    }


def test_of_a_picture_in_a_bucket_and_a_clip_of_before_one_byte_is_fetched(collection, bucket):
    load_from_bucket(collection, bucket, a="a.png", b="b.mp4", c="c.png")
    Store.etags = dict.fromkeys(("/films/a.png", "/films/b.mp4"), f'"{MD5}"')
    take_turn(collection=collection)
    Part.objects.update(checksum=None)  # as before there were any
    Part.objects.filter(path="c.png").update(path="a.png")
    Store.asked, Store.n_bytes = [], 0
    assert take_turn(collection=collection) == 3 and overdue() == []
    mark = f"etag:{MD5}-{len(content())}"
    assert checksums(collection) == {"a": mark, "b": mark, "c": mark}
    assert Store.asked == [("/films/a.png", FIRST_BYTE), ("/films/b.mp4", FIRST_BYTE)]
    assert Store.n_bytes == 2


@pytest.mark.parametrize(
    ("etag", "checksum"),
    [
        (f'"{MD5}-12"', f"etag:{MD5}-12-"),
        (f'"{MD5.upper()}"', f"etag:{MD5.upper()}-"),
        (MD5, f"etag:{MD5}-"),
        (f'W/"{MD5}"', ""),
        ("", ""),
        ('""', ""),
        ('"5e9f1a2b-30d40"', ""),  # time and size
        (f'"{MD5}{MD5}"', ""),
    ],
)
def test_an_etag_counts_if_it_is_a_strong_one_of_the_content(collection, bucket, etag, checksum):
    load_from_bucket(collection, bucket, a="a.png")
    Store.etags = {"/films/a.png": etag}
    take_turn(collection=collection)
    assert checksums(collection) == {"a": checksum and f"{checksum}{len(content())}"}
    assert overdue() == []


@pytest.mark.parametrize("status", [403, 503])
def test_a_picture_that_its_bucket_does_not_give_is_asked_for_again(collection, bucket, status):
    load_from_bucket(collection, bucket, a="a.png", b="b.png")
    Store.etags = {f"/films/{name}.png": f'"{MD5}"' for name in "ab"}
    Store.instead = {"/films/a.png": status}
    assert take_turn(collection=collection) == 1 and overdue() == []  # not at once
    mark = f"etag:{MD5}-{len(content())}"
    assert checksums(collection) == {"a": None, "b": mark}
    cache.delete(media_inspection_turns._rest_key(collection.pk))
    assert overdue() == [collection.pk]
    Store.instead = {}
    assert take_turn(collection=collection) == 1 and checksums(collection) == {"a": mark, "b": mark}


def test_a_clip_that_its_bucket_does_not_give_is_left_for_later_in_all_its_parts(
    collection, bucket
):
    load_from_bucket(collection, bucket, a="a.mp4", b="b.mp4")
    take_turn(collection=collection)
    Part.objects.update(path="a.mp4", checksum=None)
    Part.objects.filter(item__external_id="a").update(looked_at=None)
    Store.asked, Store.instead = [], {"*": 503}
    assert take_turn(collection=collection) == 0 and Store.asked == [("/films/a.mp4", HEAD)]
    assert checksums(collection) == {"a": None, "b": None}


def test_a_part_of_another_path_by_now_gets_the_checksum_of_that(collection, monkeypatch):
    load_pictures(collection, "ab")
    Part.objects.filter(path="b.png").delete()
    names = read_files(monkeypatch, lambda number: Part.objects.update(path="b.png"))
    take_turn(collection=collection)
    assert checksums(collection) == {"a": None}
    cache.delete(media_inspection_turns._rest_key(collection.pk))
    take_turn(collection=collection)
    assert checksums(collection) == {"a": sha256(b"b")} and names == ["a.png", "b.png"]


@pytest.mark.django_db(transaction=True)
def test_a_part_that_a_load_has_locked_keeps_nobody_waiting_and_gets_its_checksum_later(
    collection,
):
    load_pictures(collection, "ab")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN; UPDATE annotate_part SET type = '' WHERE path = 'a.png'")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
            take_turn(collection=collection)
        with other.cursor() as cursor:
            cursor.execute("ROLLBACK")
    finally:
        other.close()
    assert checksums(collection) == {"a": None, "b": sha256(b"b")}
    cache.delete(media_inspection_turns._rest_key(collection.pk))
    assert take_turn(collection=collection) == 1
    assert checksums(collection) == {"a": sha256(b"a"), "b": sha256(b"b")}


def test_one_index_holds_all_that_is_to_be_read():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    parts = Part.objects
    for question in (parts.unread(), parts.not_inspected()):
        assert "annotate_part_unread" in question.order_by("pk").explain()
