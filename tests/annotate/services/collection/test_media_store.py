"""Media of the operator's folder or bucket are shown, never copied; no address is ever fetched."""

import json
import socket
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.urls import reverse

from annotate.core.files.archives.sources import FileSource
from annotate.models import Part
from annotate.services.collection import media
from annotate.services.collection.references import FileRejected
from annotate.services.imports import items as item_import
from config.site.stores import media_store
from tests import cast
from tests.annotate.bucket import MemoryBucket
from tests.annotate.core.files.samples import file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def folder(tmp_path, settings):
    """The operator's folder, with one picture of the collection."""
    where = tmp_path / "operators"
    (where / "shapes" / "m").mkdir(parents=True)
    (where / "shapes" / "m" / "a.png").write_bytes(PNG)
    settings.STORAGES = {**settings.STORAGES, **media_store(str(where))}
    return where


@pytest.fixture
def bucket(settings):
    """A store without paths, as buckets are."""
    backend = {
        "BACKEND": "tests.annotate.bucket.MemoryBucket",
        "OPTIONS": {"base_url": "https://b.example/"},
    }
    settings.STORAGES = {**settings.STORAGES, "collections": backend}
    store = storages["collections"]
    store.save("shapes/m/a.png", ContentFile(PNG))
    return store


def load(collection, *paths):
    lines = [
        json.dumps({"side": "document", "id": f"d{n}", "image": path})
        for n, path in enumerate(paths)
    ]
    return item_import.load_collection(
        collection=collection, source=FileSource(file(*lines), "items.jsonl")
    )


def show(client, collection):
    client.force_login(cast.annotator(collection).user)
    return client.get(reverse("annotate:part-media", args=["shapes", Part.objects.get().pk]))


def test_a_picture_in_the_operators_folder_is_shown_from_there_and_not_copied(
    client, collection, folder
):
    assert load(collection, "m/a.png").n_media == 0
    answer = show(client, collection)
    assert b"".join(answer.streaming_content) == PNG
    assert not media.media_folder(collection).exists()


def test_a_picture_in_a_bucket_is_shown_by_the_buckets_own_link(client, collection, bucket):
    load(collection, "m/a.png")
    answer = show(client, collection)
    assert (answer.status_code, answer.url) == (302, "https://b.example/shapes/m/a.png")
    assert answer.headers["Cache-Control"] == "no-store"


def test_what_neither_has_is_a_fault_and_no_path_leads_out_of_the_collections_folder(
    collection, folder
):
    (folder / "other").mkdir()
    (folder / "other" / "secret.png").write_bytes(PNG)
    for path in ("m/none.png", "none/a.png", "../other/secret.png", "m/a.png/x.png"):
        with pytest.raises(FileRejected):
            load(collection, path)
    assert media.locate_medium(collection=collection, path="../other/secret.png") is None
    assert media.locate_medium(collection=collection, path="m/none.png") is None


def test_the_size_of_a_file_is_known_of_this_machines_and_by_its_checksum_of_a_buckets(
    collection, folder
):
    def stored_bytes(**fields):
        return media.stored_bytes(collection, Part(kind=Part.Kind.IMAGE, **fields))

    assert stored_bytes(path="m/a.png") == len(PNG)  # in the operator's folder
    own_file = media.media_folder(collection) / "b.png"
    own_file.parent.mkdir(parents=True)
    own_file.write_bytes(PNG * 2)
    assert stored_bytes(path="b.png") == 2 * len(PNG)
    for path in ("m/none.png", "../other/secret.png", "https://media.example/a.png"):
        assert stored_bytes(path=path) is None
    assert stored_bytes(path="m/c.png", checksum="etag:0123abcd-12345") == 12345


def test_the_size_of_a_file_in_a_bucket_is_not_asked_for_before_its_checksum_is_there(
    collection, bucket
):
    medium = Part(kind=Part.Kind.IMAGE, path="m/a.png")
    assert media.stored_bytes(collection, medium) is None


def test_every_folder_of_a_bucket_is_listed_once(collection, bucket, monkeypatch):
    listed = []
    listdir = MemoryBucket.listdir
    monkeypatch.setattr(
        MemoryBucket, "listdir", lambda self, path: listed.append(path) or listdir(self, path)
    )
    for number in range(20):
        bucket.save(f"shapes/m/{number}.png", ContentFile(PNG))
    load(collection, *(f"m/{number}.png" for number in range(20)))
    assert listed == ["shapes/m"]


def test_no_address_of_a_file_is_ever_fetched_whatever_stores_there_are(
    collection, folder, settings, monkeypatch
):
    settings.MEDIA_HOSTS = ["https://media.example"]

    def refuse(*address, **options):
        raise AssertionError(f"connected to {address}")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert load(collection, "https://media.example/a.png").n_parts == 1
    with pytest.raises(FileRejected, match="MEDIA_HOSTS"):
        load(cast.collection(), "http://169.254.169.254/latest.png")
    assert media.locate_medium(collection=collection, path="https://media.example/a.png") is None


def test_media_storage_names_a_folder_or_a_bucket():
    assert media_store("") == {}
    (entry,) = media_store(
        "s3://films/shown?region_name=eu-north-1&endpoint_url=https://s3.example"
    ).values()
    assert entry["BACKEND"] == "config.site.bucket.Bucket"
    assert entry["OPTIONS"] == {
        "bucket_name": "films",
        "location": "shown",
        "querystring_auth": True,
        "querystring_expire": 600,
        "region_name": "eu-north-1",
        "endpoint_url": "https://s3.example",
    }
    for wrong in ("films", "http://films.example/x", "s3://"):
        with pytest.raises(ImproperlyConfigured, match="absolute folder"):
            media_store(wrong)


def test_a_bucket_without_boto3_is_refused_with_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(ImproperlyConfigured, match=r"LOCK=s3 into .env .* requirements/s3\.txt"):
        media_store("s3://films")
