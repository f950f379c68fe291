"""Programs bring files with a scoped token, see how far they are, and cancel."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate import tasks
from annotate.models import Import, Role, Side
from annotate.services import imports, jobs, tokens
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media_root(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def made():
    made = cast.collection("shapes", grades=3)
    cast.items(made, Side.QUERY, 1)
    cast.items(made, Side.DOCUMENT, 1)
    return made


def key(made, scopes=("files:write",), role=Role.RESEARCHER):
    person = cast.member(made, role)
    secret = tokens.create_token(user=person, name="script", scopes=list(scopes), days=1).secret
    return {"Authorization": f"Bearer {secret}"}


def post(client, headers, content=b"q0 0 d0 1\n", **fields):
    upload = {"file": SimpleUploadedFile("a.qrels", content)} if content else {}
    url = reverse("api:imports", args=["shapes"])
    return client.post(url, {"kind": "reference", "name": "original", **fields, **upload}, headers=headers)


def one(client, headers, pk):
    return client.get(reverse("api:import", args=["shapes", pk]), headers=headers).json()


def test_a_file_is_received_read_and_reported(client, made):
    headers = key(made)
    answer = post(client, headers)
    assert (answer.status_code, answer.json()["state"]) == (201, "received")
    pk = answer.json()["id"]
    jobs.advance(job=imports.job_of(Import.objects.get(pk=pk)), done=10, total=40)
    assert one(client, headers, pk)["progress"]["total"] == 40
    tasks.run_import(import_id=pk)
    told = one(client, headers, pk)
    assert (told["state"], told["progress"]) == ("done", None)
    assert told["report"]["loads"][0]["figures"][1] == ["Labels stored", 1]
    assert post(client, headers).status_code == 200
    listed = client.get(reverse("api:imports", args=["shapes"]), headers=headers).json()["imports"]
    assert [each["id"] for each in listed] == [pk]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"kind": "gossip"}, "one of items, reference, judgments, query_set"),
        ({"name": ""}, "name"),
        ({"grades": "x"}, "grades"),
        ({"content": b""}, "file"),
        ({"content": b"PK\x03\x04"}, "zip archive"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_received(client, made, fields, says):
    answer = post(client, key(made), **fields)
    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    assert says in answer.content.decode()
    assert not Import.objects.exists()


def test_a_program_cancels_what_waits(client, made):
    headers = key(made)
    pk = post(client, headers).json()["id"]
    answer = client.post(reverse("api:import-cancel", args=["shapes", pk]), headers=headers)
    assert answer.json()["state"] == "cancelled"


def test_a_key_without_the_scope_or_the_role_brings_nothing(client, made):
    assert post(client, key(made, scopes=["runs:write"])).status_code == 403
    assert post(client, key(made, role=Role.LEAD)).status_code == 404
