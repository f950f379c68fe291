"""Judgments for programs: all of them, as JSON lines or Parquet, under pseudonyms."""

import io
import json

import pyarrow.parquet as pq
import pytest

from annotate.models import ApiToken, Role
from annotate.services.collection import judgment_export
from tests import cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
JUDGMENTS = "/api/v1/collections/made/judgments/"
PARQUET = "application/vnd.apache.parquet"


@pytest.fixture
def headers(campaign):
    return cast.bearer(campaign.researcher, ApiToken.Scope.JUDGMENTS_READ)


def test_every_judgment_is_a_line(client, campaign, headers):
    answer = client.get(JUDGMENTS, headers=headers)
    assert answer.streaming and answer["Content-Type"] == "application/x-ndjson"
    assert answer["Content-Disposition"] == 'attachment; filename="made-judgments.ndjson"'
    content = answer.getvalue()
    assert content == b"".join(judgment_export.write(collection=campaign.collection, kind="jsonl"))
    rows = [json.loads(line) for line in content.splitlines()]
    assert len(rows) == campaign.collection.judgments.count() > 0
    pseudonyms = set(campaign.collection.annotators.values_list("pseudonym", flat=True))
    assert {row["annotator"] for row in rows} <= pseudonyms
    for annotator in campaign.annotators:
        assert annotator.user.username.encode() not in content


@pytest.mark.parametrize(
    ("query", "accept"),
    [
        ("?format=parquet", "*/*"),
        ("?format=parquet", "application/json"),
        ("", PARQUET),
        ("", f"{PARQUET}, application/json;q=0.5"),
    ],
)
def test_parquet_has_the_same_rows(client, headers, query, accept):
    answer = client.get(f"{JUDGMENTS}{query}", headers=headers | {"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, PARQUET)
    table = pq.read_table(io.BytesIO(answer.getvalue()))
    lines = client.get(JUDGMENTS, headers=headers).getvalue().splitlines()
    rows = [json.loads(line) for line in lines]
    assert table["query"].to_pylist() == [row["query"] for row in rows]
    assert table["annotator"].to_pylist() == [row["annotator"] for row in rows]
    assert table["grade"].to_pylist() == [row["grade"] for row in rows]


@pytest.mark.parametrize(
    ("query", "accept"),
    [("", "application/x-ndjson"), ("", "application/json"), ("?format=ndjson", PARQUET)],
)
def test_lines_are_the_default(client, headers, query, accept):
    answer = client.get(f"{JUDGMENTS}{query}", headers=headers | {"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")


def test_another_format_is_refused(client, headers):
    for query in ("?format=", "?format=json"):
        assert client.get(f"{JUDGMENTS}{query}", headers=headers).status_code == 422
    answer = client.get(f"{JUDGMENTS}?format=csv", headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    sentence = '"csv" is no choice of "format"; there are: ndjson, parquet.'
    assert answer.json()["detail"] == sentence
    answer = client.get(JUDGMENTS, headers=headers | {"Accept": "text/csv"})
    assert (answer.status_code, answer.json()["status"]) == (406, 406)


def test_judgments_are_for_leads_and_researchers_with_the_scope(client, campaign):
    scope = ApiToken.Scope.JUDGMENTS_READ
    assert client.get(JUDGMENTS, headers=cast.bearer(campaign.lead, scope)).status_code == 200
    everything_else = [other for other in ApiToken.Scope if other != scope]
    without_scope = cast.bearer(campaign.lead, *everything_else)
    for accept in ("*/*", PARQUET):
        answer = client.get(JUDGMENTS, headers=without_scope | {"Accept": accept})
        assert answer.status_code == 403 and '"judgments:read"' in answer.json()["detail"]
    annotator = cast.bearer(campaign.annotators[0].user, scope)
    assert client.get(JUDGMENTS, headers=annotator).status_code == 403
    stranger = cast.bearer(cast.member(cast.collection("other"), Role.LEAD), scope)
    assert client.get(JUDGMENTS, headers=stranger).status_code == 404
