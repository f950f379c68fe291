"""The short cut of reconciling for the plain pairs of a round makes the very rows of the long way.

To see these tests fail: leave a NOT EXISTS out of `bulk_seats._UNTOUCHED`, or let
`withdraw_unshared_seats` take shared pairs.
"""

import random
from contextlib import contextmanager
from uuid import uuid4

import numpy as np
import pytest
from django.db import transaction

from annotate.core.labels.answers import JudgmentAnswer
from annotate.fsck import CHECKS
from annotate.models import Gold, HandOut, Pair, Report, Resolution, Round, RoundPair, Seat
from annotate.services import seating
from annotate.services.judging import claiming, judging, reports
from annotate.services.seating import bulk_seats, pair_creation, rounds
from annotate.services.storage import bulk_copy
from tests import campaigns, cast
from tests.servers.worker_kills import run_out_of_memory
from tests.sizes import seeds

pytestmark = pytest.mark.django_db
SEAT = ("pair", "purpose", "number", "round", "why", "state", "annotator", "queue_key")


class Undo(Exception):
    """Ends a trial."""


@contextmanager
def trial():
    """Roll back everything done inside."""
    try:
        with transaction.atomic():
            yield
            raise Undo
    except Undo:
        pass


def situation(seed: int):
    """A collection with seats free, held, judged, reported, withdrawn; golds; closed rounds."""
    rng = random.Random(seed)
    collection = cast.collection(
        double_share=rng.choice(["0", "0.3"]),
        labels_per_pair=rng.choice([1, 2, 3]),
        ceiling=4,
        batch_candidates=6,
        gold_positives=1,
        gold_negatives=1,
        grouped=rng.random() < 0.5,
        stop_early=rng.random() < 0.5,
    )
    pairs = cast.pairs(collection, 40)
    for pair in rng.sample(pairs, 4):
        grade = rng.randrange(2)
        Gold.objects.create(
            collection=collection, pair=pair, grade=grade, is_positive=grade == 1, origin="curated"
        )
    before = [
        campaigns.open_pool_round(collection, rng.sample(pairs, 10), f"before {n}")
        for n in range(2)
    ]
    for _ in range(2):
        judge_some(cast.annotator(collection), rng)
    if rng.random() < 0.5:
        seating.close_round(round_=before[0])
    return collection, pairs, rng


def judge_some(annotator, rng):
    if (batch := claiming.current_batch(annotator=annotator)) is None:
        return
    for hand_out in HandOut.objects.filter(batch=batch):
        submission_id, dice = uuid4(), rng.random()
        if dice < 0.5:
            answer = JudgmentAnswer(submission_id=submission_id, grade=rng.randrange(2))
            judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)
        elif dice < 0.7:
            kind = rng.choice(list(Report.Kind))
            reports.report_pair(
                annotator=annotator, token=hand_out.token, submission_id=submission_id, kind=kind
            )


def everything(round_name):
    """All seats and resolutions, with the round as its name: a trial's keys differ."""
    names = dict(Round.objects.values_list("pk", "name"))
    seats = [
        (*row[:3], names[row[3]], *row[4:])
        for row in Seat.objects.order_by(*SEAT[:3], "pk").values_list(*SEAT)
    ]
    return (
        seats,
        list(
            Resolution.objects.order_by("pair").values_list(
                "pair", "status", "grade", "n_labels", "is_complete", "policy"
            )
        ),
        list(
            RoundPair.objects.filter(round__name=round_name)
            .order_by("pair")
            .values_list("pair", "n_wanted")
        ),
    )


def one_by_one(monkeypatch):
    """Let every pair go through reconcile_pairs."""
    monkeypatch.setattr(rounds, "seat_pairs_of_new_round", lambda round_, pairs: pairs)
    monkeypatch.setattr(rounds, "seat_untouched_pairs", lambda round_, pairs: pairs)
    monkeypatch.setattr(rounds, "withdraw_unshared_seats", lambda round_, pairs: pairs)


@pytest.mark.parametrize("seed", seeds(12, by_default=4))
def test_a_round_opened_closed_and_opened_again_has_the_rows_that_reconciling_pair_by_pair_makes(
    seed, monkeypatch
):
    collection, pairs, rng = situation(seed)
    chosen = rng.sample(pairs, 30)
    dropped = rng.choice(chosen)

    def story():
        snapshots = []
        round_ = campaigns.open_pool_round(collection, chosen, "new")
        snapshots.append(everything("new"))
        RoundPair.objects.filter(round=round_, pair=dropped).update(dropped_at="2026-01-01T00:00Z")
        for step in (seating.close_round, seating.reopen_round, seating.close_round):
            step(round_=round_)
            snapshots.append(everything("new"))
        return snapshots

    with trial():
        short = story()
        wrong = seating.plan(pairs=list(collection.pairs.order_by("pk")))
        assert (
            wrong.new_seats,
            wrong.seats_to_free,
            wrong.seats_to_withdraw,
            wrong.seats_to_move,
        ) == (
            [],
            [],
            [],
            [],
        )
        violations = {check.name: list(check.find()) for check in CHECKS if not check.notice}
        assert {name: rows for name, rows in violations.items() if rows} == {}
    with monkeypatch.context() as slow, trial():
        one_by_one(slow)
        long = story()
    assert short == long


def test_a_round_of_new_pairs_is_opened_without_reconciling_any(monkeypatch):
    collection = cast.collection(double_share="0.1")
    pairs = cast.pairs(collection, 50)
    monkeypatch.setattr(
        rounds, "reconcile_pairs", lambda pair_ids: pytest.fail("reconciled") if pair_ids else None
    )
    round_ = campaigns.open_pool_round(collection, pairs, "new")
    seating.close_round(round_=round_)
    seating.reopen_round(round_=round_)
    assert Seat.objects.filter(state="free", round=round_).count() == 55


@pytest.mark.parametrize("grouped", [True, False])
def test_pairs_made_just_now_get_the_seats_that_others_get(monkeypatch, grouped):
    collection = cast.collection(double_share="0.3", labels_per_pair=2, grouped=grouped)
    pairs = np.array([pair.pk for pair in cast.pairs(collection, 60)])

    def story(fresh):
        with trial():
            opening = seating.begin_opening(
                collection=collection,
                kind=Round.Kind.POOL,
                name="new",
                policy=cast.policy(collection),
                pair_ids=pairs,
                created_pairs=fresh,
            )
            assert opening.pairs_without_seats.tolist() == []
            return everything("new")

    monkeypatch.setattr(bulk_copy, "BLOCK", 25)
    assert len(story(None)[0]) == 138
    assert story(pairs) == story(pairs[::3]) == story(None)


def test_pairs_are_known_for_new_by_who_made_them_alone():
    collection = cast.collection()
    pairs = cast.pairs(collection, 6)
    query, document = np.array([(pair.query_id, pair.document_id) for pair in pairs]).T
    Pair.objects.filter(pk=pairs[2].pk).delete()
    ensured = pair_creation.ensure_pairs(collection=collection, query=query, document=document)
    assert ensured.is_new.tolist() == [False, False, True, False, False, False]
    assert [*ensured.keys[:2], *ensured.keys[3:]] == [pair.pk for pair in pairs if pair != pairs[2]]
    assert Pair.objects.get(pk=ensured.keys[2]).query_id == query[2]


def test_what_a_round_being_opened_wants_is_handed_to_nobody():
    collection = cast.collection()
    opening = seating.begin_opening(
        collection=collection,
        kind=Round.Kind.POOL,
        name="new",
        policy=cast.policy(collection),
        pair_ids=[pair.pk for pair in cast.pairs(collection, 10)],
    )
    assert (
        opening.round.state,
        Seat.objects.filter(state="free").count(),
        len(opening.pairs_without_seats),
    ) == ("opening", 10, 0)
    person = cast.annotator(collection)
    assert claiming.current_batch(annotator=person) is None
    seating.finish_opening(round_=opening.round, pairs=opening.pairs_without_seats)
    assert claiming.current_batch(annotator=person).hand_outs.count() == 10


def test_a_round_being_closed_hands_out_nothing_more_and_a_killed_closing_is_taken_up_again(
    monkeypatch,
):
    monkeypatch.setattr(bulk_copy, "BLOCK", 10)
    collection = cast.collection(batch_candidates=5)
    round_ = campaigns.open_pool_round(collection, cast.pairs(collection, 40), "new")
    first = cast.annotator(collection)
    claiming.current_batch(annotator=first)
    seating.begin_closing(round_=round_)
    assert claiming.current_batch(annotator=cast.annotator(collection)) is None

    with pytest.raises(MemoryError):
        seating.finish_closing(round_=round_, on_rows=run_out_of_memory)
    assert 0 < Seat.objects.filter(state="free").count() < 35
    assert [list(check.find()) for check in CHECKS if not check.notice and list(check.find())] == []
    seating.finish_closing(round_=round_)
    assert set(Seat.objects.values_list("state", flat=True)) == {"held", "withdrawn"}
    assert round_.state == "closed"


def test_a_pair_that_somebody_may_be_at_or_another_round_asks_for_is_left_to_reconciling():
    collection = cast.collection()
    pairs = cast.pairs(collection, 6)
    campaigns.open_pool_round(collection, pairs[:2], "before")
    Gold.objects.create(
        collection=collection, pair=pairs[2], grade=1, is_positive=True, origin="curated"
    )
    other, round_ = (
        Round.objects.create(
            collection=collection,
            kind="pool",
            name=name,
            policy=cast.policy(collection),
            state="opening",
        )
        for name in ("other", "new")
    )
    # its seats are still to be made
    RoundPair.objects.create(round=other, pair=pairs[3], n_wanted=2)
    RoundPair.objects.bulk_create(RoundPair(round=round_, pair=pair, n_wanted=1) for pair in pairs)
    rest = bulk_seats.seat_pairs_of_new_round(
        round_=round_, pairs=np.array([pair.pk for pair in pairs])
    )
    assert rest.tolist() == [pair.pk for pair in pairs[:4]]
