"""Programs read a pool's pairs with their origins, and what explains the grade of a pair."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import ApiToken, Judgment, Report, Role, Seat
from annotate.services.review import adjudicating
from annotate.services.review.pair_history import history_of
from pooling.models import Run
from pooling.pair_filter import PairFilter
from pooling.services.pages import pool_pairs as service
from tests import cast
from tests.pooling import answering, factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def pairs_address(pool, query=""):
    return f"/api/v1/collections/{pool.collection.slug}/pools/{pool.pk}/pairs/{query}"


def pair_address(pair):
    return f"/api/v1/collections/{pair.collection.slug}/pairs/{pair.pk}/"


def token(collection, role=Role.RESEARCHER, scope=ApiToken.Scope.POOLS_READ):
    return cast.bearer(cast.member(collection, role), scope)


def ids(answer):
    return [(pair["query"], pair["document"]) for pair in answer.json()["pool_pairs"]]


def explained(client, pair, person):
    headers = cast.bearer(person, ApiToken.Scope.JUDGMENTS_READ)
    return client.get(pair_address(pair), headers=headers)


def test_a_pool_s_pairs_have_the_origin_the_state_and_the_grade_of_the_page(
    client, collection, two_runs
):
    pool = factories.opened(collection, two_runs)
    answering.answer_batch(collection)
    answer = client.get(pairs_address(pool), headers=token(collection, Role.LEAD))
    rows = answer.json()["pool_pairs"]
    lines = service.pairs_of(pool=pool, pair_filter=PairFilter(), viewer=None).lines
    assert [(row["id"], row["state"]) for row in rows] == [
        (line.row.pair_id, line.state) for line in lines
    ]
    assert any(row["grade"] == 1 and row["status"] == "single" for row in rows)
    (shared,) = [row for row in rows if (row["query"], row["document"]) == ("q0", "d2")]
    run_a, run_b = two_runs
    assert shared["runs"] == [
        {"id": run_b.pk, "name": "b", "rank": 1},
        {"id": run_a.pk, "name": "a", "rank": 2},
    ]
    assert shared["pools"] == [
        {"id": pool.pk, "name": "first", "best_rank": 1, "inclusion_probability": 1.0}
    ]
    assert shared["url"] == f"/api/v1/collections/{collection.slug}/pairs/{shared['id']}/"


def test_pairs_without_a_grade_say_so(client, collection, two_runs):
    pool = factories.opened(collection, two_runs)
    rows = client.get(pairs_address(pool), headers=token(collection)).json()["pool_pairs"]
    assert {(row["state"], row["grade"], row["status"]) for row in rows} == {
        ("untouched", None, None)
    }


def test_pairs_come_in_pages_with_as_many_queries_for_many_as_for_one(client, collection, two_runs):
    pool = factories.opened(collection, two_runs)
    headers = token(collection)
    client.get(pairs_address(pool), headers=headers)  # a new connection asks something once
    with CaptureQueriesContext(connection) as few:
        page = client.get(pairs_address(pool, "?page_size=1"), headers=headers)
    with CaptureQueriesContext(connection) as many:
        every_pair = ids(client.get(pairs_address(pool), headers=headers))
    assert (len(every_pair), len(many)) == (6, len(few))
    pairs = ids(page)
    while page.json()["next"]:
        page = client.get(page.json()["next"], headers=headers)
        pairs += ids(page)
    assert pairs == every_pair


def test_filters_keep_the_pairs_that_the_page_keeps(client, collection, two_runs):
    pool = factories.opened(collection, two_runs)
    answering.answer_pair(collection, "q0", "d1", grade=1)
    headers, run = token(collection), two_runs[0]
    for query, pair_filter in (
        ("state=untouched", PairFilter(state="untouched")),
        ("state=complete", PairFilter(state="complete")),
        ("query=q1", PairFilter(query="q1")),
        ("run=a", PairFilter(run=run)),
        (f"run={run.pk}&query=q0", PairFilter(run=run, query="q0")),
        ("query=nothing", PairFilter(query="nothing")),
    ):
        answer = client.get(pairs_address(pool, f"?{query}"), headers=headers)
        page = service.pairs_of(pool=pool, pair_filter=pair_filter, viewer=None)
        expected = [line.row.pair_id for line in page.lines]
        assert [row["id"] for row in answer.json()["pool_pairs"]] == expected, query
        assert (len(expected) > 0) is (query != "query=nothing")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("state=open", "there are: left_out, disputed"),
        ("run=c", '"c" is no run of this pool; there are: a, b.'),
        ("run=99999999999999999999", "is no run of this pool"),
        ("after=3", "there are state, query, run, cursor, page_size"),
        ("query=" + "x" * 256, "no more than 255 characters"),
    ],
)
def test_what_is_no_filter_is_refused_with_what_there_is(
    client, collection, two_runs, query, words
):
    pool = factories.opened(collection, two_runs)
    answer = client.get(pairs_address(pool, f"?{query}"), headers=token(collection))
    assert (answer.status_code, words in str(answer.json())) == (422, True)


def test_a_hidden_run_that_holds_a_pair_is_told_to_who_uploaded_it_alone(
    client, collection, two_runs
):
    pool = factories.opened(collection, two_runs)
    secret, owner = (
        factories.run(collection, "secret", {0: [1]}),
        cast.member(collection, Role.RESEARCHER),
    )
    Run.objects.filter(pk=secret.pk).update(is_hidden=True, uploaded_by=owner)
    pair = pool.pool_pairs.get(pair__query__external_id="q0", pair__document__external_id="d1").pair
    scopes = (ApiToken.Scope.POOLS_READ, ApiToken.Scope.JUDGMENTS_READ)
    for person, is_told in ((owner, True), (cast.member(collection, Role.LEAD), False)):
        headers = cast.bearer(person, *scopes)
        for address in (pairs_address(pool), pair_address(pair)):
            answer = client.get(address, headers=headers)
            assert answer.status_code == 200
            assert ('"secret"' in answer.content.decode()) is is_told
        refused = client.get(pairs_address(pool, "?run=secret"), headers=headers)
        assert refused.status_code == 422


def test_a_label_is_explained_as_on_the_page(client, campaign):
    seat = Seat.objects.filter(state="done", purpose="label", round=campaign.pool.round).first()
    adjudicating.adjudicate(pair=seat.pair, by=campaign.lead, grade=2, note="it does play")
    answer = explained(client, seat.pair, campaign.lead)
    facts, history = answer.json(), history_of(pair=seat.pair, for_lead=True)
    assert answer.status_code == 200
    assert (facts["sentence"], facts["grade"], facts["status"]) == (
        history.sentence,
        2,
        "adjudicated",
    )
    assert facts["policy_version"] == 1
    assert [(row["id"], row["outcome"], row["annotator"]) for row in facts["judgments"]] == [
        (record.judgment.pk, record.outcome, record.judgment.annotator.pseudonym)
        for record in history.judgments
    ]
    assert [(row["state"], row["why"]) for row in facts["seats"]] == [
        (row.state, row.why if row.purpose == "label" else None) for row in history.seats
    ]
    assert [row["action"] for row in facts["events"]] == [event.action for event in history.events]
    assert facts["rounds"][0]["n_wanted"] == history.round_pairs[0].n_wanted
    assert [run["name"] for run in facts["runs"]] == [campaign.run.name]
    assert [pool["name"] for pool in facts["pools"]] == [campaign.pool.name]
    assert facts["query"]["id"] == seat.pair.query.external_id
    headers = cast.bearer(campaign.lead, ApiToken.Scope.JUDGMENTS_READ)
    again = client.get(pair_address(seat.pair), headers=headers | {"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


def test_golds_references_and_exclusions_are_told_with_the_pair(client, campaign):
    gold = campaign.collection.golds.filter(pair__exclusion=None).first()
    facts = explained(client, gold.pair, campaign.researcher).json()
    assert [(row["grade"], row["origin"]) for row in facts["golds"]] == [(gold.grade, gold.origin)]
    pair = campaign.collection.pairs.get(exclusion__isnull=False)
    assert explained(client, pair, campaign.researcher).json()["exclusion"] == "nobody can tell"
    listed = [
        row["name"]
        for pair in campaign.collection.pairs.all()
        for row in explained(client, pair, campaign.researcher).json()["references"]
    ]
    sets = campaign.collection.reference_sets.values_list("name", flat=True)
    assert set(listed) <= set(sets) and listed


def test_a_researcher_reads_no_comments_and_nobody_reads_names(client, campaign):
    report = Report.objects.select_related("pair__collection").get()
    Report.objects.filter(pk=report.pk).update(note="Ask Mr Smith")
    judgment = Judgment.objects.filter(comment__isnull=False).exclude(pair=report.pair).first()
    adjudicating.adjudicate(pair=judgment.pair, by=campaign.lead, grade=2)
    for pair, words in ((report.pair, "Ask Mr Smith"), (judgment.pair, judgment.comment.text)):
        for_lead = explained(client, pair, campaign.lead)
        for_researcher = explained(client, pair, campaign.researcher)
        assert words in for_lead.content.decode()
        assert words not in for_researcher.content.decode()
        assert "leads see what" in for_researcher.json()["kept_back"]
        for answer in (for_lead, for_researcher):
            for annotator in campaign.annotators:
                assert annotator.user.username not in answer.content.decode()
    assert (
        campaign.lead.username
        not in explained(client, judgment.pair, campaign.researcher).content.decode()
    )
    actors = [
        row["actor"] for row in explained(client, judgment.pair, campaign.lead).json()["events"]
    ]
    assert campaign.lead.username in actors


def test_an_explanation_asks_as_often_for_a_long_history(client, campaign):
    pair = Report.objects.select_related("pair__collection").get().pair
    headers = cast.bearer(campaign.lead, ApiToken.Scope.JUDGMENTS_READ)
    client.get(pair_address(pair), headers=headers)  # a new connection asks something once
    with CaptureQueriesContext(connection) as few:
        client.get(pair_address(pair), headers=headers)
    for grade in (0, 1, 2, 0, 1):
        adjudicating.adjudicate(pair=pair, by=campaign.lead, grade=grade)
    with CaptureQueriesContext(connection) as many:
        client.get(pair_address(pair), headers=headers)
    assert len(many) <= len(few)


def test_who_may_not_read_pairs_is_refused(client, collection, two_runs):
    pool = factories.opened(collection, two_runs)
    pair = pool.pool_pairs.first().pair
    other = factories.collection()
    for address, scope, wrong_scope in (
        (pairs_address(pool), ApiToken.Scope.POOLS_READ, ApiToken.Scope.JUDGMENTS_READ),
        (pair_address(pair), ApiToken.Scope.JUDGMENTS_READ, ApiToken.Scope.POOLS_READ),
    ):
        person = cast.member(collection, Role.RESEARCHER)
        assert client.get(address).status_code == 401
        assert client.get(address, headers=cast.bearer(person, wrong_scope)).status_code == 403
        assert client.get(address, headers=cast.bearer(person, scope)).status_code == 200
        elsewhere = cast.bearer(person, scope, collection=other)
        assert client.get(address, headers=elsewhere).status_code == 404
        annotator = token(collection, Role.ANNOTATOR, scope)
        assert client.get(address, headers=annotator).status_code == 403
        foreign = address.replace(collection.slug, other.slug)
        cast.member(other, Role.RESEARCHER, person)
        assert client.get(foreign, headers=cast.bearer(person, scope)).status_code == 404
    huge = reverse("api:pair", args=[collection.slug, 10**30])
    headers = token(collection, scope=ApiToken.Scope.JUDGMENTS_READ)
    assert client.get(huge, headers=headers).status_code == 404
