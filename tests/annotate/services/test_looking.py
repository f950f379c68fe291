"""Clips and recordings are looked into once: when they are loaded, or by a worker; and no address is ever asked."""

import http.server
import json
import threading
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from annotate import tasks
from annotate.core.sources import FileSource, ZipSource
from annotate.models import Part
from annotate.services import loading, looking, media, overview
from annotate.services.references import Rejected
from config.stores import media_store
from tests import cast, clips
from tests.annotate.core.files import archive, file, line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
THEORA, VP8 = 'video/ogg; codecs="theora, vorbis"', 'video/webm; codecs="vp8, opus"'


@pytest.fixture
def collection():
    return cast.collection("films")


def webm() -> bytes:
    return clips.made("webm", "libvpx", "libopus")


def sound() -> bytes:
    return clips.made("wav", sound="pcm_s16le")


def load(collection, *lines, files=None):
    """Items in a zip with their media."""
    members = {"items.jsonl": "".join(f"{each}\n" for each in lines).encode(), **(files or {})}
    return loading.load_collection(collection=collection, source=ZipSource(archive(members), "films.zip"))


def stored(collection):
    rows = Part.objects.filter(item__collection=collection).order_by("item__external_id", "position")
    return [(part.type, [each["type"] for each in part.also], part.looked_at is not None) for part in rows]


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
        (VP8, [THEORA], True), ("audio/wav", [], True), ("", [], True), ("", [], False),
    ]  # fmt: skip


def test_what_lies_in_the_operators_folder_is_looked_into_there(collection, tmp_path, settings):
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "a.webm").write_bytes(webm())
    settings.STORAGES = {**settings.STORAGES, **media_store(str(tmp_path))}
    lines = [line("1", video="a.webm"), line("2", parts=[{"kind": "video", "path": "a.webm", "start": 0, "end": 1}])]
    loading.load_collection(collection=collection, source=FileSource(file(*lines), "items.jsonl"))
    assert stored(collection) == [(VP8, [], True)] * 2


def test_of_an_address_the_type_is_what_the_file_says_and_nobody_asks_it(collection, settings, monkeypatch):
    settings.MEDIA_HOSTS = ["https://h"]
    monkeypatch.setattr("annotate.core.ranged_files.urlopen", lambda *args, **options: pytest.fail("asked"))
    told = {"path": "https://h/b.mp4", "type": 'video/mp4; codecs="avc1.64001f"'}
    load(collection, line("1", parts=[{"kind": "video", "path": "https://h/a.webm?x=1", "also": [told, "c.webm"]}]),
         files={"c.webm": webm()})  # fmt: skip
    load(collection, line("2", parts=[{"kind": "video", **told}]))
    looking.look_into_rest(collection=collection)
    assert stored(collection) == [("", [told["type"], VP8], True), (told["type"], [], True)]


@pytest.mark.parametrize(("part", "fault"), [
    ({"kind": "video", "path": "a.webm", "also": ["none.mp4"]}, 'there is no file "none.mp4"'),
    ({"kind": "video", "path": "a.webm", "also": ["../a.mp4"]}, "leads out of the folder"),
    ({"kind": "video", "path": "a.webm", "also": ["a.mp3"]}, "belongs to no video known here"),
    ({"kind": "video", "path": "a.webm", "also": ["a.webm"]}, "names the same source twice"),
    ({"kind": "video", "path": "a.webm", "also": [7]}, "neither a path nor an object"),
    ({"kind": "video", "path": "a.webm", "also": [{"path": "a.webm", "size": 1}]}, "neither a path nor an object"),
    ({"kind": "video", "path": "a.webm", "also": [f"{n}.webm" for n in range(9)]}, "has more than 8 further sources"),
    ({"kind": "video", "path": "a.webm", "also": ["https://elsewhere/a.mp4"]}, "MEDIA_HOSTS does not name"),
    ({"kind": "video", "path": "a.webm", "type": "video/webm"}, "files are looked into"),
    ({"kind": "video", "path": "https://h/a.webm", "type": "text/html"}, "write it as video/webm"),
    ({"kind": "image", "path": "a.png", "also": ["a.webp"]}, "which are for video and audio"),
    ({"kind": "text", "text": "x", "type": "video/webm"}, "which are for video and audio"),
])  # fmt: skip
def test_a_source_that_cannot_be_one_is_a_fault_with_its_line(collection, settings, part, fault):
    settings.MEDIA_HOSTS = ["https://h"]
    with pytest.raises(Rejected) as refused:
        load(collection, line("1", parts=[part]), files={"a.webm": webm()})
    (said,) = refused.value.problems.lines()
    assert said.startswith("Line 1: ") and fault in said


def test_the_short_form_has_further_sources_of_its_one_clip(collection):
    files = {"a.ogv": clips.theora(), "a.webm": webm()}
    load(collection, line("1", text="x", video="a.ogv", also="a.webm"), files=files)
    assert stored(collection) == [("", [], False), (THEORA, [VP8], True)]
    with pytest.raises(Rejected, match="stands beside one video or one audio"):
        load(collection, line("2", text="x", also="a.webm"), files=files)


def test_the_lead_is_told_what_does_not_play_where_and_no_more_once_it_has_another_source(collection):
    files = {"a.ogv": clips.theora(), "b.mp4": clips.made("mp4", "libx264", "aac")}
    report = load(collection, line("1", video="a.ogv"), line("2", video="b.mp4"), files=files)
    told = ("1 of 2 clips is Ogg, Theora, Vorbis: it plays in no Safari, in Chrome only up to version 122 and in "
            "Firefox up to 125. Add an MP4 (H.264, AAC) beside it.")  # fmt: skip
    assert report.doubts == [told] == overview.overview(collection=collection).doubts
    again = load(collection, line("1", video="a.ogv", also=["b.mp4"]), files=files)
    assert (again.n_further, again.n_known, again.n_items, again.doubts) == (1, 1, 0, [])
    assert "1 have further sources now" in str(again) and "Nothing changed" not in str(again)
    assert overview.overview(collection=collection).doubts == []
    assert stored(collection)[0] == (THEORA, ['video/mp4; codecs="avc1.64000a, mp4a.40.2"'], True)
    for also in ({}, {"also": ["b.mp4"]}):
        assert "Nothing changed" in str(load(collection, line("1", video="a.ogv", **also), files=files))
    with pytest.raises(Rejected, match="loaded before with other content"):
        load(collection, line("1", video="b.mp4", also=["a.ogv"]), files=files)


def test_items_of_before_are_looked_into_by_a_worker_once(collection):
    load(collection, line("1", video="a.webm"), line("2", video="b.ogv"), files={"a.webm": webm(), "b.ogv": b"gone"})
    assert looking.overdue() == []
    Part.objects.update(type="", looked_at=None)  # as they stood before anybody looked
    assert looking.overdue() == [collection.pk]
    tasks.look_into_media(collection_id=collection.pk)
    assert stored(collection) == [(VP8, [], True), ("", [], True)]
    media.media_folder(collection).joinpath("a.webm").unlink()
    tasks.look_into_media(collection_id=collection.pk)
    assert looking.overdue() == []
    assert stored(collection)[0] == (VP8, [], True)


class Store(http.server.SimpleHTTPRequestHandler):
    """A bucket's own links, with stretches of files; what was asked is noted."""

    asked: list[tuple[str, str]] = []
    status = 206

    def do_GET(self) -> None:
        """Answer as buckets do."""
        stretch = self.headers.get("Range", "")
        self.asked.append((self.path, stretch))
        content = clips.made("mp4", "libx264", "aac") if self.path.endswith(".mp4") else b""
        content = content and content + free_box(200_000)
        first, last = map(int, stretch.removeprefix("bytes=").split("-"))
        self.send_response(self.status if content or self.status > 299 else 404)
        sent = content[first : last + 1]
        self.send_header("Content-Range", f"bytes {first}-{first + len(sent) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args: object) -> None:
        """Nothing."""


def free_box(n: int) -> bytes:
    """A box of so many bytes that says nothing."""
    return n.to_bytes(4) + b"free" + bytes(n - 8)


@pytest.fixture
def bucket(settings):
    """A store whose links lead to a server of this test."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}/"
    settings.STORAGES = {
        **settings.STORAGES,
        "collections": {"BACKEND": "tests.annotate.bucket.Bucket", "OPTIONS": {"base_url": base}},
    }
    Store.asked, Store.status = [], 206
    yield storages["collections"]
    server.shutdown()
    thread.join()
    server.server_close()


def in_bucket(collection, bucket, *names):
    for name in names:
        bucket.save(f"films/{name}", ContentFile(b"x"))
    lines = [json.dumps({"side": "document", "id": name, "video": name}) for name in names]
    loading.load_collection(collection=collection, source=FileSource(file(*lines), "items.jsonl"))


def test_files_in_a_bucket_are_looked_into_later_by_their_heads(collection, bucket):
    in_bucket(collection, bucket, "a.mp4", "gone.webm")
    assert stored(collection) == [("", [], False)] * 2 and Store.asked == []
    assert looking.overdue() == [collection.pk]
    assert looking.look_into_rest(collection=collection) == 2
    assert stored(collection) == [('video/mp4; codecs="avc1.64000a, mp4a.40.2"', [], True), ("", [], True)]
    assert Store.asked == [("/films/a.mp4", "bytes=0-65535"), ("/films/gone.webm", "bytes=0-65535")]


def test_a_bucket_that_is_away_is_asked_again_later(collection, bucket, caplog):
    in_bucket(collection, bucket, "a.mp4")
    Store.status = 503
    assert looking.look_into_rest(collection=collection) == 0
    assert "does not answer" in caplog.text
    assert looking.overdue() == [collection.pk]
    Store.status = 206
    assert looking.look_into_rest(collection=collection) == 1


def test_fifty_clips_are_looked_into_with_as_many_queries_as_ten(collection, django_assert_max_num_queries):
    folder = Path(media.media_folder(collection))
    folder.mkdir(parents=True)
    for number in range(60):
        (folder / f"{number}.webm").write_bytes(webm())
    one = [line(f"a{number}", video=f"{number}.webm") for number in range(10)]
    many = [line(f"b{number}", video=f"{number}.webm") for number in range(10, 60)]
    with django_assert_max_num_queries(99) as few:
        load(collection, *one)
    with django_assert_max_num_queries(len(few)):
        load(collection, *many)
    assert stored(collection) == [(VP8, [], True)] * 60
