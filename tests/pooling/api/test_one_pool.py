"""Programs list pools in pages, read one as its page shows it, and open, close and reopen it."""

from itertools import product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.models import ApiToken, QuerySet, Role, Work
from pooling.models import Pool
from pooling.services.pages.pool_figures import pool_figures
from pooling.services.pools import pools
from tests import campaigns, cast, works
from tests.pooling import answering, factories
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
WRITE = ApiToken.Scope.POOLS_WRITE


def address(collection, path=""):
    return f"/api/v1/collections/{collection.slug}/pools/{path}"


def token(collection, role=Role.RESEARCHER, scope=WRITE):
    return cast.bearer(cast.member(collection, role), scope)


def post(client, pool, action, headers):
    return client.post(
        address(pool.collection, f"{pool.pk}/{action}/"),
        content_type="application/json",
        headers=headers,
    )


def names(answer):
    return [pool["name"] for pool in answer.json()["pools"]]


def test_pools_come_in_pages_with_as_many_queries_for_many_as_for_one(client, collection, two_runs):
    headers = token(collection, Role.LEAD, ApiToken.Scope.POOLS_READ)
    factories.opened(collection, two_runs)
    client.get(address(collection), headers=headers)  # a new connection asks something once
    with CaptureQueriesContext(connection) as few:
        assert names(client.get(address(collection), headers=headers)) == ["first"]
    for name in ("second", "third"):
        factories.opened(collection, two_runs[:1], name=name)
    with CaptureQueriesContext(connection) as many:
        answer = client.get(address(collection), headers=headers)
    assert (names(answer), answer.json()["next"]) == (["first", "second", "third"], None)
    assert len(many) == len(few)
    page = client.get(address(collection, "?page_size=2"), headers=headers)
    assert names(client.get(page.json()["next"], headers=headers)) == ["third"]


def pool_in(collection, state, kind, work_state):
    """A pool in a state, with its latest work, if any, in another."""
    name = f"{state} {kind} {work_state}"
    pool = Pool(collection=collection, name=name, strategy="depth-k", state=state)
    if state != Pool.State.DRAFT:
        pool.round = campaigns.open_pool_round(collection, [], name)
        pool.opened_at = timezone.now()
    if kind is not None:
        is_unfinished = work_state in Work.UNFINISHED
        pool.work = Work.objects.create(
            collection=collection,
            kind=kind,
            subject=Pool.objects.count(),
            state=work_state,
            begun_at=timezone.now(),
            error_code="unfit" if work_state == Work.State.FAILED else "",
            finished_at=None if is_unfinished else timezone.now(),
        )
    pool.save()


def test_a_phase_finds_the_pools_that_are_in_it(client, collection):
    for state in Pool.State:
        pool_in(collection, state, None, None)
        for kind, work_state in product(Pool.Transition, Work.State):
            pool_in(collection, state, kind, work_state)
    headers = token(collection)
    seen = []
    for phase in Pool.Phase:
        answer = client.get(address(collection, f"?state={phase}"), headers=headers)
        expected = [pool for pool in Pool.objects.order_by("pk") if pool.phase == phase]
        assert names(answer) == [pool.name for pool in expected]
        seen += names(answer)
    assert len(seen) == Pool.objects.count()


def test_filters_keep_the_pools_that_fit(client, collection, two_runs):
    query_set = QuerySet.objects.create(collection=collection, name="some", direction="forward")
    pool = factories.draft(collection, two_runs)
    factories.draft(collection, two_runs, "second")
    Pool.objects.filter(pk=pool.pk).update(query_set=query_set)
    headers = token(collection)
    for query, expected in (
        ("query_set=some", ["first"]),
        ("query_set=none", []),
        ("name=second", ["second"]),
        ("name=second&query_set=some", []),
    ):
        assert names(client.get(address(collection, f"?{query}"), headers=headers)) == expected
    for query, words in (
        ("state=done", "there are: draft, opening, open, closing, closed, reopening, failed."),
        ("run=a", "there are state, name, query_set, cursor, page_size"),
    ):
        answer = client.get(address(collection, f"?{query}"), headers=headers)
        assert (answer.status_code, words in str(answer.json())) == (422, True)


def test_one_pool_has_all_that_its_page_tells(client, collection, two_runs):
    person = cast.member(collection, Role.RESEARCHER)
    pool = pools.create_pool(
        collection=collection,
        name="first",
        strategy="depth-k",
        parameters={"depth": 2},
        runs=two_runs,
        seed=3,
        by=person,
    )
    pools.open_pool(pool=pool, by=person)
    answering.answer_batch(collection)
    headers = token(collection, Role.LEAD, ApiToken.Scope.POOLS_READ)
    answer = client.get(address(collection, f"{pool.pk}/"), headers=headers)
    facts, figures = answer.json(), pool_figures(pool=pool)
    assert figures.n_done > 0
    assert facts["pairs"]["n"] == figures.states.n_pairs
    assert facts["pairs"]["complete"] == figures.states.n_complete
    assert facts["seats"] == {
        "free": figures.n_free,
        "held": figures.n_held,
        "done": figures.n_done,
    }
    assert (facts["state"], facts["seed"], facts["policy_version"]) == ("open", 3, 1)
    assert (facts["strategy"], facts["strategy_label"]) == ("depth-k", "Depth k")
    assert (facts["created_by"], facts["runs"]) == (person.username, ["a", "b"])
    assert [(run["id"], run["direction"]) for run in facts["run_details"]] == [
        (run.pk, "forward") for run in two_runs
    ]
    assert (facts["follows_labels"], facts["sampling"], facts["stuck"]) == (False, "", None)
    assert (facts["job"]["kind"], facts["job"]["state"]) == ("pool_opening", "done")
    assert (facts["url"], facts["opened_at"][-1]) == (address(collection, f"{pool.pk}/"), "Z")
    again = client.get(facts["url"], headers=headers | {"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("role", [Role.LEAD, Role.RESEARCHER])
def test_labels_that_nobody_can_give_are_told_with_the_advice_of_the_page(
    client, collection, two_runs, role
):
    pool = factories.opened(collection, two_runs)
    person = cast.member(collection, role)
    headers = cast.bearer(person, ApiToken.Scope.POOLS_READ)
    stuck = client.get(address(collection, f"{pool.pk}/"), headers=headers).json()["stuck"]
    assert stuck["n_labels"] == stuck["n_pairs"] > 0
    client.force_login(person)
    page = client.get(reverse("pooling:pool", args=[collection.slug, pool.pk])).content.decode()
    assert stuck["sentence"] in page and stuck["advice"] in page


def test_one_key_makes_one_pool(client, collection, two_runs):
    headers = token(collection) | {"Idempotency-Key": "first"}
    fields = {"name": "p", "strategy": "depth-k", "parameters": {"depth": 1}}
    answers = [
        client.post(address(collection), fields, content_type="application/json", headers=headers)
        for _ in range(2)
    ]
    pool = Pool.objects.get()
    assert [answer.status_code for answer in answers] == [201, 201]
    assert [answer["Location"] for answer in answers] == [address(collection, f"{pool.pk}/")] * 2
    assert answers[1]["Idempotency-Replayed"] == "true"
    job = answers[0].json()["job"]
    assert client.get(job["url"], headers=headers).json()["state"] == "asked"
    assert Work.objects.filter(kind="pool_opening").count() == 1


@pytest.mark.parametrize(
    "change",
    [
        '"name": "a\\u0000"',
        '"name": "a\\ud800"',
        '"seed": 1180591620717411303424',
        '"seed": 1.5',
        '"strategy": "\\ud800"',
        '"runs": ["\\ud800"]',
        '"runs": [{}]',
        '"query_set": "\\u0000"',
        '"direction": "up"',
        '"parameters": {"depth": 1, "trusted": "\\ud800"}',
        '"parameters": {"depth": 99999999999999999999}',
    ],
)
def test_what_no_table_holds_makes_no_pool(client, collection, two_runs, change):
    body = f'{{"name": "p", "strategy": "depth-k", {change}}}'
    answer = client.post(
        address(collection), body, content_type="application/json", headers=token(collection)
    )
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert not Pool.objects.exists()


def test_a_pool_is_cancelled_opened_closed_and_opened_again(client, collection, two_runs):
    headers = token(collection)
    pool = factories.draft(collection, two_runs)
    pools.request_opening(pool=pool, by=None)
    assert post(client, pool, "cancel", headers).json()["state"] == "draft"
    for action, phase, state in (
        ("open", "opening", "open"),
        ("close", "closing", "closed"),
        ("reopen", "reopening", "open"),
    ):
        answer = post(client, pool, action, headers)
        assert (answer.status_code, answer.json()["state"]) == (202, phase)
        assert answer["Location"] == answer.json()["url"]
        assert answer.json()["job"]["is_finished"] is False
        assert client.get(answer.json()["job"]["url"], headers=headers).status_code == 200
        assert perform_work(pool).state == state


def test_a_request_with_one_key_closes_a_pool_once(client, collection, two_runs):
    pool = factories.opened(collection, two_runs)
    headers = token(collection) | {"Idempotency-Key": "close"}
    post(client, pool, "close", headers)
    perform_work(pool)
    again = post(client, pool, "close", headers)
    assert (again.status_code, again["Idempotency-Replayed"]) == (202, "true")
    assert post(client, pool, "close", token(collection)).status_code == 422


@pytest.mark.parametrize("action", ["open", "cancel", "reopen"])
def test_what_cannot_be_done_to_an_open_pool_is_refused_with_the_sentence_of_the_page(
    client, collection, two_runs, action
):
    pool = factories.opened(collection, two_runs)
    answer = post(client, pool, action, token(collection))
    assert answer.status_code == 422
    client.force_login(cast.member(collection, Role.RESEARCHER))
    url = reverse(f"pooling:pool-{action}", args=[collection.slug, pool.pk])
    page = client.post(url, follow=True).content.decode()
    assert answer.json()["detail"].replace('"', "&quot;") in page
    pool.refresh_from_db()
    assert pool.state == "open"


def test_a_pool_that_could_not_be_opened_is_found_and_opened_again(client, collection, two_runs):
    pool = factories.draft(collection, two_runs)
    work = works.finished_work(collection, "pool_opening", pool.pk, Work.State.FAILED)
    Pool.objects.filter(pk=pool.pk).update(work=work)
    headers = token(collection)
    assert names(client.get(address(collection, "?state=failed"), headers=headers)) == ["first"]
    assert post(client, pool, "open", headers).status_code == 202


@pytest.mark.parametrize(
    ("action", "status"), [("open", 403), ("cancel", 403), ("close", 202), ("reopen", 422)]
)
def test_leads_close_pools_and_open_none(client, collection, two_runs, action, status):
    pool = factories.opened(collection, two_runs)
    reading = token(collection, Role.RESEARCHER, ApiToken.Scope.POOLS_READ)
    assert post(client, pool, action, reading).status_code == 403
    assert post(client, pool, action, token(collection, Role.ANNOTATOR)).status_code == 403
    elsewhere = cast.bearer(
        cast.member(collection, Role.RESEARCHER), WRITE, collection=factories.collection()
    )
    assert post(client, pool, action, elsewhere).status_code == 404
    assert post(client, pool, action, token(collection, Role.LEAD)).status_code == status
