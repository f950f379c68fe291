"""Resolutions for programs: each pair with its state and grade, in pages and as files."""

import io
import json
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from annotate.core.labels.pair_states import PairState
from annotate.models import ApiToken, Pair, Resolution, Role, RoundPair
from annotate.services import seating
from annotate.services.review import adjudicating, exclusions
from metrics.services.downloads import lines
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import dispute, inbox_collection, report

pytestmark = pytest.mark.django_db
RESOLUTIONS = "/api/v1/collections/birds/resolutions/"
PARQUET = "application/vnd.apache.parquet"
SCOPE = ApiToken.Scope.JUDGMENTS_READ


@pytest.fixture
def collection():
    return inbox_collection()


@pytest.fixture
def lead(collection):
    return cast.member(collection, Role.LEAD)


@pytest.fixture
def headers(collection):
    return cast.bearer(cast.member(collection, Role.RESEARCHER), SCOPE)


@pytest.fixture
def pairs(collection, lead):
    """A pair in each state, and one that only a gold names."""
    (disputed,) = dispute(collection)
    (decided,) = dispute(collection)
    adjudicating.adjudicate(pair=decided, by=lead, grade=2)
    escalated = report(collection, "escalated")
    cannot_judge = report(collection, "cannot_judge")
    some_labels, untouched, left_out, *_ = cast.pairs(collection, 4)
    campaigns.open_pool_round(collection, [some_labels])
    campaigns.judge_batch(cast.annotator(collection), 1, limit=1)
    campaigns.open_pool_round(collection, [untouched, left_out], name="second")
    exclusions.exclude_pair(pair=left_out, by=lead, reason="nobody can tell")
    return {
        PairState.DISPUTED: disputed,
        PairState.COMPLETE: decided,
        PairState.ESCALATED: escalated,
        PairState.CANNOT_JUDGE: cannot_judge,
        PairState.SOME_LABELS: some_labels,
        PairState.UNTOUCHED: untouched,
        PairState.LEFT_OUT: left_out,
    }


def rows_of(client, headers, **parameters):
    """The rows of all pages."""
    url, rows = RESOLUTIONS, []
    while url:
        answer = client.get(url, parameters, headers=headers)
        assert answer.status_code == 200, answer.json()
        rows += answer.json()["resolutions"]
        url, parameters = answer.json()["next"], {}
    return rows


def test_each_pair_has_its_state_and_how_its_grade_came_about(client, collection, pairs, headers):
    rows = {row["pair"]: row for row in rows_of(client, headers)}
    assert {key: row["state"] for key, row in rows.items()} == {
        pair.pk: state.value for state, pair in pairs.items()
    }
    assert Pair.objects.filter(collection=collection).count() == len(pairs) + 1
    decided = pairs[PairState.COMPLETE]
    row = rows[decided.pk]
    assert row == {
        "pair": decided.pk,
        "query": decided.query.external_id,
        "document": decided.document.external_id,
        "state": "complete",
        "status": "adjudicated",
        "grade": 2,
        "n_labels": 2,
        "is_complete": True,
        "policy": 1,
        "rule": "majority",
        "changed_at": row["changed_at"],
    }
    untouched = rows[pairs[PairState.UNTOUCHED].pk]
    assert [untouched[name] for name in ("status", "grade", "policy", "rule", "changed_at")] == [
        None
    ] * 5
    assert (untouched["n_labels"], untouched["is_complete"]) == (0, False)


def test_states_and_grades_are_those_of_the_download(client, campaign):
    headers = cast.bearer(campaign.researcher, SCOPE)
    url = "/api/v1/collections/made/resolutions/"
    rows = client.get(url, headers=headers).json()["resolutions"]
    text = "".join(lines.pair_states(collection=campaign.collection))
    in_download = {
        (query, document): (state, grade)
        for _, _, query, document, state, grade, _ in (
            line.split("\t") for line in text.splitlines()[1:]
        )
    }
    assert in_download == {
        (row["query"], row["document"]): (
            row["state"],
            "" if row["grade"] is None else str(row["grade"]),
        )
        for row in rows
    }


def test_a_pair_that_one_of_two_rounds_leaves_out_is_wanted(client, collection, pairs, headers):
    pair = pairs[PairState.UNTOUCHED]
    campaigns.open_pool_round(collection, [pair], name="third")
    RoundPair.objects.filter(pair=pair, round__name="second").update(dropped_at="2026-01-01T00:00Z")
    (row,) = (row for row in rows_of(client, headers) if row["pair"] == pair.pk)
    assert row["state"] == "untouched"


@pytest.mark.parametrize("state", list(PairState))
def test_pages_have_the_pairs_of_a_state_alone(client, pairs, headers, state):
    (row,) = rows_of(client, headers, state=state.value)
    assert (row["pair"], row["state"]) == (pairs[state].pk, state.value)


def test_pages_have_the_pairs_of_a_query_alone(client, collection, pairs, headers):
    query = pairs[PairState.DISPUTED].query
    expected = [row for row in rows_of(client, headers) if row["query"] == query.external_id]
    assert rows_of(client, headers, query=query.external_id) == expected != []
    assert rows_of(client, headers, query="no such query") == []


def test_pages_have_what_changed_since_a_moment_alone(client, collection, pairs, lead, headers):
    newest = max(row["changed_at"] for row in rows_of(client, headers) if row["changed_at"])
    moment = Resolution.objects.latest("changed_at").changed_at + timedelta(microseconds=1)
    since = {"changed_since": moment.isoformat()}
    assert rows_of(client, headers, **since) == []
    keys = [pair.pk for pair in pairs.values()]
    seating.reconcile_pairs(pair_ids=keys)
    assert rows_of(client, headers, **since) == []  # nothing is another one
    adjudicating.adjudicate(pair=pairs[PairState.DISPUTED], by=lead, grade=0)
    (row,) = rows_of(client, headers, **since)
    assert (row["pair"], row["grade"]) == (pairs[PairState.DISPUTED].pk, 0)
    assert row["changed_at"] >= newest
    campaigns.judge_batch(cast.annotator(collection), 1)
    assert len(rows_of(client, headers, **since)) > 1


def test_pages_are_cut_by_the_keys_of_pairs(client, pairs, headers):
    whole = rows_of(client, headers)
    assert rows_of(client, headers, page_size=2) == whole
    assert [row["pair"] for row in whole] == sorted(row["pair"] for row in whole)


def test_a_page_takes_as_many_queries_for_many_pairs(
    client, collection, pairs, headers, django_assert_num_queries, django_assert_max_num_queries
):
    client.get(RESOLUTIONS, {"page_size": 1}, headers=headers)
    with django_assert_max_num_queries(99) as few:
        client.get(RESOLUTIONS, {"page_size": 1}, headers=headers)
    with django_assert_num_queries(len(few)):
        client.get(RESOLUTIONS, {"page_size": 100}, headers=headers)


@pytest.mark.parametrize(
    ("parameters", "accept"),
    [({"format": "ndjson"}, "*/*"), ({}, "application/x-ndjson")],
)
def test_the_file_has_the_rows_of_the_pages(client, pairs, headers, parameters, accept):
    answer = client.get(RESOLUTIONS, parameters, headers=headers | {"Accept": accept})
    assert answer.streaming and answer["Content-Type"] == "application/x-ndjson"
    assert answer["Content-Disposition"] == 'attachment; filename="birds-resolutions.ndjson"'
    content = answer.getvalue()
    assert [json.loads(line) for line in content.splitlines()] == rows_of(client, headers)
    assert list(json.loads(content.splitlines()[0])) == list(rows_of(client, headers)[0])


def test_files_have_the_filters_of_pages(client, pairs, headers):
    query = pairs[PairState.DISPUTED].query.external_id
    since = "2020-01-01T00:00:00Z"
    for parameters in ({"state": "disputed"}, {"query": query}, {"changed_since": since}):
        answer = client.get(RESOLUTIONS, parameters | {"format": "ndjson"}, headers=headers)
        rows = [json.loads(line) for line in answer.getvalue().splitlines()]
        assert rows == rows_of(client, headers, **parameters) != []


def test_parquet_has_the_same_rows(client, pairs, headers):
    answer = client.get(RESOLUTIONS, headers=headers | {"Accept": PARQUET})
    assert (answer.status_code, answer["Content-Type"]) == (200, PARQUET)
    table, rows = pq.read_table(io.BytesIO(answer.getvalue())), rows_of(client, headers)
    for name in ("pair", "query", "document", "state", "status", "grade", "n_labels", "policy"):
        assert table[name].to_pylist() == [row[name] for row in rows]
    moments = [moment and moment.isoformat() for moment in table["changed_at"].to_pylist()]
    assert [moment and moment[:19] for moment in moments] == [
        row["changed_at"] and row["changed_at"][:19] for row in rows
    ]


def test_files_of_a_collection_without_pairs_have_no_rows(client, collection, headers):
    answer = client.get(RESOLUTIONS, {"format": "ndjson"}, headers=headers)
    assert answer.getvalue() == b""
    answer = client.get(RESOLUTIONS, {"format": "parquet"}, headers=headers)
    assert pq.read_table(io.BytesIO(answer.getvalue())).num_rows == 0


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"stat": "disputed"}, '"stat" is no parameter; there are state, query, changed_since'),
        ({"state": "odd"}, '"odd" is not a valid choice.'),
        ({"changed_since": "yesterday"}, "Datetime has wrong format"),
        ({"changed_since": "0001-01-01T00:00:00+14:00"}, ""),
        ({"query": "q" * 501}, "no more than 500 characters"),
        ({"format": ""}, '"" is no choice of "format"; there are: json, ndjson, parquet.'),
        ({"format": "csv"}, '"csv" is no choice of "format"; there are: json, ndjson, parquet.'),
    ],
)
def test_another_parameter_or_value_is_refused(client, headers, parameters, words):
    answer = client.get(RESOLUTIONS, parameters, headers=headers)
    assert answer.status_code == 422
    assert words in json.dumps(answer.json(), ensure_ascii=False).replace('\\"', '"')


@pytest.mark.parametrize("cursor", ["x", "cD1hYmM=", "cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5OQ=="])
def test_a_broken_cursor_is_no_fault_of_the_server(client, pairs, headers, cursor):
    answer = client.get(RESOLUTIONS, {"cursor": cursor}, headers=headers)
    assert (answer.status_code, answer.json().get("detail")) in {
        (200, None),
        (404, "Invalid cursor"),
    }


def test_an_answer_that_is_the_same_is_304(client, pairs, headers):
    etag = client.get(RESOLUTIONS, headers=headers)["ETag"]
    again = client.get(RESOLUTIONS, headers=headers | {"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_resolutions_are_for_leads_and_researchers_with_the_scope(client, collection, lead):
    assert client.get(RESOLUTIONS, headers=cast.bearer(lead, SCOPE)).status_code == 200
    others = [scope for scope in ApiToken.Scope if scope != SCOPE]
    answer = client.get(RESOLUTIONS, headers=cast.bearer(lead, *others))
    assert answer.status_code == 403 and '"judgments:read"' in answer.json()["detail"]
    annotator = cast.annotator(collection).user
    assert client.get(RESOLUTIONS, headers=cast.bearer(annotator, SCOPE)).status_code == 403
    other = cast.collection("other")
    cast.member(other, Role.LEAD, lead)
    elsewhere = cast.bearer(lead, SCOPE, collection=other)
    assert client.get(RESOLUTIONS, headers=elsewhere).status_code == 404
