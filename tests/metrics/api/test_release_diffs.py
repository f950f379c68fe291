"""Diffs of releases for programs: awaited, then there with their tables; refusals."""

import csv
import io

import pytest

from annotate.models import ApiToken, Role
from metrics.core.labels.label_sources import LabelSource
from metrics.services.numbers.refresh import refresh
from metrics.services.releases import releases
from metrics.services.releases.diffs.computation import DiffRequest
from metrics.services.releases.diffs.page import TABLES
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import made_release
from tests.works import compute_anew

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
DIFF = "/api/v1/collections/study/releases/1.0/diff/"
SOURCE = LabelSource.parse("over:original")


@pytest.fixture
def study():
    return studies.judged_study("study", n=6)


@pytest.fixture
def headers(study):
    person = cast.member(study, Role.RESEARCHER)
    return cast.bearer(person, ApiToken.Scope.RELEASES_READ, collection=study)


def test_a_diff_is_awaited_and_then_there_with_all_its_tables(client, study, headers):
    first = made_release(study, "1.0")
    waiting = client.get(DIFF, headers=headers)
    assert (waiting.status_code, waiting["Retry-After"]) == (202, "3")
    assert client.get(f"{DIFF}scores.csv", headers=headers).status_code == 202
    studies.judge(study.annotators.earliest("pk"), seed=5, n=6)
    second = made_release(study, "1.1")
    compute_anew(DiffRequest(first, second, SOURCE).inquiry())
    value = client.get(DIFF, {"to": "1.1"}, headers=headers).json()
    assert (value["before"]["version"], value["after"]["version"]) == ("1.0", "1.1")
    assert (value["label_source"], value["is_stale"]) == ("over:original", False)
    assert list(value["tables"]) == list(TABLES)
    added = sum(row["added"] for row in value["tables"]["people"]["rows"])
    assert value["tables"]["people"]["headline"].startswith(f"{added} labels added") and added == 6
    for name, table in value["tables"].items():
        text = client.get(f"{DIFF}{name}.csv", {"to": "1.1"}, headers=headers).content.decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [[*row] for row in rows] == [[*row] for row in table["rows"]]
        assert [row["key"] for row in table["columns"]] == text.splitlines()[0].split(",")


def test_the_earlier_labels_come_first_whichever_release_is_named(client, study, headers):
    first, second = made_release(study, "1.0"), made_release(study, "0.9")
    compute_anew(DiffRequest(first, second, SOURCE).inquiry())
    for version, other in (("1.0", "0.9"), ("0.9", "1.0")):
        url = DIFF.replace("1.0", version)
        value = client.get(url, {"to": other}, headers=headers).json()
        assert (value["before"]["version"], value["after"]["version"]) == ("1.0", "0.9")


def test_labels_that_changed_are_sent_line_by_line(client, study, headers):
    first = made_release(study, "1.0")
    annotator = study.annotators.earliest("pk")
    studies.judge(annotator, seed=5, n=3)
    assert client.get(f"{DIFF}labels.csv", headers=headers).status_code == 202
    for table in ("labels", "pairs"):
        compute_anew(DiffRequest(first, None, SOURCE).inquiry(table))
    answer = client.get(f"{DIFF}labels.csv", headers=headers)
    assert answer["Content-Disposition"] == 'attachment; filename="study-1.0-now-labels.csv"'
    lines = answer.content.decode().splitlines()
    assert lines[0] == "query,document,annotator,before,after"
    assert len(lines) == 4 and all(f",{annotator.pseudonym},," in line for line in lines[1:])
    pairs = client.get(f"{DIFF}pairs.csv", headers=headers)
    assert pairs.content.startswith(b"query,document,before,after\r\n")


def test_a_file_of_earlier_labels_is_awaited_until_the_newer_ones_are_there(client, study, headers):
    diff = DiffRequest(made_release(study, "1.0"), None, SOURCE)
    compute_anew(diff.inquiry())
    assert client.get(f"{DIFF}people.csv", headers=headers).status_code == 200
    studies.judge(study.annotators.earliest("pk"), seed=5, n=6)
    refresh(collection=study)
    answer = client.get(f"{DIFF}people.csv", headers=headers)
    assert (answer.status_code, answer["Retry-After"]) == (202, "3")
    whole = client.get(DIFF, headers=headers)
    assert (whole.status_code, whole.json()["is_stale"]) == (200, True), whole.json()
    compute_anew(diff.inquiry())
    assert client.get(f"{DIFF}people.csv", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("since=1", '"since" is no parameter; there are to, label_source.'),
        ("to=2.0", 'There is no "2.0" to choose; there are: now.'),
        ("to=1.0", 'There is no "1.0" to choose; there are: now.'),
        ("label_source=over:none", 'There is no "over:none" to choose; there are: over:original, '),
    ],
)
def test_what_is_wrong_is_said(client, study, headers, parameters, sentence):
    made_release(study, "1.0")
    answer = client.get(f"{DIFF}?{parameters}", headers=headers)
    assert answer.status_code == 422
    assert sentence in answer.content.decode().replace('\\"', '"')


def test_a_release_that_is_not_there_has_no_diff(client, study, headers):
    assert client.get(DIFF, headers=headers).status_code == 404
    release = made_release(study, "1.0")
    assert client.get(f"{DIFF}nothing.csv", headers=headers).status_code == 404
    made_release(study, "1.1")
    releases.withdraw(release=release, reason="Ours no longer.", by=None)
    assert client.get(DIFF, headers=headers).status_code == 404
    other = DIFF.replace("1.0", "1.1")
    assert client.get(f"{other}?to=1.0", headers=headers).status_code == 422


def test_a_token_needs_the_scope_and_the_role(client, study):
    made_release(study, "1.0")
    person = cast.member(study, Role.RESEARCHER)
    other = cast.bearer(person, ApiToken.Scope.NUMBERS_READ, collection=study)
    annotator = cast.bearer(cast.member(study, Role.ANNOTATOR), ApiToken.Scope.RELEASES_READ)
    for path in (DIFF, f"{DIFF}scores.csv", f"{DIFF}pairs.csv"):
        assert client.get(path).status_code == 401
        assert client.get(path, headers=other).status_code == 403
        assert client.get(path, headers=annotator).status_code == 403
