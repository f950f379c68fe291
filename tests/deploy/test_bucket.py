"""Media in a bucket of a real S3 server: found, linked, inspected; and an outage of the bucket."""

import errno
import hashlib
import http.server
import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import boto3
import pytest
from botocore.exceptions import ClientError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import Import, Part, Work
from annotate.services.background import works
from annotate.services.imports import imports, media_inspection_turns
from annotate.services.imports.kinds import ItemsImport
from config.site.stores import media_store
from config.up.processes import spawn, stop, wait_until
from tests import cast, clips
from tests.deploy.programs import python_s3_server
from tests.works import perform_work

pytestmark = [
    pytest.mark.full,
    # an outage that comes in the midst of a COPY ends the connection
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("media_root", "keys"),
]
PNG = b"\x89PNG\r\n\x1a\n" * 100
OPTIONS = "region_name=eu-north-1&signature_version=s3v4&addressing_style=path"


@pytest.fixture
def keys(monkeypatch):
    """Keys where boto3 looks for them, and no others."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an S3 server."""
    log: Path = tmp_path_factory.mktemp("s3") / "log"
    process = spawn(python_s3_server(), log=log, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        running = re.compile(r"Running on (http://127\.0\.0\.1:\d+)")
        assert wait_until(
            lambda: running.search(log.read_text()) or process.poll() is not None, seconds=240
        )
        address = running.search(log.read_text())
        assert address, log.read_text()
        yield address[1]
    finally:
        stop(process)


@pytest.fixture
def bucket(s3, settings):
    """MEDIA_STORAGE as an operator writes it, and the bucket behind it."""
    use(settings, s3)
    films = boto3.resource("s3", endpoint_url=s3, region_name="eu-north-1").Bucket("films")
    films.create(CreateBucketConfiguration={"LocationConstraint": "eu-north-1"})
    yield films
    films.objects.delete()
    films.delete()


def use(settings, address):
    settings.STORAGES = {
        **settings.STORAGES,
        **media_store(f"s3://films/shown?endpoint_url={address}&{OPTIONS}"),
    }


def receive(collection, **part):
    """An import of one item with this part."""
    line = json.dumps({"side": "document", "id": "d", **part}).encode()
    upload = SimpleUploadedFile("items.jsonl", line)
    return imports.receive_import(
        collection=collection, import_request=ItemsImport(), upload=upload
    ).import_


def test_a_picture_is_shown_by_a_link_of_the_bucket_that_works_for_some_minutes(
    client, collection, bucket
):
    bucket.put_object(Key="shown/shapes/m/a.png", Body=PNG)
    assert perform_work(receive(collection, image="m/a.png")).work.state == Work.State.DONE
    client.force_login(cast.annotator(collection).user)
    answer = client.get(reverse("annotate:part-media", args=["shapes", Part.objects.get().pk]))
    link = urlsplit(answer.url)
    assert (answer.status_code, link.path) == (302, "/films/shown/shapes/m/a.png")
    assert parse_qs(link.query)["X-Amz-Expires"] == ["600"] and "X-Amz-Signature" in link.query
    with urlopen(answer.url, timeout=240) as response:
        assert response.read() == PNG


def test_of_a_picture_the_buckets_links_say_the_checksum(collection, bucket):
    bucket.put_object(Key="shown/shapes/m/a.png", Body=PNG)
    perform_work(receive(collection, image="m/a.png"))
    assert media_inspection_turns.take_turn(collection=collection) == 1
    assert Part.objects.get().checksum == f"etag:{hashlib.md5(PNG).hexdigest()}-{len(PNG)}"
    assert media_inspection_turns.overdue() == []


def test_a_file_that_the_bucket_does_not_have_is_a_fault_of_the_import(collection, bucket):
    bucket.put_object(Key="shown/shapes/m/a.png", Body=PNG)
    bucket.put_object(Key="shown/other/m/b.png", Body=PNG)
    failed = perform_work(receive(collection, image="m/b.png"))
    assert failed.work.state == Work.State.FAILED and "m/b.png" in json.dumps(failed.report)


def test_of_a_clip_stretches_are_read_over_the_buckets_links_which_say_its_checksum(
    collection, bucket
):
    clip = clips.encode_clip("mp4", "libx264", "aac") + bytes(100_000)
    bucket.put_object(Key="shown/shapes/a.mp4", Body=clip)
    perform_work(receive(collection, video="a.mp4"))
    assert Part.objects.get().looked_at is None and media_inspection_turns.overdue() == [
        collection.pk
    ]
    assert media_inspection_turns.take_turn(collection=collection) == 1
    part = Part.objects.get()
    assert part.type.startswith('video/mp4; codecs="avc1')
    assert part.checksum == f"etag:{hashlib.md5(clip).hexdigest()}-{len(clip)}"


class Failing(http.server.BaseHTTPRequestHandler):
    """A bucket that answers with an error."""

    status = 503

    def do_GET(self) -> None:
        """Answer as S3 does."""
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(b"<Error><Code>Anything</Code><Message>No.</Message></Error>")

    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def failing() -> Iterator[str]:
    """The address of a failing bucket."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Failing) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def absent() -> str:
    """An address where no server listens."""
    return "http://127.0.0.1:1"


@pytest.mark.parametrize("away", ["failing", "absent"])
def test_while_the_bucket_is_away_work_waits_for_it_and_is_done_afterwards(
    collection, bucket, settings, request, away
):
    bucket.put_object(Key="shown/shapes/m/a.png", Body=PNG)
    received = receive(collection, image="m/a.png")
    address = settings.STORAGES["collections"]["OPTIONS"]["endpoint_url"]
    use(settings, request.getfixturevalue(away))
    for n_outages in range(1, works.MAX_ATTEMPTS + 2):
        with pytest.raises(OSError, match="The bucket of MEDIA_STORAGE does not serve") as error:
            works.perform(work=received.work)
        work = Work.objects.get(pk=received.work.pk)
        assert error.value.errno == errno.EHOSTUNREACH
        assert (work.state, work.attempts, work.n_outages) == (Work.State.RUNNING, 0, n_outages)
    use(settings, address)
    assert perform_work(Import.objects.get()).work.state == Work.State.DONE


def test_a_bucket_that_gives_us_no_right_is_no_outage(
    collection, bucket, settings, failing, monkeypatch
):
    monkeypatch.setattr(Failing, "status", 403)
    received = receive(collection, image="m/a.png")
    use(settings, failing)
    with pytest.raises(ClientError, match="ListObjects"):
        works.perform(work=received.work)
    work = Work.objects.get(pk=received.work.pk)
    assert (work.attempts, work.n_outages) == (1, 0)
