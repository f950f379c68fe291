"""Files in a bucket are looked into by turns: what it gives is kept, the rest asked for again."""

import json
from contextlib import suppress

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import connection

from annotate import tasks
from annotate.core.files.archives.ranged_files import RangedFile, UnreachableFile
from annotate.core.files.archives.sources import FileSource
from annotate.models import Part
from annotate.services.imports import items, media_files, media_inspection, media_inspection_turns
from tests import cast
from tests.annotate.bucket import Store, content
from tests.annotate.core.files.samples import file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
MP4 = 'video/mp4; codecs="avc1.64000a, mp4a.40.2"'
HEAD = "bytes=0-65535"


@pytest.fixture
def collection():
    return cast.collection("films")


def load_clips(collection, bucket, *names):
    """Files in the bucket, and an item for each; a file of the name `a.mp4` has the item `a`."""
    for name in names:
        bucket.save(f"films/{name}", ContentFile(b"x"))
    lines = [
        json.dumps({"side": "document", "id": name.partition(".")[0], "video": name})
        for name in names
    ]
    items.load_collection(collection=collection, source=FileSource(file(*lines), "items.jsonl"))


def stored_types(collection):
    """The types of the parts that were looked into, by item."""
    parts = Part.objects.filter(item__collection=collection, looked_at__isnull=False).order_by(
        "item__external_id"
    )
    return dict(parts.values_list("item__external_id", "type"))


def requested_paths():
    """Return the files requested since the last call."""
    names = [path.removeprefix("/films/").partition(".")[0] for path, _ in Store.asked]
    Store.asked.clear()
    return names


def ten_minutes_pass(collection):
    """Expire the cache entries kept for ten minutes."""
    assert media_inspection_turns.REST_SECONDS == 600
    cache.delete(media_inspection_turns._rest_key(collection.pk))


def drop(store: Store) -> None:
    """Say nothing."""
    store.close_connection = True


def cut(store: Store) -> None:
    """Say half of it."""
    store.give(content()[:1_000], length=65_536)


def test_files_in_a_bucket_are_looked_into_later_by_their_heads(collection, bucket):
    load_clips(collection, bucket, "a.mp4", "gone.webm")
    Store.instead = {"/films/gone.webm": 404}
    assert stored_types(collection) == {} and Store.asked == []
    assert media_inspection_turns.overdue() == [collection.pk]
    tasks.look_into_media(collection_id=collection.pk)
    assert stored_types(collection) == {"a": MP4, "gone": ""}
    assert Store.asked == [("/films/a.mp4", HEAD), ("/films/gone.webm", HEAD)]
    assert media_inspection_turns.overdue() == []
    assert "1 of 2 clips could not be read" in media_inspection.doubts(collection=collection)[0]


@pytest.mark.parametrize("status", [404, 410, 416])
def test_that_there_is_no_such_file_or_an_empty_one_is_a_last_word(collection, bucket, status):
    load_clips(collection, bucket, "a.mp4")
    Store.instead = {"/films/a.mp4": status}
    assert media_inspection_turns.take_turn(collection=collection) == 1
    assert stored_types(collection) == {"a": ""} and media_inspection_turns.overdue() == []


NO_LAST_WORDS = {str(status): status for status in (400, 401, 403, 408, 429, 500, 502, 503)} | {
    "silence": drop,
    "half an answer": cut,
    "half a stretch": lambda store: store.give(content()[:1_000]),
    "a stretch of nobody knows how much": lambda store: store.give(content()[:65_536], of="*"),
}


@pytest.mark.parametrize("answer", NO_LAST_WORDS)
def test_a_file_that_is_not_given_is_asked_again_and_undoes_no_look_into_others(
    collection, bucket, caplog, answer
):
    load_clips(collection, bucket, "a.mp4", "b.mp4", "c.mp4")
    Store.instead = {"/films/b.mp4": NO_LAST_WORDS[answer]}
    assert media_inspection_turns.take_turn(collection=collection) == 2
    assert stored_types(collection) == {"a": MP4, "c": MP4} and requested_paths() == ["a", "b", "c"]
    assert "does not give b.mp4" in caplog.text
    assert media_inspection.doubts(collection=collection) == []
    assert media_inspection_turns.overdue() == []  # not at once
    assert media_inspection_turns.take_turn(collection=collection) == 0 and requested_paths() == []
    ten_minutes_pass(collection)
    assert media_inspection_turns.overdue() == [collection.pk]
    Store.instead = {}
    assert media_inspection_turns.take_turn(collection=collection) == 1
    assert stored_types(collection) == {"a": MP4, "b": MP4, "c": MP4} and requested_paths() == ["b"]
    assert media_inspection_turns.overdue() == []


def test_a_bucket_that_is_away_is_left_alone_for_ten_minutes_and_then_asked_for_the_next_files(
    collection, bucket
):
    load_clips(collection, bucket, *(f"{name}.mp4" for name in "abcdefgh"))
    Store.instead = {"*": 503}
    assert media_inspection_turns.take_turn(collection=collection) == 0
    assert requested_paths() == ["a", "b", "c"]
    assert (
        media_inspection_turns.overdue() == []
        and media_inspection_turns.take_turn(collection=collection) == 0
        and requested_paths() == []
    )
    ten_minutes_pass(collection)
    # three that never come keep no others waiting
    Store.instead = {f"/films/{name}.mp4": 503 for name in "abc"}
    assert media_inspection_turns.take_turn(collection=collection) == 5
    assert "".join(stored_types(collection)) == "defgh" == "".join(requested_paths())
    ten_minutes_pass(collection)
    Store.instead = {}
    assert (
        media_inspection_turns.take_turn(collection=collection) == 3
        and media_inspection_turns.overdue() == []
    )


def test_three_files_that_are_not_given_among_others_are_no_bucket_that_is_away(collection, bucket):
    load_clips(collection, bucket, *(f"{name}.mp4" for name in "abcdefg"))
    Store.instead = {f"/films/{name}.mp4": 403 for name in "abdf"}
    assert media_inspection_turns.take_turn(collection=collection) == 3
    assert "".join(stored_types(collection)) == "ceg"


def test_a_turn_takes_a_minute_and_the_next_one_goes_on_behind_it(collection, bucket, job_clock):
    load_clips(collection, bucket, *(f"{name}.mp4" for name in "abcde"))

    def after_25_seconds(store: Store) -> None:
        job_clock.wait(25)
        store.give(content()[:65_536])

    Store.instead = {"*": after_25_seconds, "/films/a.mp4": 403}
    assert media_inspection_turns.take_turn(collection=collection) == 3
    assert "".join(requested_paths()) == "abcd" and media_inspection_turns.overdue() == [
        collection.pk
    ]
    assert media_inspection_turns.take_turn(collection=collection) == 1
    # once all were asked, what is left waits
    assert requested_paths() == ["e"] and media_inspection_turns.overdue() == []
    ten_minutes_pass(collection)
    Store.instead = {}
    assert media_inspection_turns.take_turn(collection=collection) == 1 and requested_paths() == [
        "a"
    ]


def test_a_file_that_comes_byte_by_byte_keeps_the_others_waiting_for_half_a_minute(
    collection, bucket, job_clock
):
    load_clips(collection, bucket, "a.mp4", "b.mp4")

    def slowly(store: Store) -> None:
        store.give(content()[:1], length=65_536)
        store.wfile.flush()
        job_clock.wait(31)
        with suppress(ConnectionError):  # who reads may have gone
            store.wfile.write(content()[1:65_536])

    Store.instead = {"/films/a.mp4": slowly}
    assert media_inspection_turns.take_turn(collection=collection) == 1
    assert stored_types(collection) == {"b": MP4}


def test_a_file_that_several_parts_have_is_asked_for_once_a_turn(collection, bucket):
    load_clips(collection, bucket, "a.mp4", "b.mp4")
    Part.objects.update(path="a.mp4")
    Store.instead = {"*": 403}
    assert media_inspection_turns.take_turn(collection=collection) == 0
    assert requested_paths() == ["a"]


def test_one_worker_at_a_time_looks_into_a_collection(collection, bucket):
    load_clips(collection, bucket, "a.mp4")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(9, %s)", [collection.pk])
        assert (
            media_inspection_turns.take_turn(collection=collection) == 0 and requested_paths() == []
        )
        with other.cursor() as cursor:  # a connection that ends lets go of its locks a moment later
            cursor.execute("SELECT pg_advisory_unlock(9, %s)", [collection.pk])
    finally:
        other.close()
    assert media_inspection_turns.take_turn(collection=collection) == 1


def test_what_was_looked_into_is_kept_whatever_comes_in_between(collection, bucket, monkeypatch):
    load_clips(collection, bucket, "a.mp4", "b.mp4")
    look_into = media_files.detect_medium

    def fails_at_the_second(stream, kind):
        if known_files.append(kind) or len(known_files) == 2:
            raise RuntimeError("as when a worker is told to stop")
        return look_into(stream, kind)

    known_files: list[str] = []
    monkeypatch.setattr(media_files, "detect_medium", fails_at_the_second)
    with pytest.raises(RuntimeError):
        media_inspection_turns.take_turn(collection=collection)
    assert stored_types(collection) == {"a": MP4}


def test_sources_that_came_while_a_part_was_looked_into_are_looked_into_next(
    collection, bucket, monkeypatch
):
    load_clips(collection, bucket, "a.mp4")
    look_into = media_files.detect_medium

    def meanwhile(stream, kind):
        Part.objects.update(also=[{"path": "b.mp4", "type": ""}])
        return look_into(stream, kind)

    with monkeypatch.context() as patched:
        patched.setattr(media_files, "detect_medium", meanwhile)
        media_inspection_turns.take_turn(collection=collection)
    assert stored_types(collection) == {} and Part.objects.get().also == [
        {"path": "b.mp4", "type": ""}
    ]
    ten_minutes_pass(collection)
    media_inspection_turns.take_turn(collection=collection)
    assert stored_types(collection) == {"a": MP4} and Part.objects.get().also == [
        {"path": "b.mp4", "type": MP4}
    ]


def test_a_store_without_stretches_gives_the_head_of_a_file_and_of_the_rest_nothing_is_said(bucket):
    Store.instead = {"*": lambda store: store.give(content(), status=200)}
    whole = RangedFile(bucket.url("films/a.mp4"))
    assert whole.seek(0, 2) == len(content()) and whole.seek(0) == 0
    assert whole.read(8) == content()[:8]
    whole.seek(100_000)
    with pytest.raises(UnreachableFile, match="gives no stretches"):
        whole.read(8)
