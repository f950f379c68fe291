"""Golds and repeats among the candidates, and how much of a pool one person may judge.

To see these tests fail: let golds of a grouped batch have any query, leave `purpose = 'repeat'` out
of `hidden_checks._OLD`, or the quota out of `queues.Walk`.
"""

from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.fsck import CHECKS
from annotate.models import Annotator, Gold, Judgment, Pair, Resolution, Seat
from annotate.services.judging import claiming, reports, undoing, work_availability
from annotate.services.seating import queues
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def study(n_pairs, *, n_golds=0, per_query=5, **policy):
    """A pool, and golds of each kind in each of its queries."""
    collection = cast.collection(grades=2, **policy)
    pairs = cast.pairs(collection, n_pairs, per_query=per_query)
    campaigns.open_pool_round(
        collection, [pair for index, pair in enumerate(pairs) if index % per_query >= 2 * n_golds]
    )
    for index, pair in enumerate(pairs):
        if (kind := index % per_query) < 2 * n_golds:
            Gold.objects.create(
                collection=collection,
                pair=pair,
                grade=kind % 2,
                is_positive=kind % 2 > 0,
                origin="curated",
            )
    return collection


def next_hand_outs(annotator):
    """Answer all she has, and return her next hand-outs."""
    for hand_out in claiming.open_hand_outs(annotator=annotator).select_related(
        "seat", "batch__annotator__user"
    ):
        campaigns.judge(hand_out)
    batch = claiming.current_batch(annotator=annotator)
    return (
        list(batch.hand_outs.select_related("seat__pair", "batch__annotator__user"))
        if batch
        else []
    )


def purposes(hand_outs):
    return Counter(hand_out.seat.purpose for hand_out in hand_outs)


def clean():
    return {check.name: violations for check in CHECKS if (violations := list(check.find()))}


def test_in_batches_of_one_querys_pairs_a_gold_takes_the_place_of_a_candidate_of_its_query():
    collection = study(200, n_golds=1, batch_candidates=4)
    other = cast.pairs(collection, 3)
    for pair in other:
        Gold.objects.create(
            collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
        )
    for _ in range(6):
        hand_outs = campaigns.first_batch(collection)
        assert purposes(hand_outs) == {"label": 4, "gold": 2}
        runs = Counter(hand_out.seat.pair.query_id for hand_out in hand_outs)
        assert set(runs.values()) <= {1, 2, 3}  # as many as the pool has pairs of a query
        assert not set(runs) & {pair.query_id for pair in other}


def test_where_golds_are_short_candidates_keep_their_places():
    collection = study(60, n_golds=0, batch_candidates=4)
    pair = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
    )
    # no negative gold is there to be waited for
    assert purposes(campaigns.first_batch(collection)) == {"label": 5}
    Gold.objects.update(retired_at=timezone.now())
    assert purposes(campaigns.first_batch(collection)) == {"label": 4}


def test_where_queries_come_mixed_a_gold_is_of_any_query():
    collection = study(60, batch_candidates=4, grouped=False)
    pair = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
    )
    assert purposes(campaigns.first_batch(collection)) == {"label": 4, "gold": 1}


def test_a_candidate_of_a_batch_is_no_gold_of_the_same_batch():
    collection = study(12, batch_candidates=6)
    for pair in Pair.objects.filter(collection=collection):
        Gold.objects.create(
            collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
        )
    for _ in range(4):
        hand_outs = campaigns.first_batch(collection)
        assert len({hand_out.seat.pair_id for hand_out in hand_outs}) == len(hand_outs)
        Seat.objects.filter(state="held").update(leased_until=timezone.now() - timedelta(seconds=1))


def test_a_pair_that_she_has_judged_is_no_gold_for_her_and_a_gold_she_met_is_no_candidate():
    collection = study(5, batch_candidates=2, gold_negatives=0, grouped=False, labels_per_pair=2)
    judged = campaigns.first_batch(collection)
    Gold.objects.create(
        collection=collection, pair=judged[0].seat.pair, grade=1, is_positive=True, origin="curated"
    )
    assert purposes(next_hand_outs(judged[0].batch.annotator)) == {"label": 3}
    newcomer = campaigns.first_batch(collection)[0].batch.annotator
    while next_hand_outs(newcomer):
        pass
    seats = Seat.objects.filter(annotator=newcomer).values_list("pair", flat=True)
    assert len(seats) == len(set(seats)) == 5


def old(annotator, days=8):
    """Let all she said lie so many days back."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        Judgment.objects.filter(annotator=annotator).update(
            at=timezone.now() - timedelta(days=days)
        )
        cursor.execute("SET LOCAL session_replication_role = origin")


def lapse(seats):
    seats.update(leased_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize(("n_lapsed", "n_golds_left"), [(0, 2), (2, 1), (4, 0)])
def test_of_a_batch_that_lapsed_no_more_golds_are_left_than_of_its_candidates(
    n_lapsed, n_golds_left
):
    collection = study(10, n_golds=1, batch_candidates=4, labels_per_pair=1)
    late = campaigns.first_batch(collection)[0].batch.annotator
    late_seats = Seat.objects.filter(annotator=late, purpose="label").order_by("pk")
    lapse(Seat.objects.filter(pk__in=list(late_seats.values_list("pk", flat=True)[:n_lapsed])))
    other = cast.annotator(collection)
    while next_hand_outs(other):
        pass
    claiming.current_batch(annotator=late)
    left = claiming.open_hand_outs(annotator=late).select_related("seat")
    assert purposes(left) == +Counter({"label": 4 - n_lapsed, "gold": n_golds_left})
    assert clean() == {}


def test_a_pair_that_she_judged_too_late_to_count_is_no_gold_for_her():
    collection = cast.collection(
        batch_candidates=2, gold_positives=1, gold_negatives=0, grouped=False
    )
    pairs = cast.pairs(collection, 3, per_query=3)
    campaigns.open_pool_round(collection, pairs[:2])
    (first, _) = campaigns.first_batch(collection)
    lapse(Seat.objects.all())
    for hand_out in campaigns.first_batch(collection):
        campaigns.judge(hand_out)
    campaigns.judge(first)
    assert not Seat.objects.filter(
        annotator=first.batch.annotator, pair=first.seat.pair_id
    ).exists()
    Gold.objects.create(
        collection=collection,
        pair_id=first.seat.pair_id,
        grade=1,
        is_positive=True,
        origin="curated",
    )
    campaigns.open_pool_round(collection, pairs[2:], "second")
    batch = claiming.current_batch(annotator=first.batch.annotator)
    assert [
        hand_out.seat.pair_id for hand_out in claiming.open_hand_outs(annotator=batch.annotator)
    ] == [pairs[2].pk]


@pytest.mark.parametrize("grouped", [True, False])
def test_a_share_of_her_own_pairs_comes_back_after_days_and_only_once(grouped):
    collection = study(
        60, batch_candidates=10, repeat_share="0.2", repeat_after_days=7, grouped=grouped
    )
    annotator = campaigns.first_batch(collection)[0].batch.annotator
    assert purposes(next_hand_outs(annotator)) == {"label": 10}  # nothing is old enough
    old(annotator)
    second = next_hand_outs(annotator)
    assert purposes(second) == {"label": 8, "repeat": 2}
    old(annotator)
    third = next_hand_outs(annotator)
    assert purposes(third) == {"label": 8, "repeat": 2}
    repeated = [
        hand_out.seat.pair_id for hand_out in (*second, *third) if hand_out.seat.purpose == "repeat"
    ]
    assert len(set(repeated)) == 4
    assert {seat.round.kind for seat in Seat.objects.filter(purpose="repeat")} == {"pool"}
    next_hand_outs(annotator)
    assert clean() == {}


def test_a_repeat_enters_no_resolution_and_may_be_taken_back():
    collection = study(
        30, batch_candidates=5, repeat_share="1", repeat_after_days=0, labels_per_pair=2
    )
    annotator = campaigns.first_batch(collection)[0].batch.annotator
    repeat = next(
        hand_out for hand_out in next_hand_outs(annotator) if hand_out.seat.purpose == "repeat"
    )
    before = list(Resolution.objects.filter(pair=repeat.seat.pair_id).values())
    campaigns.judge(repeat, 0)
    assert list(Resolution.objects.filter(pair=repeat.seat.pair_id).values()) == before
    assert Judgment.objects.filter(annotator=annotator, pair=repeat.seat.pair_id).count() == 2
    undoing.take_back(annotator=annotator, token=repeat.token)
    Seat.objects.filter(pk=repeat.seat_id).update(leased_until=timezone.now() - timedelta(hours=1))
    claiming.current_batch(annotator=annotator)
    seat = Seat.objects.get(pk=repeat.seat_id)
    assert (seat.state, seat.leased_until > timezone.now()) == ("held", True)
    assert clean() == {}


def test_a_repeat_whose_report_is_taken_back_is_hers_again_though_she_has_labelled_its_pair():
    collection = study(30, batch_candidates=5, repeat_share="1", repeat_after_days=0)
    annotator = campaigns.first_batch(collection)[0].batch.annotator
    repeat = next(
        hand_out for hand_out in next_hand_outs(annotator) if hand_out.seat.purpose == "repeat"
    )
    reports.report_pair(
        annotator=annotator, token=repeat.token, submission_id=uuid4(), kind="escalated"
    )
    undoing.take_back(annotator=annotator, token=repeat.token)
    seat = Seat.objects.get(pk=repeat.seat_id)
    assert (seat.state, seat.annotator) == ("held", annotator)
    assert claiming.open_hand_outs(annotator=annotator).filter(pk=repeat.pk).exists()


def test_one_person_judges_no_more_than_her_share_of_a_pool():
    collection = study(40, batch_candidates=4, max_share="0.25")
    annotator = campaigns.first_batch(collection)[0].batch.annotator
    batch_sizes = [len(next_hand_outs(annotator)) for _ in range(4)]
    assert batch_sizes == [4, 2, 0, 0]
    assert annotator.judgments.count() == 10
    assert (
        work_availability.no_card_reason(annotator=annotator, wants_more=True)["reason"] == "share"
    )
    assert len(campaigns.first_batch(collection)) == 4


def test_a_share_of_a_small_pool_is_never_nothing_and_other_pools_are_open_to_her():
    collection = study(3, batch_candidates=4, max_share="0.1")
    hand_outs = campaigns.first_batch(collection)
    assert len(hand_outs) == 1
    collection.policies.create(version=2, double_share=0, batch_candidates=4)
    campaigns.open_pool_round(collection, cast.pairs(collection, 8), "second")
    assert len(next_hand_outs(hand_outs[0].batch.annotator)) == 4


def test_a_claim_costs_as_many_queries_for_many_pairs_as_for_few():
    n_queries = []
    for n_pairs in (60, 600):
        collection = study(
            n_pairs,
            n_golds=1,
            batch_candidates=6,
            max_share="0.5",
            repeat_share="0.1",
            repeat_after_days=0,
        )
        annotator = campaigns.first_batch(collection)[0].batch.annotator
        for hand_out in claiming.open_hand_outs(annotator=annotator).select_related(
            "seat", "batch__annotator__user"
        ):
            campaigns.judge(hand_out)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            claiming.current_batch(annotator=annotator)
        n_queries.append(len(captured))
    # The queue may end, or the same pair come twice, where few are left: a stretch or two more.
    assert n_queries[1] <= n_queries[0] + 1
    assert n_queries[1] <= 24


def test_a_quota_counts_no_more_pairs_than_it_hangs_on():
    collection = study(700, batch_candidates=4, max_share="0.5")
    annotator = Annotator.objects.get(pk=campaigns.first_batch(collection)[0].batch.annotator_id)
    with CaptureQueriesContext(connection) as captured:
        (left,) = queues.quotas(
            annotator=annotator, rounds=queues.open_rounds(collection_id=collection.pk)
        ).values()
    assert left >= 300
    assert "LIMIT 608" in captured.captured_queries[-1]["sql"]


@pytest.mark.parametrize("grouped", [True, False])
def test_a_pair_on_which_she_can_give_a_wanted_label_checks_her_only_when_no_other_gold_is_left(
    grouped,
):
    policy = {"grouped": grouped, "batch_candidates": 4, "gold_positives": 1, "gold_negatives": 0}
    collection = cast.collection(grades=2, **policy)
    pairs = cast.pairs(collection, 40, per_query=40)
    campaigns.open_pool_round(collection, pairs[:36])
    for pair in [*pairs[:12], *pairs[36:]]:
        Gold.objects.create(
            collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
        )
    annotator = cast.annotator(collection)
    checks = []
    for _ in range(6):
        checks += [
            hand_out.seat.pair
            for hand_out in next_hand_outs(annotator)
            if hand_out.seat.purpose == "gold"
        ]
    assert set(checks[:4]) == set(pairs[36:])
    assert set(checks[4:]) <= set(pairs[:12])
