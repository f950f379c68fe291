"""Fifty people at once on a real PostgreSQL: people who vanish, who disagree, who use two tabs.

To see these tests fail: drop SKIP LOCKED from claiming (two people get one seat, or wait for each
other), the pair's lock from judging (disagreements that nobody is asked to settle), or its lock
from reconciling (labels that are overlooked).
"""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import Annotator, HandOut, Judgment, Resolution, Seat
from annotate.services import seating
from annotate.services.judging import claiming, judging
from tests import campaigns, cast
from tests.servers.database_sessions import waiting_session
from tests.servers.databases import closing_connections, run_concurrently

pytestmark = pytest.mark.django_db(transaction=True)


def study(n_pairs, **policy):
    return campaigns.open_collection(n_pairs, **policy)


def judge_all(annotator, rng, vanish=0.0):
    """Judge batch after batch until nothing is left; perhaps walk away from one for good."""
    judgments = []
    while claiming.current_batch(annotator=annotator) is not None:
        for hand_out in claiming.open_hand_outs(annotator=annotator):
            if rng.random() < vanish:
                return judgments
            answer = JudgmentAnswer(submission_id=uuid4(), grade=int(rng.random() < 0.5))
            judgments.append(
                judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)
            )
    return judgments


@pytest.mark.parametrize("n_people", [20, pytest.param(50, marks=pytest.mark.heavy)])
def test_people_and_their_second_tabs_never_share_a_seat_or_see_a_pair_twice(n_people):
    collection = study(6 * n_people, labels_per_pair=2, ceiling=3, batch_candidates=8)
    people = [cast.annotator(collection) for _ in range(n_people)]
    tabs = [*people, *people[: n_people // 4]]  # some of them judge in two tabs
    seeds = {person.pk: index for index, person in enumerate(people)}

    judgments = run_concurrently(
        lambda person: judge_all(person, random.Random(seeds[person.pk]), vanish=0.01), tabs
    )
    Seat.objects.filter(state="held").update(leased_until=timezone.now() - timedelta(seconds=1))
    fresh = [cast.annotator(collection) for _ in range(5)]
    seeds |= {person.pk: len(people) + index for index, person in enumerate(fresh)}
    # who found nothing left comes again: the last answers of the others may have asked for a third
    # label
    while any(
        more := run_concurrently(
            lambda person: judge_all(person, random.Random(seeds[person.pk])), fresh
        )
    ):
        judgments += more

    acknowledged = {judgment.pk for mine in judgments for judgment in mine}
    assert set(Judgment.objects.values_list("pk", flat=True)) == acknowledged  # nothing lost
    per_person = Judgment.objects.filter(superseded_by=None).values("annotator", "pair")
    assert per_person.annotate(n=Count("pk")).filter(n__gt=1).count() == 0
    counting_ids = Seat.objects.filter(state="done").values_list("judgment_id", flat=True)
    assert len(counting_ids) == len(set(counting_ids))
    assert not Seat.objects.filter(state__in=["free", "held"]).exists()  # nothing unreachable
    assert_third_seats(collection)


def assert_third_seats(collection):
    """Every disagreement got exactly one label more, every agreement none."""
    labels = Counter()
    grades = {}
    for pair, grade in (
        Seat.objects.filter(state="done")
        .order_by("number")
        .values_list("pair_id", "judgment__level__grade")
    ):
        labels[pair] += 1
        grades.setdefault(pair, []).append(grade)
    disagreed = {pair for pair, pair_grades in grades.items() if len(set(pair_grades)) > 1}
    assert {n for pair, n in labels.items() if pair in disagreed} == {3}
    # Who changed her mind in another tab may have disagreed for a while: the third label may be
    # under way by then.
    changed = set(
        Judgment.objects.filter(superseded_by__isnull=False).values_list("pair_id", flat=True)
    )
    assert {n for pair, n in labels.items() if pair not in disagreed | changed} == {2}
    assert {n for pair, n in labels.items() if pair in changed} <= {2, 3}
    assert Resolution.objects.filter(collection=collection).exclude(
        status="disputed"
    ).count() == len(labels)


def test_two_people_who_disagree_at_the_same_moment_always_ask_for_a_third():
    collection = study(60, labels_per_pair=2, ceiling=3, batch_candidates=60)
    people = [cast.annotator(collection), cast.annotator(collection)]
    tokens = []
    for person in people:
        claiming.current_batch(annotator=person)
        hand_outs = HandOut.objects.filter(batch__annotator=person)
        tokens.append(dict(hand_outs.values_list("seat__pair_id", "token")))
    for pair in tokens[0]:
        run_concurrently(
            lambda grade, pair=pair: judging.record_judgment(
                annotator=people[grade],
                token=tokens[grade][pair],
                answer=JudgmentAnswer(submission_id=uuid4(), grade=grade),
            ),
            [0, 1],
        )
    assert Seat.objects.filter(state="free", why=Seat.Why.DISAGREEMENT).count() == 60


def test_a_pair_that_is_reconciled_while_somebody_answers_it_follows_that_answer_too():
    collection = study(1, labels_per_pair=2, ceiling=3)
    people = [cast.annotator(collection), cast.annotator(collection)]
    for person in people:
        claiming.current_batch(annotator=person)
    answered, may_commit = Event(), Event()

    def answer(grade):
        token = HandOut.objects.get(batch__annotator=people[grade]).token
        judgment_answer = JudgmentAnswer(submission_id=uuid4(), grade=grade)
        judging.record_judgment(annotator=people[grade], token=token, answer=judgment_answer)

    @closing_connections
    def answer_slowly():
        with transaction.atomic():
            answer(1)
            answered.set()
            may_commit.wait(240)

    @closing_connections
    def reconcile():
        seating.reconcile_pairs(pair_ids=collection.pairs.values_list("pk", flat=True))

    answer(0)
    with ThreadPoolExecutor(2) as pool:
        answering = pool.submit(answer_slowly)
        assert answered.wait(240)
        reconciling = pool.submit(reconcile)
        try:
            waiting_session(unless=reconciling.done)
        finally:
            may_commit.set()
        answering.result()
        reconciling.result()
    assert (Resolution.objects.get().status, Resolution.objects.get().n_labels) == ("waiting", 2)


def test_fifty_who_come_at_once_do_not_wait_in_line_and_share_the_queue():
    collection = study(1000, batch_candidates=18)
    people = [cast.annotator(collection) for _ in range(50)]
    batches = run_concurrently(lambda person: claiming.current_batch(annotator=person), people)
    assert all(batch.hand_outs.count() == 18 for batch in batches)
    assert HandOut.objects.values("seat").distinct().count() == 900


def test_nobody_waits_for_a_claim_that_is_still_going_on():
    collection = study(20, batch_candidates=18)
    slow, quick = cast.annotator(collection), cast.annotator(collection)
    claimed, may_commit = Event(), Event()

    @closing_connections
    def claim_slowly():
        with transaction.atomic():
            claiming.current_batch(annotator=slow)
            claimed.set()
            assert may_commit.wait(600)

    with ThreadPoolExecutor(2) as pool:
        going_on = pool.submit(claim_slowly)
        assert claimed.wait(240)
        try:
            batch = pool.submit(
                closing_connections(claiming.current_batch), annotator=quick
            ).result(240)
        finally:
            may_commit.set()
        going_on.result()
    assert batch.hand_outs.count() == 2  # what the other has not locked, at once


def test_one_person_in_many_tabs_has_one_batch():
    collection = study(100, batch_candidates=18)
    person = cast.annotator(collection)
    batches = run_concurrently(
        lambda _: claiming.current_batch(annotator=Annotator.objects.get(pk=person.pk)), range(10)
    )
    assert len({batch.pk for batch in batches}) == 1
    assert HandOut.objects.count() == 18
