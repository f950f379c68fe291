"""The lead's room and the policy at the size of FIRE's MSVD study: what a request does, and what a worker does.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_review_room.py

555,260 pairs in an open pool, 60,000 of them labelled by three people and 2,000 disputed (review_study.py).
"""

import os
import time
from statistics import median

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.checks.check import run
from annotate.fsck import CHECKS
from annotate.models import Resolution, ReviewWork, Role, Round, RoundPair, Seat
from annotate.services import collections, policies, review_dispatch, review_work
from tests import cast
from tests.benchmarks.review_study import fill

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
SCALE = float(os.environ.get("BENCHMARK_SCALE", "1"))
EARLIER, LATER = "2000-01-01T00:00", "2100-01-01T00:00"
REQUEST = 1.0  # seconds that no request may take


@pytest.fixture
def study(client):
    study = fill("review", scale=SCALE)
    client.force_login(cast.member(study.collection, Role.LEAD))
    yield study
    if SCALE < 0.1:  # minutes at full size
        checks = [check for check in CHECKS if check.name != "annotate.doubles-exact"]
        assert [(finding.check.name, finding.lines) for finding in run(checks) if not finding.check.notice] == []


def told(what, seconds, more=""):
    print(f"{what:52} {1000 * seconds:9,.0f} ms  {more}")
    return seconds


def spent(call):
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def asked(client, what, address, n_times=3):
    """A page read a few times: its time, and how many queries it asks."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address)
    assert answer.status_code == 200
    n = len(queries)  # before another request forgets them
    seconds = told(what, median(spent(lambda: client.get(address)) for _ in range(n_times)), f"{n} queries")
    assert seconds < REQUEST
    return answer, n


def sent(client, what, address, **fields):
    begun = time.perf_counter()
    answer = client.post(address, fields)
    assert told(what, time.perf_counter() - begun) < REQUEST
    assert answer.status_code == 302, answer.content.decode()


def carried(what):
    """A worker's part: all of it, and the longest that one transaction takes."""
    decision, longest, begun = ReviewWork.objects.not_done().get(), 0.0, time.perf_counter()
    while not decision.is_done:
        since = time.perf_counter()
        handler = review_dispatch.HANDLERS[decision.action.kind]
        decision = review_work.go_on(decision=decision, handler=handler)
        longest = max(longest, time.perf_counter() - since)
    told(what, time.perf_counter() - begun, f"{decision.n_done:,} rows, the longest stretch {1000 * longest:,.0f} ms")
    assert longest < 3
    return decision


def labels_withdrawn_and_restored(client, study):
    person = f"/c/{study.collection.slug}/annotators/{study.annotator.pk}/"
    n = Seat.objects.filter(annotator=study.annotator, state="done").count()
    print(f"\n{n:,} labels of one person, {study.collection.pairs.count():,} pairs")
    asked(client, "the person's page", person)
    asked(client, "the person's page, counting what would go", f"{person}?since={EARLIER}")
    sent(client, "withdraw: the request", f"{person}act/", act="withdraw", since=EARLIER, expected=n, reason="asleep")
    asked(client, "the person's page meanwhile", person)
    work = ReviewWork.objects.not_done().get()
    asked(client, "how far it is, every 2 s", f"/c/{study.collection.slug}/review-log/{work.pk}/work/")
    assert carried("withdraw: the worker").n_done == n
    asked(client, "the person's page with what was withdrawn", person)
    since = timezone.now().isoformat()
    sent(client, "restore: the request", f"{person}act/", act="restore", since=EARLIER, until=LATER, reason=since)
    assert carried("restore: the worker").n_done == n
    assert Seat.objects.filter(annotator=study.annotator, state="done").count() == n


def item_left_out_and_taken_back(client, study):
    pairs = study.item.pairs_as_document
    act = f"/c/{study.collection.slug}/inbox/pairs/{pairs.first().pk}/act/"
    print(f"\n{pairs.count():,} pairs of one item")
    sent(client, "exclude: the request", act, act="exclude-document", reason="a test card")
    carried("exclude: the worker")
    assert not RoundPair.objects.filter(pair__in=pairs.all(), dropped_at=None).exists()
    sent(client, "take back in: the request", act, act="restore-document")
    carried("take back in: the worker")
    assert not RoundPair.objects.filter(pair__in=pairs.all(), dropped_at__isnull=False).exists()


def inbox_of_disputed_pairs(client, study):
    inbox = f"/c/{study.collection.slug}/inbox/"
    n = Resolution.objects.filter(status="disputed").count()
    print(f"\n{n:,} disputed pairs")
    _, few = asked(client, "inbox, first page", f"{inbox}?tab=disputed")
    answer, many = asked(client, "inbox, last page", f"{inbox}?tab=disputed&page=last")
    assert few == many
    first = answer.context["rows"][0].pair.pk
    asked(client, "a disputed pair", f"{inbox}pairs/{first}/?tab=disputed")
    sent(client, "a grade, and on to the next pair", f"{inbox}pairs/{first}/adjudicate/?tab=disputed", grade=2)
    asked(client, "the log", f"/c/{study.collection.slug}/review-log/")


def another_tie_rule_seen_and_followed(study):
    collection, round_ = study.collection, Round.objects.get()
    n = Resolution.objects.filter(status="disputed").count()
    wanted = collections.wanted_policy(collection=collection, by=None, changes={"tie": "up"})
    cache.clear()
    begun = time.perf_counter()
    seen, send = policies.ask(policy=wanted, with_closed=False)
    print(f"\n{round_.round_pairs.count():,} pairs, {Resolution.objects.count():,} resolved, {n:,} disputed")
    assert told("what another tie rule changes, seen", time.perf_counter() - begun) < REQUEST
    assert (seen.change.n_settled, send) == (n, False)
    cache.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policies, "AT_ONCE", 0)  # as a worker does it where more may change
        question = policies.as_question(policy=wanted, with_closed=True)
        told("the same, closed pools too", spent(lambda: policies.answer(collection=collection, question=question)))
    saved = spent(lambda: policies.save_policy(collection=collection, by=None, tie="up"))
    assert told("saved: the request", saved) < REQUEST
    told("followed: the worker", spent(lambda: policies.follow(round_=Round.objects.get())))
    assert policies.behind() == []
    assert not Resolution.objects.filter(status="disputed").exists()


def test_what_leads_do_at_size(client, study):
    """One study for all of it: writing it takes longer than the rest."""
    inbox_of_disputed_pairs(client, study)
    item_left_out_and_taken_back(client, study)
    another_tie_rule_seen_and_followed(study)
    labels_withdrawn_and_restored(client, study)
