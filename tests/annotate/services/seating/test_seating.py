"""Rounds and their seats: what reconcile makes of judgments, open rounds and policy."""

from datetime import timedelta
from decimal import Decimal
from io import BytesIO

import numpy as np
import pytest
from django.db.models.expressions import RawSQL
from django.utils import timezone

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Resolution, Round, RoundPair, Seat
from annotate.services import seating
from annotate.services.judging import claiming
from annotate.services.seating import bulk_resolutions, reconciling, rounds
from tests import campaigns, cast
from tests.judgment_imports import import_judgments

pytestmark = pytest.mark.django_db


def test_a_round_opens_one_free_seat_a_pair():
    campaigns.open_collection(30)
    assert Seat.objects.filter(state="free").count() == 30


def test_who_opens_and_closes_a_round_hears_how_far_it_is():
    collection = cast.collection()
    pairs = [pair.pk for pair in cast.pairs(collection, 30)]
    opening, seats, closing = [], [], []
    round_ = rounds.begin_opening(
        collection=collection,
        kind=Round.Kind.POOL,
        name="pool",
        policy=cast.policy(collection),
        pair_ids=pairs,
        on_rows=opening.append,
    ).round
    rounds.finish_opening(round_=round_, on_rows=seats.append)
    rounds.begin_closing(round_=round_)
    rounds.finish_closing(round_=round_, on_rows=closing.append)
    # opening tells of each pair twice: when it is stored, and when it is looked at for seats
    assert (sum(opening), sum(seats), sum(closing)) == (60, 30, 30)


@pytest.mark.parametrize(("n", "doubles"), [(100, 10), (95, 10), (94, 9), (4, 0), (5, 1)])
def test_the_share_of_doubles_is_exact(n, doubles):
    campaigns.open_collection(n, double_share="0.1")
    assert Seat.objects.filter(why=Seat.Why.DOUBLE).count() == doubles


def test_closing_withdraws_free_seats_and_reopening_brings_the_same_back():
    collection = cast.collection()
    round_ = campaigns.open_pool_round(collection, cast.pairs(collection, 5))
    before = set(Seat.objects.values_list("pk", flat=True))
    seating.close_round(round_=round_)
    assert set(Seat.objects.values_list("state", flat=True)) == {"withdrawn"}
    seating.reopen_round(round_=round_)
    assert set(Seat.objects.filter(state="free").values_list("pk", flat=True)) == before


@pytest.mark.parametrize("closed", [0, 1])
def test_a_pair_in_two_rounds_keeps_its_seat_while_one_of_them_is_open(closed):
    collection = cast.collection()
    shared, *other_pairs = cast.pairs(collection, 5)
    rounds = [
        campaigns.open_pool_round(collection, [shared, *other_pairs[at : at + 2]], f"round {at}")
        for at in (0, 2)
    ]
    assert Seat.objects.count() == 5
    seating.close_round(round_=rounds[closed])
    free = Seat.objects.filter(state="free")
    assert free.get(pair=shared).round == rounds[1 - closed]
    assert free.count() == 3


def test_reconciling_again_changes_nothing():
    collection = cast.collection(double_share="0.5")
    pair_list = cast.pairs(collection, 20)
    campaigns.open_pool_round(collection, pair_list)
    before = list(Seat.objects.order_by("pk").values())
    seating.reconcile_pairs(pair_ids=[pair.pk for pair in pair_list])
    assert list(Seat.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(
    ("grades", "why"), [([0], "first"), ([0, 1], "disagreement"), ([1, 1], None)]
)
def test_a_seat_that_imported_labels_ask_for_by_differing_is_asked_for_on_disagreement(grades, why):
    collection = cast.collection(labels_per_pair=2, ceiling=3)
    (pair,) = cast.pairs(collection, 1)
    ids = f"{pair.query.external_id},{pair.document.external_id}"
    rows = "".join(f"expert{n},{ids},{grade}\n" for n, grade in enumerate(grades))
    import_judgments(
        collection=collection,
        stream=BytesIO(f"annotator,query,document,grade\n{rows}".encode()),
        file_name="a.csv",
        columns=JudgmentColumns(),
        name="experts",
    )
    campaigns.open_pool_round(collection, [pair])
    assert list(Seat.objects.filter(state="free").values_list("why", flat=True)) == (
        [why] if why else []
    )


def test_a_planned_seat_that_only_a_disagreement_asks_for_any_longer_is_no_planned_one():
    collection = cast.collection(labels_per_pair=2, ceiling=3, double_share=1)
    (pair,) = cast.pairs(collection, 1)
    policy = cast.policy(collection)
    with_double = campaigns.open_pool_round(collection, [pair])  # wants three
    for grade in (0, 1):
        campaigns.judge_batch(cast.annotator(collection), grade)
    assert Seat.objects.get(state="free").why in ("first", "double")
    seating.close_round(round_=with_double)
    policy.pk, policy.version, policy.double_share = None, policy.version + 1, Decimal(0)
    policy.save()
    seating.open_round(
        collection=collection, kind=Round.Kind.POOL, name="plain", policy=policy, pair_ids=[pair.pk]
    )
    assert Seat.objects.get(state="free").why == Seat.Why.DISAGREEMENT
    seating.reconcile_pairs(pair_ids=[pair.pk])
    assert Seat.objects.get(state="free").why == Seat.Why.DISAGREEMENT


def test_a_round_name_taken_twice_is_refused_and_changes_nothing():
    collection = campaigns.open_collection(2)
    with pytest.raises(seating.RoundExists, match="choose another name"):
        campaigns.open_pool_round(collection, cast.pairs(collection, 2))
    assert Seat.objects.count() == 2


def test_queries_do_not_grow_with_pairs(django_assert_max_num_queries):
    collection = cast.collection()
    few, many = cast.pairs(collection, 2), cast.pairs(collection, 400)
    campaigns.open_pool_round(collection, few + many)
    with django_assert_max_num_queries(14):
        seating.reconcile_pairs(pair_ids=[pair.pk for pair in many])


def test_a_seat_held_in_a_closed_round_is_given_out_again_by_the_round_that_wants_its_pair():
    collection = cast.collection()
    pair_list = cast.pairs(collection, 5)
    first = campaigns.open_pool_round(collection, pair_list, "first")
    claiming.current_batch(annotator=cast.annotator(collection))
    seating.close_round(round_=first)
    second = campaigns.open_pool_round(collection, pair_list, "second")
    assert set(Seat.objects.values_list("state", "round")) == {("held", second.pk)}
    Seat.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    batch = claiming.current_batch(annotator=cast.annotator(collection))
    assert batch.hand_outs.count() == 5


@pytest.mark.parametrize("is_dropped", [True, False])
def test_a_seat_that_somebody_claims_while_its_pair_is_reconciled_is_not_taken_from_her(
    monkeypatch, is_dropped
):
    collection = cast.collection()
    pair_list = cast.pairs(collection, 1)
    campaigns.open_pool_round(collection, pair_list, "first")
    campaigns.open_pool_round(collection, pair_list, "second")
    if is_dropped:
        RoundPair.objects.update(dropped_at=timezone.now())  # the seat is to be withdrawn
    else:
        closed = {"state": Round.State.CLOSED, "closed_at": timezone.now()}
        # it is to be free for the other round
        Round.objects.filter(seats=Seat.objects.get()).update(**closed)
    annotator, plan = cast.annotator(collection), reconciling.plan

    def slow_plan(**arguments):
        changes = plan(**arguments)
        assert (len(changes.seats_to_withdraw), len(changes.seats_to_free)) == (
            (1, 0) if is_dropped else (0, 1)
        )
        Seat.objects.update(state=Seat.State.HELD, annotator=annotator, leased_until=timezone.now())
        return changes

    monkeypatch.setattr(reconciling, "plan", slow_plan)
    seating.reconcile_pairs(pair_ids=[pair_list[0].pk])
    assert Seat.objects.values_list("state", "annotator").get() == ("held", annotator.pk)


def test_resolutions_that_stay_what_they_are_are_not_written_again():
    collection = cast.collection(gold_positives=0, gold_negatives=0)
    round_ = campaigns.open_pool_round(collection, cast.pairs(collection, 5))
    campaigns.judge_batch(cast.annotator(collection), limit=5)
    seating.close_round(round_=round_)
    rows = Resolution.objects.annotate(place=RawSQL("annotate_resolution.ctid::text", []))
    before = dict(rows.values_list("pair", "place"))
    pairs = np.array(sorted(before), dtype=np.int64)
    seating.reconcile_pairs(pair_ids=pairs.tolist())
    bulk_resolutions.resolve_pairs(pairs=pairs)
    assert dict(rows.values_list("pair", "place")) == before != {}
    Resolution.objects.update(n_labels=9)
    bulk_resolutions.resolve_pairs(pairs=pairs)
    assert set(Resolution.objects.values_list("n_labels", flat=True)) == {1}
