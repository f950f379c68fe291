"""Uploads are written to their final disk, refused when too large, and answered to a script."""

import os
import time
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import Import, Role
from annotate.services.background import housekeeping
from tests import cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
LINE = b'{"side": "document", "id": "d1", "text": "x"}\n'


@pytest.fixture
def collection(client, collection, researcher):
    client.force_login(researcher)
    return collection


def send(client, content, **headers):
    url = reverse("annotate:load", args=["shapes", "items"])
    return client.post(url, {"file": SimpleUploadedFile("a.jsonl", content)}, headers=headers)


def test_a_kept_upload_was_moved_and_a_refused_one_is_gone(client, collection, settings):
    send(client, LINE)
    stored_file = Path(Import.objects.get().file.path)
    assert stored_file.read_bytes() == LINE
    assert stored_file.is_relative_to(settings.MEDIA_ROOT)
    assert send(client, b"PK\x03\x04 no archive").status_code == 422
    assert list((Path(settings.MEDIA_ROOT) / "uploads").iterdir()) == []


def test_an_upload_beyond_the_limit_is_refused_before_it_is_read(client, collection, settings):
    settings.UPLOAD_MAX_BYTES = 1024 * 1024
    answer = send(client, b"x" * 3 * 1024 * 1024)
    assert answer.status_code == 413
    assert "One upload may have 1 MB" in answer.content.decode()
    assert not Import.objects.exists()


def test_a_program_is_told_the_limit_too(client, collection, settings):
    settings.UPLOAD_MAX_BYTES = 1024 * 1024
    person = cast.member(collection, Role.RESEARCHER)
    upload = SimpleUploadedFile("a.jsonl", b"x" * 3 * 1024 * 1024)
    answer = client.post(
        reverse("api:imports", args=["shapes"]),
        {"kind": "items", "file": upload},
        headers=cast.bearer(person, "files:write"),
    )
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "application/problem+json")


def test_a_script_is_told_where_to_go_instead_of_being_sent_there(client, collection):
    answer = send(client, LINE, X_Upload="script")
    step = {"after": "annotate:load", "kind": "items"}
    next_step = reverse("metrics:setup-next", args=["shapes"], query=step)
    assert (answer.status_code, answer.headers["X-Location"]) == (204, next_step)
    page = reverse("annotate:import", args=["shapes", Import.objects.get().pk])
    assert send(client, LINE).url == page
    assert send(client, b"PK\x03\x04", X_Upload="script").status_code == 422


def test_messages_wait_for_the_page_that_the_script_opens(client, collection):
    send(client, LINE)
    send(client, LINE, X_Upload="script")
    page = reverse("annotate:import", args=["shapes", Import.objects.get().pk])
    assert "This very file came" in client.get(page).content.decode()


def test_what_a_killed_server_left_goes_after_a_day(settings):
    folder = Path(settings.MEDIA_ROOT) / "uploads"
    folder.mkdir(parents=True)
    for name, age in (("old", 2 * 86_400), ("new", 60)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - age,) * 2)
    housekeeping.drop_cut_uploads()
    assert [file.name for file in folder.iterdir()] == ["new"]
