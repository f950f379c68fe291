"""Annotators for programs of leads: paused and resumed, their labels withdrawn and restored."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import ApiToken, Resolution, ReviewAction, ReviewWork, Role
from annotate.services.background import works
from annotate.services.supervision import bulk_decisions, withdrawing
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
ANNOTATORS = "/api/v1/collections/shapes/annotators/"
SCOPE = ApiToken.Scope.MEMBERS_WRITE
EARLIER = timezone.now() - timedelta(days=1)


@pytest.fixture
def collection():
    return campaigns.open_collection(
        4, "shapes", grades=3, batch_candidates=4, gold_positives=0, gold_negatives=0
    )


@pytest.fixture
def annotator(collection):
    annotator = cast.annotator(collection)
    campaigns.judge_batch(annotator, limit=3)
    return annotator


@pytest.fixture
def headers(collection, lead):
    return cast.bearer(lead, SCOPE, collection=collection)


def post(client, headers, annotator, act, *, key="", **fields):
    extra = {"Idempotency-Key": key} if key else {}
    url = f"{ANNOTATORS}{annotator.pk}/{act}/"
    return client.post(url, fields, content_type="application/json", headers=headers | extra)


def withdraw(client, headers, annotator, **fields):
    fields = {"since": EARLIER.isoformat(), "expected": 3, "reason": "guessed", **fields}
    return post(client, headers, annotator, "withdraw", **fields)


def facts(client, headers, annotator):
    return client.get(f"{ANNOTATORS}{annotator.pk}/", headers=headers).json()


def actions():
    return list(ReviewAction.objects.order_by("pk").values_list("kind", "reason", "n_labels"))


def test_an_annotator_is_paused_for_a_reason_and_resumed(client, collection, annotator, headers):
    refused = post(client, headers, annotator, "pause")
    assert refused.json()["errors"] == [
        {"field": "reason", "message": "Say why: the reason stays in the log."}
    ]
    value = post(client, headers, annotator, "pause", reason="ill").json()
    annotator.refresh_from_db()
    assert value["paused_at"] and annotator.paused_at is not None
    assert value == facts(client, headers, annotator)
    assert post(client, headers, annotator, "pause", reason="ill").status_code == 200
    assert post(client, headers, annotator, "resume").json()["paused_at"] is None
    assert actions() == [("paused", "ill", 0), ("resumed", "", 0)], "once, with who and why"


def test_labels_are_counted_withdrawn_and_restored(client, collection, annotator, lead, headers):
    url = f"{ANNOTATORS}{annotator.pk}/withdrawable/"
    since = EARLIER.isoformat()
    counts = client.get(url, {"since": since}, headers=headers).json()
    assert counts == {"n_labels": 3, "n_checks": 0, "n_pairs": 3, "n": 3}
    answer = withdraw(client, headers, annotator)
    value = answer.json()
    assert (answer.status_code, answer["Location"]) == (202, value["job"]["url"])
    assert (value["n_total"], value["n_done"], value["n_surplus"]) == (3, 3, 0)
    assert value["summary"].startswith("3 answers of") and value["job"]["is_finished"]
    assert client.get(answer["Location"], headers=headers).json()["state"] == "done"
    assert not Resolution.objects.exists()
    (withdrawal,) = facts(client, headers, annotator)["withdrawals"]
    assert (withdrawal["reason"], withdrawal["n"]) == ("guessed", 3)
    times = {name: withdrawal[name] for name in ("since", "until")}
    assert post(client, headers, annotator, "restore", **times).status_code == 422, "no reason"
    value = post(client, headers, annotator, "restore", **times, reason="a mistake").json()
    assert (value["summary"], value["n_done"]) == ("3 answers count again.", 3)
    assert Resolution.objects.count() == 3
    assert facts(client, headers, annotator)["withdrawals"] == []
    assert actions() == [("labels_withdrawn", "guessed", 3), ("labels_restored", "a mistake", 3)]
    assert set(ReviewAction.objects.values_list("by", flat=True)) == {lead.pk}


def test_more_answers_than_were_shown_are_refused(client, collection, annotator, headers):
    answer = withdraw(client, headers, annotator, expected=2)
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "It would be about 3 answers by now, not 2; look again.",
    )
    assert Resolution.objects.count() == 3 and not ReviewWork.objects.exists()


def test_where_there_are_no_answers_nothing_is_done(client, collection, annotator, headers):
    later = timezone.now() + timedelta(days=1)
    answer = withdraw(client, headers, annotator, since=later.isoformat(), expected=0)
    assert (answer.status_code, answer.json()["job"]) == (200, None)
    assert answer.json()["summary"].endswith("has no such answer; nothing was changed.")
    assert actions() == []


def test_many_answers_are_work_of_a_worker_which_nothing_may_undo_meanwhile(
    client, collection, annotator, headers, monkeypatch
):
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", 1)
    monkeypatch.setattr(bulk_decisions, "STRETCH", 1)
    answer = withdraw(client, headers, annotator)
    assert (answer.status_code, answer.json()["job"]["state"]) == (202, "asked")
    assert "3 answers, in the background" in answer.json()["summary"]
    decision = ReviewWork.objects.get()
    bulk_decisions.go_on(decision=decision, handler=withdrawing.withdraw_stretch)
    (under_way,) = facts(client, headers, annotator)["decisions"]
    assert (under_way["n_done"], under_way["n_total"]) == (1, 3)
    refused = withdraw(client, headers, annotator, expected=2)
    assert refused.status_code == 422
    assert "Wait until that is done." in refused.json()["detail"]
    works.perform(work=decision.work)
    job = client.get(answer["Location"], headers=headers).json()
    assert (job["state"], Resolution.objects.count()) == ("done", 0)
    assert facts(client, headers, annotator)["decisions"] == []


def test_a_withdrawal_that_is_sent_again_is_done_once(client, collection, annotator, headers):
    first = withdraw(client, headers, annotator, key="a")
    again = withdraw(client, headers, annotator, key="a")
    assert (again.status_code, again.json()) == (202, first.json())
    assert again["Idempotency-Replayed"] == "true" and ReviewWork.objects.count() == 1
    answer = withdraw(client, headers, annotator)
    assert (answer.status_code, answer.json()["job"]) == (200, None), "nothing is left of the three"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"since": "soon"}, "since"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "since"),
        ({"since": None}, "since"),
        ({"expected": 2**31}, "expected"),
        ({"expected": -1}, "expected"),
        ({"expected": True}, "expected"),
        ({"reason": ""}, "reason"),
        ({"reason": "x" * 201}, "reason"),
        ({"reason": "\0"}, "reason"),
        ({"reason": "\ud800"}, "reason"),
        ({"reason": ["x"]}, "reason"),
        ({"until": EARLIER.isoformat()}, "until"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_withdrawn(
    client, collection, annotator, headers, fields, field
):
    answer = withdraw(client, headers, annotator, **fields)
    assert answer.status_code == 422, answer.content
    assert field in {row["field"] for row in answer.json()["errors"]}
    assert Resolution.objects.count() == 3 and actions() == []


def test_the_moment_of_a_count_is_looked_at(client, collection, annotator, headers):
    url = f"{ANNOTATORS}{annotator.pk}/withdrawable/"
    for parameters in ({}, {"since": "soon"}, {"from": "2026-01-01T00:00:00Z"}):
        assert client.get(url, parameters, headers=headers).status_code == 422
    moment = {"since": "9999-12-31T23:59:59.999999Z"}
    assert client.get(url, moment, headers=headers).json()["n"] == 0
    moment = {"since": "0001-01-01T00:00:00Z"}
    assert client.get(url, moment, headers=headers).json()["n"] == 3


def test_annotators_are_listed_under_pseudonyms_also_after_they_left(
    client, collection, annotator, headers
):
    annotator.user.memberships.all().delete()
    collection.annotators.create(pseudonym="B7", origin="import")
    cast.annotator(cast.collection("other"))
    rows = client.get(ANNOTATORS, headers=headers)
    assert [row["pseudonym"] for row in rows.json()["annotators"]] == [annotator.pseudonym, "B7"]
    assert annotator.user.username not in rows.content.decode()
    with CaptureQueriesContext(connection) as few:
        page = client.get(ANNOTATORS, {"page_size": 1}, headers=headers).json()
    with CaptureQueriesContext(connection) as many:
        client.get(ANNOTATORS, headers=headers)
    assert len(few) == len(many)
    page = client.get(page["next"], headers=headers).json()
    assert [row["origin"] for row in page["annotators"]] == ["import"]
    page = client.get(ANNOTATORS, {"origin": "person"}, headers=headers).json()
    assert len(page["annotators"]) == 1
    assert client.get(ANNOTATORS, {"origin": "moon"}, headers=headers).status_code == 422


def test_annotators_are_for_leads_with_the_scope_and_the_collection(
    client, collection, annotator, lead
):
    scopes = [scope for scope in ApiToken.Scope if scope != SCOPE]
    for headers, status in (
        (cast.bearer(lead, *scopes), 403),
        (cast.bearer(lead, SCOPE, collection=cast.collection("other")), 404),
        (cast.bearer(cast.member(collection, Role.RESEARCHER), SCOPE), 403),
        (cast.bearer(annotator.user, SCOPE), 403),
    ):
        assert client.get(ANNOTATORS, headers=headers).status_code == status
        assert post(client, headers, annotator, "pause", reason="ill").status_code == status
        assert withdraw(client, headers, annotator).status_code == status
        assert post(client, headers, annotator, "restore").status_code == status
    assert actions() == []
