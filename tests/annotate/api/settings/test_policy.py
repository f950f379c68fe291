"""The policy for programs: previewed, saved as a version, and read."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate import tasks
from annotate.models import ApiToken, Policy, Resolution, Role, Round
from annotate.services.collection import collections
from annotate.services.policy import policies
from tests import campaigns, cast, works
from tests.annotate.views.people.test_annotator import FIGURES

pytestmark = pytest.mark.django_db
SCOPES = (ApiToken.Scope.NUMBERS_READ, ApiToken.Scope.COLLECTIONS_WRITE)
POLICY = "/api/v1/collections/shapes/policy/"
SHARES = ("double_share", "gold_pass", "repeat_share", "max_share")


@pytest.fixture
def collection():
    return cast.collection("shapes", grades=3)


@pytest.fixture
def headers(lead):
    return cast.bearer(lead, *SCOPES)


@pytest.fixture
def disputed_pair():
    """A pair that two people dispute in an open pool."""
    collection = campaigns.open_collection(
        1, "disputes", grades=3, labels_per_pair=2, ceiling=2, gold_positives=0, gold_negatives=0
    )
    for grade in (0, 1):
        campaigns.judge(*campaigns.first_batch(collection), grade)
    cast.member(collection, Role.LEAD, cast.user("head"))
    return collection


@pytest.fixture
def head(disputed_pair):
    """The headers of the lead of the collection with the disputed pair."""
    membership = disputed_pair.memberships.get(role=Role.LEAD)
    return cast.bearer(membership.user, *SCOPES)


def post(client, headers, url=POLICY, **fields):
    return client.post(url, fields, content_type="application/json", headers=headers)


def of_disputes(address=""):
    return f"/api/v1/collections/disputes/policy/{address}"


def test_a_version_is_stored_with_the_figures_that_are_sent(client, collection, headers, lead):
    first = client.get(POLICY, headers=headers).json()
    changes = {"double_share": 0.125, "labels_per_pair": 2, "max_share": 0.3, "grouped": False}
    answer = post(client, headers, **changes)
    assert (answer.status_code, answer["Location"]) == (201, f"{POLICY}versions/2/")
    newest = answer.json()
    assert newest == client.get(POLICY, headers=headers).json()
    assert {**first, **changes} | {
        name: newest[name] for name in ("url", "version", "at", "sentences")
    } == newest
    assert "exactly 12.5 % of a pool's new pairs" in newest["sentences"][0]
    assert newest["n_rounds_behind"] == 0
    policy = collection.policies.latest("version")
    assert (policy.by, str(policy.double_share), str(policy.max_share)) == (
        lead,
        "0.1250",
        "0.3000",
    )
    version = client.get(newest["url"], headers=headers).json()
    assert version | {"n_rounds_behind": 0} == newest
    assert client.get(f"{POLICY}versions/1/", headers=headers).json()["double_share"] == 0
    assert client.get(f"{POLICY}versions/9/", headers=headers).status_code == 404


def test_without_a_change_there_is_no_version(client, collection, headers):
    newest = client.get(POLICY, headers=headers).json()
    answer = post(client, headers, **{name: newest[name] for name in SHARES})
    assert (answer.status_code, answer.json()) == (200, newest)


def test_the_page_stores_the_same_policy(client, collection, headers, lead):
    twin = cast.collection("twin", grades=3)
    cast.member(twin, Role.LEAD, lead)
    figures = {**FIGURES, "rule": "median", "tie": "up", "double_percent": 12.5, "tolerance": 1}
    client.force_login(lead)
    address = reverse("annotate:policy", args=["twin"])
    assert client.post(address, figures).status_code == 302
    of_page = collections.figures(twin.policies.latest("version"))
    as_json = {name: float(of_page[name]) for name in SHARES}
    answer = post(client, headers, **{**of_page, **as_json})
    assert answer.status_code == 201, answer.content
    assert collections.figures(collection.policies.latest("version")) == of_page


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"labels_per_pair": 6}, "labels_per_pair"),
        ({"labels_per_pair": 2**40}, "labels_per_pair"),
        ({"labels_per_pair": 5}, "ceiling"),
        ({"double_share": 1.5}, "double_share"),
        ({"double_share": 0.12345}, "double_share"),
        ({"double_share": "half"}, "double_share"),
        ({"max_share": 0}, "max_share"),
        ({"rule": "unanimous", "tie": "up"}, "tie"),
        ({"rule": "best"}, "rule"),
        ({"tolerance": 2**40}, "tolerance"),
        ({"grouped": None}, "grouped"),
        ({"preview_key": "a\0"}, "preview_key"),
        ({"version": 7}, "version"),
    ],
)
def test_what_the_page_refuses_is_refused(client, collection, headers, fields, field):
    answer = post(client, headers, **fields)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert collection.policies.count() == 1


def test_figures_that_contradict_the_collection_are_refused(client, collection, headers):
    collection.measurement = "nominal"
    collection.save()
    for url in (POLICY, f"{POLICY}preview/"):
        answer = post(client, headers, url, tolerance=1)
        assert (answer.status_code, answer.json()["detail"]) == (
            422,
            "Nominal grades have no distance: set the tolerance to 0.",
        )


def test_what_rounds_follow_is_saved_once_its_preview_was_read(client, disputed_pair, head):
    refused = post(client, head, of_disputes(), tie="up")
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["field"] == "preview_key"
    assert error["message"].startswith("1 pool or import would follow this policy")
    effect = post(client, head, of_disputes("preview/"), tie="up").json()
    assert (effect["n_rounds"], effect["n_pairs"], effect["n_settled"]) == (1, 1, 1)
    assert effect["largest_changes"] == [
        {
            "status": "disputed",
            "grade": None,
            "new_status": "majority",
            "new_grade": 1,
            "n_pairs": 1,
        }
    ]
    key = effect["preview_key"]
    assert post(client, head, of_disputes(), tie="down", preview_key=key).status_code == 422
    assert post(client, head, of_disputes(), tie="up", with_closed=True, preview_key=key)
    assert Policy.objects.count() == 1
    answer = post(client, head, of_disputes(), tie="up", preview_key=key)
    assert (answer.status_code, answer.json()["n_rounds_behind"]) == (201, 1)
    assert Round.objects.get().policy.tie == "up"
    tasks.follow_policy(round_id=Round.objects.get().pk)
    assert Resolution.objects.get().grade == 1
    assert client.get(of_disputes(), headers=head).json()["n_rounds_behind"] == 0


def test_the_key_of_the_page_is_that_of_the_program(client, disputed_pair, head):
    effect = post(client, head, of_disputes("preview/"), tie="up").json()
    draft = collections.next_policy(collection=disputed_pair, by=None, changes={"tie": "up"})
    page_preview = policies.preview_change(policy=draft, with_closed=False)
    assert page_preview.key == effect["preview_key"]


def test_a_large_change_is_counted_by_a_worker(client, disputed_pair, head, monkeypatch):
    monkeypatch.setattr(policies, "SYNCHRONOUS_ROWS", 0)
    with works.value_requests() as inquiries:
        answer = post(client, head, of_disputes("preview/"), tie="up")
    assert (answer.status_code, answer.json(), answer["Retry-After"]) == (
        202,
        {"state": "computing"},
        "3",
    )
    (inquiry,) = inquiries
    tasks.compute_value(
        collection_id=disputed_pair.pk,
        kind=inquiry.kind,
        key=inquiry.key,
        parameters=inquiry.parameters,
    )
    answer = post(client, head, of_disputes("preview/"), tie="up")
    assert (answer.status_code, answer.json()["n_pairs"]) == (200, 1)
    assert answer.json()["largest_changes"][0]["new_grade"] == 1


def test_a_refused_policy_has_nothing_counted_and_can_be_sent_again(
    client, disputed_pair, head, monkeypatch
):
    monkeypatch.setattr(policies, "SYNCHRONOUS_ROWS", 0)
    repeatable = head | {"Idempotency-Key": "policy"}
    with works.value_requests() as inquiries:
        assert post(client, repeatable, of_disputes(), tie="up").status_code == 422
    assert inquiries == []
    draft = collections.next_policy(collection=disputed_pair, by=None, changes={"tie": "up"})
    key = policies.inquiry_of(policy=draft, with_closed=False).key
    twice = [post(client, repeatable, of_disputes(), tie="up", preview_key=key) for _ in range(2)]
    assert [answer.status_code for answer in twice] == [201, 201]
    assert twice[0].json() == twice[1].json() and Policy.objects.count() == 2


def test_versions_come_in_pages_with_as_many_queries_for_many(client, collection, headers):
    for ceiling in (4, 5, 6):
        collections.change_policy(collection=collection, by=None, ceiling=ceiling)
    url = f"{POLICY}versions/"
    with CaptureQueriesContext(connection) as few:
        client.get(url, {"page_size": 1}, headers=headers)
    with CaptureQueriesContext(connection) as many:
        page = client.get(url, {"page_size": 3}, headers=headers).json()
    assert len(few) == len(many)
    assert [row["ceiling"] for row in page["policy_versions"]] == [6, 5, 4]
    page = client.get(page["next"], headers=headers).json()
    assert [row["version"] for row in page["policy_versions"]] == [1] and page["next"] is None


def test_researchers_read_the_policy_and_leads_change_it(client, collection, lead):
    researcher = cast.bearer(cast.member(collection, Role.RESEARCHER), *SCOPES)
    assert client.get(POLICY, headers=researcher).status_code == 200
    assert post(client, researcher, ceiling=5).status_code == 403
    assert post(client, researcher, f"{POLICY}preview/", ceiling=5).status_code == 403
    elsewhere = cast.bearer(lead, *SCOPES, collection=cast.collection("other"))
    for address in ("", "versions/", "versions/1/"):
        assert client.get(f"{POLICY}{address}", headers=elsewhere).status_code == 404
    for address in ("", "preview/"):
        assert post(client, elsewhere, f"{POLICY}{address}", ceiling=5).status_code == 404
        reader = cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)
        assert post(client, reader, f"{POLICY}{address}", ceiling=5).status_code == 403
    assert collection.policies.count() == 1
