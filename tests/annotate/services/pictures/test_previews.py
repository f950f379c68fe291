"""Previews are made once an image's checksum is known: one for equal images, a failure once."""

import hashlib
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.cache import cache
from PIL import Image

from annotate import tasks
from annotate.models import Part, Preview, Side
from annotate.services.collection.lifecycle import purging
from annotate.services.collection.media import media_folder
from annotate.services.pictures import previews, thumbnails
from tests import cast
from tests.annotate.bucket import MemoryBucket
from tests.annotate.image_files import image_file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return cast.collection("photos")


def add_image(collection, path, content=None, *, checksum=None, kind="image"):
    """An item with an image of this content, and its part; without content, without a file."""
    (item,) = cast.items(collection, Side.DOCUMENT, 1)
    if content is not None:
        file = media_folder(collection) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        checksum = checksum or f"sha256:{hashlib.sha256(content).hexdigest()}"
    return Part.objects.create(item=item, position=1, kind=kind, path=path, checksum=checksum)


def results(*parts):
    """The preview's size, or the reason why there is none, for each part."""
    texts = []
    for part in parts:
        part.refresh_from_db()
        made = Preview.objects.filter(checksum=part.checksum).first()
        assert bool(part.preview) == bool(made and not made.reason)
        texts.append((part.preview and (part.preview.width, part.preview.height)) or made.reason)
    return texts


def test_the_images_of_a_load_get_previews_and_equal_ones_share_one(collection):
    red, twin, wide = (
        add_image(collection, "red.png", image_file(size=(10, 10))),
        add_image(collection, "again/red.png", image_file(size=(10, 10))),
        add_image(collection, "wide.jpg", image_file(size=(640, 64), form="JPEG")),
    )
    assert previews.overdue() == [collection.pk]
    tasks.make_previews(collection_id=collection.pk)
    assert results(red, twin, wide) == [(10, 10), (10, 10), (320, 32)]
    assert red.preview == twin.preview and Preview.objects.count() == 2
    image = Image.open(io.BytesIO(bytes(wide.preview.content)))
    assert (image.format, image.size) == ("WEBP", (320, 32))
    assert previews.overdue() == []


def test_a_later_image_takes_the_preview_that_is_there(collection):
    first = add_image(collection, "a.png", image_file())
    assert previews.take_turn(collection=collection) == 1
    second = add_image(collection, "b.png", image_file())
    (media_folder(collection) / "b.png").unlink()
    assert previews.take_turn(collection=collection) == 1
    assert results(first, second) == [(320, 160), (320, 160)] and Preview.objects.count() == 1


def test_two_collections_share_nothing(collection):
    other = cast.collection("others")
    part, twin = (add_image(owner, "a.png", image_file()) for owner in (collection, other))
    for owner in (collection, other):
        previews.take_turn(collection=owner)
    purging.purge_collection(collection=collection)
    twin.refresh_from_db()
    assert list(Preview.objects.all()) == [twin.preview]
    assert not Part.objects.filter(pk=part.pk).exists()


def test_images_that_fail_do_so_alone_and_are_not_tried_again(collection):
    good, cut, page = (
        add_image(collection, "good.png", image_file()),
        add_image(collection, "cut.jpg", image_file(form="JPEG")[:600]),
        add_image(collection, "page.png", b"<html><script>alert(1)</script>"),
    )
    assert previews.take_turn(collection=collection) == 3
    assert results(good, cut, page) == [(320, 160), "damaged", "no-image"]
    cache.clear()  # no rest hides one that waits
    assert previews.overdue() == [] and previews.take_turn(collection=collection) == 0


def test_an_absent_file_is_tried_again_after_a_rest_and_drawn_once_it_is_there(collection):
    content = image_file()
    late = add_image(collection, "late.png", content)
    good = add_image(collection, "good.png", image_file(size=(9, 9)))
    file = media_folder(collection) / "late.png"
    file.unlink()
    assert previews.take_turn(collection=collection) == 1
    assert results(good) == [(9, 9)] and Preview.objects.count() == 1
    assert previews.overdue() == [] and previews.take_turn(collection=collection) == 0  # it rests
    file.write_bytes(content)
    cache.delete(previews.rest_key(collection.pk))
    assert previews.overdue() == [collection.pk]
    assert previews.take_turn(collection=collection) == 1 and results(late) == [(320, 160)]


def test_a_process_that_cannot_start_stores_nothing(collection, monkeypatch):
    part = add_image(collection, "a.png", image_file())
    with monkeypatch.context() as patch:
        patch.setattr(thumbnails, "PROCESS", "tests.no_such_module")
        with pytest.raises(thumbnails.ProcessNotStarted):
            previews.take_turn(collection=collection)
    assert not Preview.objects.exists()
    assert previews.take_turn(collection=collection) == 1 and results(part) == [(320, 160)]


def test_addresses_files_without_checksum_and_clips_have_no_previews(collection):
    add_image(collection, "https://elsewhere.example/a.png", checksum="")
    add_image(collection, "b.png", checksum=None)
    add_image(collection, "c.webm", b"clip", kind="video")
    assert previews.overdue() == [] and previews.take_turn(collection=collection) == 0


def test_a_turn_ends_between_images_and_the_next_goes_on_behind_the_last(collection, monkeypatch):
    for number in range(3):
        add_image(collection, f"{number}.png", image_file(size=(9, number + 1)))
    monkeypatch.setattr(previews, "TURN_SECONDS", 0)
    # as short as a turn can be, each makes one preview, and the next goes on behind it
    assert [previews.take_turn(collection=collection) for _ in range(4)] == [1, 1, 1, 0]


class ImageStore(BaseHTTPRequestHandler):
    """A bucket with one image at any path but those of `missing` (404) and `away` (503)."""

    content = image_file()
    n_requests = 0

    def do_GET(self) -> None:
        """Answer as buckets do, for a range."""
        ImageStore.n_requests += 1
        if "missing" in self.path or "away" in self.path:
            self.send_error(404 if "missing" in self.path else 503)
            return
        self.send_response(206)
        n_bytes = len(self.content)
        self.send_header("Content-Range", f"bytes 0-{n_bytes - 1}/{n_bytes}")
        self.send_header("Content-Length", str(n_bytes))
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def image_store(settings):
    server = ThreadingHTTPServer(("127.0.0.1", 0), ImageStore)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/"
    backend = f"{MemoryBucket.__module__}.{MemoryBucket.__name__}"
    bucket = {"BACKEND": backend, "OPTIONS": {"base_url": address}}
    settings.STORAGES = {**settings.STORAGES, "collections": bucket}
    ImageStore.n_requests = 0
    yield
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.usefixtures("image_store")
def test_images_of_a_bucket_are_fetched_and_tried_again_where_it_is_away(collection):
    away, missing, there = (
        add_image(collection, name, checksum=f"etag:{name}-9")
        for name in ("away.png", "missing.png", "there.png")
    )
    assert previews.take_turn(collection=collection) == 2
    assert results(missing, there) == ["missing", (320, 160)]
    away.refresh_from_db()
    assert (away.preview, away.previewed_at) == (None, None)
    # it rests, and is tried again later
    assert previews.overdue() == [] and previews.take_turn(collection=collection) == 0
    cache.delete(previews.rest_key(collection.pk))
    assert previews.overdue() == [collection.pk] and ImageStore.n_requests == 3
