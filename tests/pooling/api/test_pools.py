"""Programs price and open pools with a scoped token; faults are named by field, nothing is made."""

import pytest
from django.utils import timezone

from annotate.models import ApiToken, Kept, Role
from annotate.services.background import kept
from pooling.models import Pool
from pooling.services.pools import pools, preview_requests
from tests import cast, works
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root", "two_runs")]


def key(collection, scope=ApiToken.Scope.POOLS_WRITE):
    return cast.bearer(cast.member(collection, Role.RESEARCHER), scope)


def post(client, collection, fields, path="", headers=None):
    address = f"/api/v1/collections/{collection.slug}/pools/{path}"
    return client.post(
        address, fields, content_type="application/json", headers=headers or key(collection)
    )


def test_a_pool_is_priced_made_and_read(client, collection):
    choice = {
        "strategy": "take-n",
        "parameters": {"n": 2, "fusion": "borda", "negatives": 1},
        "runs": ["a", "b"],
    }
    price = post(client, collection, choice, "preview/")
    assert (price.status_code, price.json()["state"], price.json()["n_pairs"]) == (200, "done", 6)
    assert [share["name"] for share in price.json()["shares"]] == ["a", "b"]
    assert Pool.objects.count() == 0
    answer = post(client, collection, choice | {"name": "first", "seed": 7})
    assert (answer.status_code, answer.json()["state"]) == (201, "opening")
    perform_work(Pool.objects.get())
    pools_data = client.get(
        f"/api/v1/collections/{collection.slug}/pools/", headers=key(collection)
    ).json()["pools"]
    assert [(pool["name"], pool["state"], pool["seed"], pool["runs"]) for pool in pools_data] == [
        ("first", "open", 7, ["a", "b"])
    ]
    assert pools_data[0]["parameters"] == {"n": 2, "depth": 100, "fusion": "borda", "negatives": 1}
    pools.request_closing(pool=Pool.objects.get(), by=None)
    address = f"/api/v1/collections/{collection.slug}/pools/"
    assert client.get(address, headers=key(collection)).json()["pools"][0]["state"] == "closing"


def test_a_pool_that_could_not_be_opened_has_failed_and_says_why(client, collection):
    fields = {"name": "second", "strategy": "depth-k", "parameters": {"depth": 1}, "runs": ["a"]}
    assert post(client, collection, fields).status_code == 201
    collection.runs.filter(name="a").update(retired_at=timezone.now())
    perform_work(Pool.objects.get())
    pools = client.get(
        f"/api/v1/collections/{collection.slug}/pools/", headers=key(collection)
    ).json()["pools"]
    reason = 'Run "a" is not ready in this collection; leave it out.'
    assert [(pool["state"], pool["error"], pool["opened_at"]) for pool in pools] == [
        ("failed", reason, None)
    ]


def test_a_large_pool_s_price_is_asked_for_until_it_is_counted(client, collection, monkeypatch):
    monkeypatch.setattr(preview_requests, "SYNCHRONOUS_ROWS", 3)
    choice = {"strategy": "depth-k", "parameters": {"depth": 2}}
    with works.value_requests() as inquiries:
        waiting = post(client, collection, choice, "preview/")
    assert (waiting.status_code, waiting.json()) == (202, {"state": "counting"})
    assert waiting["Retry-After"] == "3"
    kept.compute(inquiry=inquiries[0])
    assert post(client, collection, choice, "preview/").json()["n_pairs"] == 6


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"strategy": "best"}, "strategy"),
        ({"strategy": None}, "strategy"),
        ({"parameters": {"depth": 0}}, "depth"),
        ({"parameters": {"depth": "2"}}, "depth"),
        ({"parameters": {"budget": [1]}}, "budget"),
        ({"parameters": {"trusted": "CxC"}}, "trusted"),
        ({"parameters": {"rate": "much"}}, "rate"),
        ({"parameters": []}, "parameters"),
        ({"runs": ["c"]}, "runs"),
        ({"runs": []}, "runs"),
        ({"query_set": "x"}, "query_set"),
        ({"seed": -1}, "seed"),
        ({"depth": 3}, "depth"),
    ],
)
def test_what_cannot_be_a_pool_is_refused_by_field_for_price_and_pool(
    client, collection, change, field
):
    headers = key(collection)
    for path, extra_fields in (("preview/", {}), ("", {"name": "p"})):
        answer = post(
            client, collection, {"strategy": "depth-k"} | extra_fields | change, path, headers
        )
        assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
        assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert Pool.objects.count() == 0


@pytest.mark.parametrize("rows", [0, 20_000])
@pytest.mark.parametrize(
    "parameters",
    [
        '{"depth": 1e400}',
        '{"depth": 2, "currency": "\\u0000"}',
        '{"depth": 2, "currency": "\\ud800"}',
        '{"depth": 2, "\\ud800": 1}',
    ],
)
def test_numbers_and_letters_that_no_table_holds_are_refused(
    client, collection, monkeypatch, parameters, rows
):
    monkeypatch.setattr(preview_requests, "SYNCHRONOUS_ROWS", rows)
    answer = client.post(
        f"/api/v1/collections/{collection.slug}/pools/preview/",
        f'{{"strategy": "depth-k", "parameters": {parameters}}}',
        content_type="application/json",
        headers=key(collection),
    )
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert not Kept.objects.exists()


def test_a_key_for_runs_opens_no_pools(client, collection):
    headers = key(collection, ApiToken.Scope.RUNS_WRITE)
    assert (
        post(client, collection, {"strategy": "depth-k", "name": "p"}, "", headers).status_code
        == 403
    )
    assert post(client, collection, {"strategy": "depth-k"}, "preview/", headers).status_code == 403
