"""Releases for programs: made and awaited, listed in pages, withdrawn; requests sent twice."""

import hashlib
import threading

import pytest
from django.db import connection
from django.db.models.functions import Now

from annotate.models import ApiToken, Receipt, Role, Work
from metrics.models import Release
from metrics.services.releases import releases
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import made_release
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
RELEASES = "/api/v1/collections/study/releases/"
SCOPES = (ApiToken.Scope.RELEASES_READ, ApiToken.Scope.RELEASES_WRITE)


@pytest.fixture
def study():
    return studies.unordered_study()


@pytest.fixture
def lead(study):
    return cast.member(study, Role.LEAD)


@pytest.fixture
def headers(study, lead):
    return cast.bearer(lead, *SCOPES, collection=study)


def post(client, headers, url=RELEASES, *, key="", **fields):
    extra = {"Idempotency-Key": key} if key else {}
    return client.post(url, fields, content_type="application/json", headers=headers | extra)


def test_a_release_is_requested_awaited_and_there_with_its_files(client, study, headers):
    answer = post(client, headers, version="1.0", released_on="2026-03-05")
    assert (answer.status_code, answer["Location"]) == (202, f"{RELEASES}1.0/")
    assert (answer.json()["state"], answer.json()["title"]) == ("asked", study.name)
    job = client.get(answer.json()["job"]["url"], headers=headers).json()
    assert (job["kind"], job["state"], job["is_finished"]) == ("release", "asked", False)
    release = perform_work(study.releases.get())
    job = client.get(job["url"], headers=headers).json()
    assert (job["state"], job["is_finished"], job["error"]) == ("done", True, "")
    value = client.get(f"{RELEASES}1.0/", headers=headers).json()
    assert (value["state"], value["sha256"]) == ("made", release.sha256)
    assert value["released_on"] == "2026-03-05"
    assert [(row["path"], row["sha256"]) for row in value["files"]] == list(
        release.files.order_by("path").values_list("path", "sha256")
    )


def test_releases_are_listed_in_pages(client, study, headers):
    for version in ("1.0", "1.1", "1.2"):
        post(client, headers, version=version)
    page = client.get(RELEASES, {"page_size": 2}, headers=headers).json()
    assert [row["version"] for row in page["releases"]] == ["1.2", "1.1"]
    post(client, headers, version="1.3")
    page = client.get(page["next"], headers=headers).json()
    assert [row["version"] for row in page["releases"]] == ["1.0"] and page["next"] is None


def test_releases_are_filtered_by_their_state(client, study, lead, headers):
    made = {version: made_release(study, version=version) for version in ("1", "2", "3")}
    releases.withdraw(release=made["2"], reason="Wrong.", by=lead)
    Release.objects.filter(pk=made["3"].pk).update(published_at=Now())
    post(client, headers, version="4")
    expected = {"made": ["1"], "withdrawn": ["2"], "public": ["3"], "asked": ["4"], "failed": []}
    for state, versions in expected.items():
        rows = client.get(RELEASES, {"state": state}, headers=headers).json()["releases"]
        assert [(row["version"], row["state"]) for row in rows] == [
            (version, state) for version in versions
        ]
    answer = client.get(RELEASES, {"state": "lost"}, headers=headers)
    assert answer.status_code == 422 and "there are: asked, running" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "This field is required."),
        ({"version": "new"}, "A digit, then digits, letters, dots and dashes"),
        (
            {"version": "1.0", "day": "2026-03-05"},
            '"field":"day","message":"There is no such field."',
        ),
        ({"version": "1.0", "released_on": "soon"}, "Enter a valid date."),
        ({"version": "1.0", "title": ["x"]}, '"field":"title"'),
        ({"version": 1.10}, '"field":"version","message":"Send a text."'),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_made(client, study, headers, fields, sentence):
    answer = post(client, headers, **fields)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert sentence in answer.content.decode()
    assert not Release.objects.exists() and not Work.objects.filter(kind="release").exists()


def test_a_request_that_is_sent_again_makes_nothing_twice(client, study, headers):
    first = post(client, headers, key="a", version="1.0")
    again = post(client, headers, key="a", version="1.0")
    assert (again.status_code, again.json()) == (202, first.json())
    assert again["Location"] == first["Location"]
    assert (again["Idempotency-Replayed"], "Idempotency-Replayed" in first) == ("true", False)
    assert Release.objects.count() == Work.objects.filter(kind="release").count() == 1
    other = post(client, headers, key="a", version="1.1")
    assert other.status_code == 422 and "used for another request" in other.json()["detail"]
    assert post(client, headers, key="x" * 256, version="1.1").status_code == 422
    assert post(client, headers, version="1.0").status_code == 422, "without a key it is a new one"


def test_a_refused_request_can_be_sent_again_with_its_key(client, study, headers):
    assert post(client, headers, key="a", version="").status_code == 422
    assert not Receipt.objects.exists()
    assert post(client, headers, key="a", version="1.0").status_code == 202


def test_of_two_requests_at_once_one_makes_the_release(study, headers, client):
    """The second waits for the first, and has its answer."""
    barrier, answers = threading.Barrier(2), []

    def send():
        barrier.wait()
        answers.append(post(type(client)(), headers, key="a", version="1.0"))
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json() == answers[1].json()
    assert sorted("Idempotency-Replayed" in answer for answer in answers) == [False, True]
    assert Release.objects.count() == 1


def test_an_answer_that_has_not_changed_is_not_sent_again(client, study, headers):
    made_release(study, "1.0")
    first = client.get(f"{RELEASES}1.0/", headers=headers)
    again = client.get(f"{RELEASES}1.0/", headers=headers | {"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    Release.objects.filter(version="1.0").update(published_at="2026-03-05T00:00:00Z")
    again = client.get(f"{RELEASES}1.0/", headers=headers | {"If-None-Match": first["ETag"]})
    assert again.status_code == 200 and again["ETag"] != first["ETag"]


def test_a_release_is_cancelled_made_again_discarded_and_withdrawn(client, study, headers):
    post(client, headers, version="1.0")
    one = f"{RELEASES}1.0/"
    assert client.delete(one, headers=headers).status_code == 422, "it is being made"
    assert post(client, headers, f"{one}cancel/").json()["state"] == "cancelled"
    assert post(client, headers, f"{one}again/").status_code == 202
    assert post(client, headers, f"{one}again/").status_code == 422
    post(client, headers, f"{one}cancel/")
    assert client.delete(one, headers=headers).status_code == 204
    assert client.get(one, headers=headers).status_code == 404
    release = made_release(study, "1.0")
    assert client.delete(one, headers=headers).status_code == 422
    assert post(client, headers, f"{one}withdraw/", reason=" ").status_code == 422
    value = post(client, headers, f"{one}withdraw/", reason="A text was not ours.").json()
    assert (value["state"], value["sha256"]) == ("withdrawn", release.sha256)
    assert value["withdrawal_reason"] == "A text was not ours."
    assert post(client, headers, f"{one}withdraw/", reason="Again.").status_code == 422


def test_reading_and_making_need_scopes_and_roles(client, study, lead):
    made_release(study, "1.0")
    reader = cast.bearer(lead, ApiToken.Scope.RELEASES_READ)
    assert client.get(RELEASES, headers=reader).status_code == 200
    assert post(client, reader, version="1.1").status_code == 403
    writer = cast.bearer(lead, ApiToken.Scope.RELEASES_WRITE)
    assert client.get(RELEASES, headers=writer).status_code == 200, "who may write may read"
    numbers = cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)
    assert client.get(RELEASES, headers=numbers).status_code == 403
    assert post(client, writer, version="1.1").status_code == 202
    researcher = cast.bearer(cast.member(study, Role.RESEARCHER), *SCOPES)
    assert client.get(f"{RELEASES}1.0/", headers=researcher).status_code == 200
    assert post(client, researcher, version="1.2").status_code == 403
    assert post(client, researcher, f"{RELEASES}1.0/withdraw/", reason="x").status_code == 403
    annotator = cast.bearer(cast.member(study, Role.ANNOTATOR), *SCOPES)
    assert client.get(RELEASES, headers=annotator).status_code == 403


def test_a_job_is_for_whoever_asked_for_it_and_who_sees_its_release(client, study, headers):
    job = post(client, headers, version="1.0").json()["job"]
    other = cast.bearer(cast.member(study, Role.LEAD), *SCOPES)
    assert client.get(job["url"], headers=other).status_code == 200
    stranger = cast.bearer(cast.user("stranger"), *SCOPES)
    assert client.get(job["url"], headers=stranger).status_code == 404
    assert client.get(job["url"]).status_code == 401
    asker = Release.objects.get().by
    elsewhere = cast.bearer(asker, ApiToken.Scope.QRELS_READ, collection=cast.collection("other"))
    assert client.get(job["url"], headers=elsewhere).status_code == 404
    anywhere = cast.bearer(asker, ApiToken.Scope.QRELS_READ)
    assert client.get(job["url"], headers=anywhere).status_code == 200


def test_files_and_the_archive_are_fetched_whole_or_in_ranges(client, study, headers):
    release = made_release(study, "1.0")
    value = client.get(f"{RELEASES}1.0/", headers=headers).json()
    whole = client.get(value["archive_url"], headers=headers)
    content = b"".join(whole.streaming_content)
    assert hashlib.sha256(content).hexdigest() == release.sha256
    for file in value["files"]:
        answer = client.get(file["url"], headers=headers)
        content = b"".join(answer.streaming_content)
        assert hashlib.sha256(content).hexdigest() == file["sha256"]
        assert answer["ETag"] == f'"{file["sha256"]}"'
    part = client.get(file["url"], headers=headers | {"Range": "bytes=3-9"})
    assert (part.status_code, b"".join(part.streaming_content)) == (206, content[3:10])
    again = client.get(file["url"], headers=headers | {"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    releases.withdraw(release=release, reason="Ours no longer.", by=None)
    assert client.get(value["archive_url"], headers=headers).status_code == 404
    assert client.get(value["url"], headers=headers).json()["archive_url"] is None
    assert client.get(file["url"], headers=headers).status_code == 404


def test_a_release_is_published_and_taken_back(client, study, headers):
    made_release(study, "1.0")
    public = "/releases/study/1.0/"
    assert client.get(public).status_code == 404
    assert post(client, headers, f"{RELEASES}1.0/publish/").json()["state"] == "public"
    assert client.get(public).status_code == 200
    assert post(client, headers, f"{RELEASES}1.0/publish/").status_code == 422
    assert post(client, headers, f"{RELEASES}1.0/unpublish/").json()["state"] == "made"
    assert client.get(public).status_code == 404
    assert post(client, headers, f"{RELEASES}1.0/unpublish/").status_code == 422
