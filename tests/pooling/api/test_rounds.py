"""Programs list the rounds of pools and imports: their policy, states and counts."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import ApiToken, Role, Round
from annotate.services import seating
from pooling.services.pages.pool_figures import pool_figures
from pooling.services.pools import pools
from tests import cast
from tests.pooling import answering, factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def address(collection, query=""):
    return f"/api/v1/collections/{collection.slug}/rounds/{query}"


def token(collection, role=Role.LEAD, scope=ApiToken.Scope.POOLS_READ):
    return cast.bearer(cast.member(collection, role), scope)


def rounds(client, collection, query=""):
    answer = client.get(address(collection, query), headers=token(collection))
    assert answer.status_code == 200
    return answer.json()["rounds"]


def import_round(collection):
    return seating.open_round(
        collection=collection,
        kind=Round.Kind.IMPORT,
        name="labels.csv",
        policy=cast.policy(collection),
        pair_ids=[],
    )


def test_a_pool_s_round_has_its_policy_its_moments_and_the_counts_of_the_page(
    client, collection, two_runs
):
    pool = factories.opened(collection, two_runs)
    answering.answer_batch(collection)
    (facts,) = rounds(client, collection)
    figures = pool_figures(pool=pool)
    assert (facts["id"], facts["kind"], facts["state"]) == (pool.round_id, "pool", "open")
    assert facts["pool"] == f"/api/v1/collections/{collection.slug}/pools/{pool.pk}/"
    assert (facts["policy_version"], facts["closed_at"]) == (1, None)
    assert facts["opened_at"] and figures.n_done
    assert facts["pairs"]["n"] == figures.states.n_pairs
    assert facts["pairs"]["complete"] == figures.states.n_complete
    assert facts["seats"] == {
        "free": figures.n_free,
        "held": figures.n_held,
        "done": figures.n_done,
        "withdrawn": 0,
    }
    pools.close_pool(pool=pool)
    (facts,) = rounds(client, collection)
    assert (facts["state"], facts["seats"]["free"]) == ("closed", 0)
    assert facts["closed_at"][-1] == "Z"


def test_an_import_has_a_round_without_a_pool_and_training_has_none_here(client, collection):
    round_ = import_round(collection)
    for kind in (Round.Kind.TRAINING, Round.Kind.GOLD):
        Round.objects.create(
            collection=collection, kind=kind, name="x", policy=cast.policy(collection)
        )
    (facts,) = rounds(client, collection)
    assert (facts["id"], facts["kind"], facts["pool"]) == (round_.pk, "import", None)
    assert (facts["opened_at"], facts["pairs"]["n"]) == (None, 0)


def test_filters_keep_the_rounds_that_fit(client, collection, two_runs):
    factories.opened(collection, two_runs)
    import_round(collection)
    for query, expected in (
        ("kind=import", ["import"]),
        ("kind=pool&state=open", ["pool"]),
        ("state=closed", []),
    ):
        assert [row["kind"] for row in rounds(client, collection, f"?{query}")] == expected
    for query, words in (
        ("kind=training", "there are: pool, import."),
        ("state=done", "there are: opening, open, closing, closed."),
        ("pool=1", "there are kind, state, cursor, page_size"),
    ):
        answer = client.get(address(collection, f"?{query}"), headers=token(collection))
        assert (answer.status_code, words in str(answer.json())) == (422, True)


def test_rounds_come_in_pages_with_as_many_queries_for_many_as_for_one(
    client, collection, two_runs
):
    headers = token(collection)
    factories.opened(collection, two_runs)
    client.get(address(collection), headers=headers)  # a new connection asks something once
    with CaptureQueriesContext(connection) as few:
        client.get(address(collection), headers=headers)
    factories.opened(collection, two_runs, name="second")
    import_round(collection)
    with CaptureQueriesContext(connection) as many:
        keys = [
            row["id"] for row in client.get(address(collection), headers=headers).json()["rounds"]
        ]
    assert (len(keys), len(many)) == (3, len(few))
    page = client.get(address(collection, "?page_size=2"), headers=headers).json()
    assert [row["id"] for row in page["rounds"]] == keys[:2]
    assert [
        row["id"] for row in client.get(page["next"], headers=headers).json()["rounds"]
    ] == keys[2:]


def test_who_may_not_read_rounds_is_refused(client, collection):
    for headers, status in (
        ({}, 401),
        (token(collection, scope=ApiToken.Scope.RUNS_READ), 403),
        (token(collection, Role.ANNOTATOR), 403),
        (token(factories.collection()), 404),
        (token(collection, Role.RESEARCHER, ApiToken.Scope.POOLS_WRITE), 200),
    ):
        assert client.get(address(collection), headers=headers).status_code == status
    person = cast.member(collection, Role.LEAD)
    elsewhere = cast.bearer(person, ApiToken.Scope.POOLS_READ, collection=factories.collection())
    assert client.get(address(collection), headers=elsewhere).status_code == 404
