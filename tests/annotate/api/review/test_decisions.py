"""Decisions of leads by program: on batches and pairs, as the pages decide, and never twice."""

import json
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client

from annotate.models import (
    ApiToken,
    Item,
    Judgment,
    Pair,
    Report,
    Resolution,
    ReviewAction,
    ReviewWork,
    Role,
    Work,
)
from annotate.services.background import works
from annotate.services.supervision import bulk_decisions, verdicts
from tests import cast
from tests.annotate.views.review.inbox_rows import dispute, fail_batch, inbox_collection, report
from tests.servers.databases import run_concurrently

pytestmark = pytest.mark.django_db
API = "/api/v1/collections/birds/"
SCOPE = ApiToken.Scope.COLLECTIONS_WRITE
EXCLUSIONS = ("exclude-pair", "exclude-query", "exclude-document")


@pytest.fixture
def collection():
    return inbox_collection()


@pytest.fixture
def lead(collection):
    return cast.member(collection, Role.LEAD)


@pytest.fixture
def headers(lead):
    return cast.bearer(lead, SCOPE)


def send(client, headers, address, *, key="", **fields):
    """The answer to a decision."""
    extra = {"Idempotency-Key": key} if key else {}
    return client.post(
        f"{API}{address}", fields, content_type="application/json", headers=headers | extra
    )


def effects(collection):
    """All that decisions change, without keys, moments and who decided."""
    return {
        "resolutions": sorted(
            Resolution.objects.values_list("pair", "status", "grade", "n_labels")
        ),
        "reports": sorted(Report.objects.values_list("pk", "state")),
        "items": sorted(Item.objects.values_list("pk", "excluded_reason")),
        "batches": sorted(collection.batches.values_list("pk", "verdict")),
        "exclusions": sorted(collection.pair_exclusions.values_list("pair", "reason")),
        "seats": sorted(Pair.objects.values_list("pk", "seats__purpose", "seats__state")),
        "log": list(
            ReviewAction.objects.order_by("pk").values_list(
                "kind", "pair", "item", "batch", "reason", "n_labels", "by"
            )
        ),
    }


@contextmanager
def taken_back():
    """Take back what is done meanwhile."""
    savepoint = connection.savepoint()
    yield
    connection.savepoint_rollback(savepoint)


@pytest.mark.parametrize(
    "acts", [["accept"], ["reject"], ["requeue", "reopen"], ["hold", "accept"]]
)
def test_a_batch_is_decided_as_on_its_page(client, collection, lead, headers, acts):
    batch = fail_batch(collection)
    if acts[0] == "hold":
        collection.batches.update(verdict="held")
        acts = acts[1:]
    with taken_back():
        client.force_login(lead)
        for act in acts:
            fields = {"act": act, "reason": "guessed"}
            client.post(f"/c/birds/inbox/batches/{batch.pk}/act/", fields)
        expected = effects(collection)
    for act in acts:
        answer = send(client, headers, f"inbox/batches/{batch.pk}/act/", act=act, reason="guessed")
        assert (answer.status_code, answer.json()["job"]) == (200, None)
        assert answer.json()["url"] == f"{API}inbox/batches/{batch.pk}/"
        assert answer.json()["summary"].startswith(f"Batch {batch.number} of {batch.annotator}")
    assert effects(collection) == expected


@pytest.mark.parametrize(
    "acts",
    [
        ["adjudicate"],
        ["adjudicate", "undo"],
        ["return"],
        ["return", "reopen"],
        *([act] for act in EXCLUSIONS),
        *([act, act.replace("exclude", "restore")] for act in EXCLUSIONS),
    ],
)
def test_a_pair_is_decided_as_on_its_page(client, collection, lead, headers, acts):
    pair = report(collection, "escalated")
    steps = [
        ("adjudicate/", {"grade": 2, "note": "a wing"})
        if act == "adjudicate"
        else ("act/", {"act": act, "reason": "broken"})
        for act in acts
    ]
    with taken_back():
        client.force_login(lead)
        for address, fields in steps:
            client.post(f"/c/birds/inbox/pairs/{pair.pk}/{address}", fields)
        expected = effects(collection)
    for address, fields in steps:
        answer = send(client, headers, f"inbox/pairs/{pair.pk}/{address}", **fields)
        assert (answer.status_code, answer.json()["job"]) == (200, None)
        assert answer.json()["url"] == f"{API}inbox/pairs/{pair.pk}/"
    assert effects(collection) == expected
    assert len(expected["log"]) == len(acts)


@pytest.mark.parametrize(
    ("address", "fields", "words"),
    [
        ("adjudicate/", {}, "This field is required."),
        ("adjudicate/", {"grade": 7}, "The scheme has no such grade."),
        ("adjudicate/", {"grade": 2**31}, "less than or equal to 32767"),
        ("adjudicate/", {"grade": -1}, "greater than or equal to 0"),
        ("adjudicate/", {"grade": "x"}, "A valid integer is required."),
        ("adjudicate/", {"grade": 2, "note": "x" * 501}, "no more than 500 characters"),
        ("adjudicate/", {"grade": 2, "note": "\0"}, "Null characters are not allowed."),
        ("adjudicate/", {"grade": 2, "note": "\ud800"}, "Surrogate characters"),
        ("adjudicate/", {"grade": 2, "why": "x"}, "There is no such field."),
        ("act/", {}, "This field is required."),
        ("act/", {"act": "burn"}, "is not a valid choice."),
        ("act/", {"act": "exclude-pair"}, "Say why: the reason stays in the log."),
        ("act/", {"act": "exclude-query", "reason": "  "}, "Say why: the reason stays in the log."),
        ("act/", {"act": "return", "reason": "x" * 201}, "no more than 200 characters"),
        ("act/", {"act": "return", "reason": "\0"}, "Null characters are not allowed."),
        ("act/", {"act": "return", "reason": "\udfff"}, "Surrogate characters"),
        ("act/", {"act": "return", "reason": ["x"]}, "Not a valid string."),
        ("act/", {"act": "undo"}, "No adjudication of this pair stands."),
        ("act/", {"act": "reopen"}, "This pair has no settled report."),
        ("act/", {"act": "restore-pair"}, "This pair is not excluded."),
        ("act/", {"act": "restore-query"}, "is not excluded."),
    ],
)
def test_what_cannot_be_done_to_a_pair_is_refused(
    client, collection, headers, address, fields, words
):
    pair = report(collection, "escalated")
    before = effects(collection)
    answer = send(client, headers, f"inbox/pairs/{pair.pk}/{address}", **fields)
    assert answer.status_code == 422
    assert words in json.dumps(answer.json(), ensure_ascii=False)
    assert effects(collection) == before


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"act": "reject"}, "Say why: the reason stays in the log."),
        ({"act": "requeue", "reason": ""}, "Say why: the reason stays in the log."),
        ({"act": "undo"}, "is not a valid choice."),
        ({"act": "reopen"}, "has no verdict."),
        ({"act": "accept", "reason": "\0"}, "Null characters are not allowed."),
    ],
)
def test_what_cannot_be_done_to_a_batch_is_refused(client, collection, headers, fields, words):
    batch = fail_batch(collection)
    answer = send(client, headers, f"inbox/batches/{batch.pk}/act/", **fields)
    assert answer.status_code == 422
    assert words in json.dumps(answer.json(), ensure_ascii=False)
    assert not ReviewAction.objects.exists()


@pytest.mark.parametrize("body", ["[]", "7", '"act"', "null", "{"])
def test_a_body_that_is_no_object_is_refused(client, collection, headers, body):
    pair = report(collection, "escalated")
    for address in ("act/", "adjudicate/"):
        answer = client.post(
            f"{API}inbox/pairs/{pair.pk}/{address}",
            body,
            content_type="application/json",
            headers=headers,
        )
        assert answer.status_code in {400, 422}
    assert not ReviewAction.objects.exists()


def test_a_decision_that_comes_too_late_changes_nothing(client, collection, lead, headers):
    batch, other_lead = fail_batch(collection), cast.member(collection, Role.LEAD)
    verdicts.accept_batch(batch=batch, by=other_lead)
    before = effects(collection)
    answer = send(client, headers, f"inbox/batches/{batch.pk}/act/", act="reject", reason="late")
    assert answer.status_code == 422
    sentence = f"Batch {batch.number} is accepted already; take that back first."
    assert answer.json()["detail"] == sentence
    answer = send(client, headers, f"inbox/batches/{batch.pk}/act/", act="accept")
    assert answer.status_code == 200  # it is so already
    assert effects(collection) == before
    pair = report(collection, "escalated")
    for act, sentence in [
        ("return", "This pair has no open report."),
        ("exclude-pair", "This pair is excluded already."),
        ("exclude-document", f"Item {pair.document.external_id} is excluded already."),
    ]:
        fields = {"act": act, "reason": "broken"}
        assert send(client, headers, f"inbox/pairs/{pair.pk}/act/", **fields).status_code == 200
        before = effects(collection)
        again = send(client, headers, f"inbox/pairs/{pair.pk}/act/", **fields)
        assert (again.status_code, again.json()["detail"]) == (422, sentence)
        assert effects(collection) == before


def test_a_decision_sent_twice_with_its_key_is_made_once(client, collection, headers):
    pair = report(collection, "escalated")
    address, fields = f"inbox/pairs/{pair.pk}/act/", {"act": "exclude-pair", "reason": "broken"}
    first = send(client, headers, address, key="a", **fields)
    again = send(client, headers, address, key="a", **fields)
    assert again.json() == first.json() and again["Idempotency-Replayed"] == "true"
    assert ReviewAction.objects.count() == 1
    other = send(client, headers, address, key="a", act="restore-pair")
    assert other.status_code == 422
    address, fields = f"inbox/pairs/{pair.pk}/adjudicate/", {"grade": 2}
    for _ in range(2):
        assert send(client, headers, address, key="b", **fields).status_code == 200
    assert Judgment.objects.filter(purpose="adjudication").count() == 1


def test_an_item_of_many_pairs_is_excluded_by_a_worker(
    client, collection, lead, headers, monkeypatch
):
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", 0)
    pair = dispute(collection)[0]
    address = f"inbox/pairs/{pair.pk}/act/"
    answer = send(client, headers, address, key="a", act="exclude-query", reason="broken")
    job = answer.json()["job"]
    assert (answer.status_code, answer["Location"]) == (202, job["url"])
    assert "in the background" in answer.json()["summary"]
    again = send(client, headers, address, key="a", act="exclude-query", reason="broken")
    assert (again.status_code, again["Location"]) == (202, job["url"])
    late = send(client, headers, address, act="restore-query")
    assert late.status_code == 422 and "Wait until that is done." in late.json()["detail"]
    reader = cast.bearer(lead, ApiToken.Scope.JUDGMENTS_READ)
    (row,) = client.get(f"{API}review-log/", headers=reader).json()["review_log"]
    assert (row["decision"]["n_done"], row["decision"]["state"]) == (0, "asked")
    (unfinished,) = client.get(f"{API}inbox/pairs/{pair.pk}/", headers=reader).json()["decisions"]
    assert unfinished == row["decision"] and unfinished["unit"] == "pairs"
    works.perform(work=ReviewWork.objects.get().work)
    assert client.get(job["url"], headers=headers).json()["state"] == "done"
    assert not pair.round_pairs.filter(dropped_at=None).exists()


def test_a_decision_that_stopped_is_gone_on_with(client, collection, lead, headers, monkeypatch):
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", 0)
    pair = dispute(collection)[0]
    send(client, headers, f"inbox/pairs/{pair.pk}/act/", act="exclude-query", reason="broken")
    decision = ReviewWork.objects.get()
    again = f"review-log/{decision.pk}/again/"
    assert send(client, headers, again).status_code == 202  # it is under way
    Work.objects.update(state="failed", error_code="unfit", finished_at="2026-01-01T00:00Z")
    answer = send(client, headers, again)
    assert (answer.status_code, answer.json()["job"]["state"]) == (202, "asked")
    works.perform(work=ReviewWork.objects.get().work)
    answer = send(client, headers, again)
    assert (answer.status_code, answer.json()["job"]) == (200, None)
    assert ReviewAction.objects.count() == 1


def test_deciding_is_for_leads_with_the_scope(client, collection, lead):
    pair, batch = report(collection, "escalated"), fail_batch(collection)
    other = cast.collection("other")
    cast.member(other, Role.LEAD, lead)
    foreign = cast.pairs(other, 1)[0]
    researcher = cast.bearer(cast.member(collection, Role.RESEARCHER), SCOPE)
    everything_else = cast.bearer(lead, *(scope for scope in ApiToken.Scope if scope != SCOPE))
    elsewhere = cast.bearer(lead, SCOPE, collection=other)
    before = effects(collection)
    for address, fields in [
        (f"inbox/pairs/{pair.pk}/adjudicate/", {"grade": 2}),
        (f"inbox/pairs/{pair.pk}/act/", {"act": "return"}),
        (f"inbox/batches/{batch.pk}/act/", {"act": "accept"}),
    ]:
        assert send(client, researcher, address, **fields).status_code == 403
        assert send(client, elsewhere, address, **fields).status_code == 404
        refused = send(client, everything_else, address, **fields)
        assert refused.status_code == 403 and '"collections:write"' in refused.json()["detail"]
    headers = cast.bearer(lead, SCOPE)
    answer = send(client, headers, f"inbox/pairs/{foreign.pk}/act/", act="return")
    assert answer.status_code == 404
    assert effects(collection) == before


def test_who_may_only_decide_is_told_no_labels(client, collection, headers):
    pair = dispute(collection)[0]
    answer = send(client, headers, f"inbox/pairs/{pair.pk}/adjudicate/", grade=2)
    assert set(answer.json()) == {"url", "summary", "job"}
    assert client.get(answer.json()["url"], headers=headers).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_of_two_decisions_at_once_one_is_made(collection, lead):
    other_lead = cast.member(collection, Role.LEAD)
    people = [cast.bearer(person, SCOPE) for person in (lead, other_lead)]
    pair, batch = report(collection, "escalated"), fail_batch(collection)
    for address, fields in [
        (f"inbox/pairs/{pair.pk}/act/", [{"act": "return"}] * 2),
        (f"inbox/pairs/{pair.pk}/act/", [{"act": "exclude-pair", "reason": "broken"}] * 2),
        (f"inbox/pairs/{pair.pk}/act/", [{"act": "exclude-query", "reason": "broken"}] * 2),
        (
            f"inbox/batches/{batch.pk}/act/",
            [{"act": "accept"}, {"act": "reject", "reason": "guessed"}],
        ),
    ]:
        n_before = ReviewAction.objects.count()
        answers = run_concurrently(
            lambda request, address=address: send(Client(), request[0], address, **request[1]),
            list(zip(people, fields, strict=True)),
        )
        assert sorted(answer.status_code for answer in answers) == [200, 422]
        assert ReviewAction.objects.count() == n_before + 1
    connection.close()
