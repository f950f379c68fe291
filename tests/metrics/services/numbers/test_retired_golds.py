"""A retired gold counts nowhere: not on the dashboard, not on a person's page, not in an alarm.

To see these tests fail: leave `gold.retired_at IS NULL` out of count_sql or label_rows.
"""

import pytest

from annotate.models import Batch, Gold
from annotate.services.background import kept
from annotate.services.golds import golds
from annotate.services.judging import claiming
from metrics.models import Snapshot
from metrics.services.dashboard import details as dashboard_details
from metrics.services.numbers import refresh, tallies
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged():
    """A batch with two golds, one of them answered on the wrong side."""
    collection = cast.collection(
        "shapes",
        grades=3,
        batch_candidates=2,
        gold_positives=2,
        gold_negatives=0,
        grouped=False,
        gold_pass="0.5",
    )
    pairs = cast.pairs(collection, 6)
    campaigns.open_pool_round(collection, pairs[2:])
    for pair in pairs[:2]:
        Gold.objects.create(
            collection=collection, pair=pair, grade=2, is_positive=True, origin="curated"
        )
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    left = claiming.open_hand_outs(annotator=annotator).select_related(
        "seat", "batch__annotator__user"
    )
    for hand_out in list(left):
        campaigns.judge(hand_out, 0 if hand_out.seat.pair_id == pairs[0].pk else 2)
    return collection, annotator, Gold.objects.get(pair=pairs[0])


def gold_counts(collection, annotator):
    """Golds answered and right: in the table of people, and in the details.

    Asserts that the stored counts are those of a recount.
    """
    refresh.refresh(collection=collection)
    assert tallies.drift(collection=collection) == []
    inquiry = dashboard_details.inquiry_of(collection=collection)
    kept.compute(inquiry=inquiry)
    fast = Snapshot.objects.get(collection=collection, kind="people").value["people"]
    slow = kept.find(inquiry=inquiry).value["people"]
    mine = next(row for row in fast if row["annotator"] == annotator.pk)
    look = next(row for row in slow if row["annotator"] == annotator.pk)["gold"]
    return (mine["n_gold"], mine["n_right"]), (look["of"], look["hits"])


def test_a_retired_gold_counts_for_nobody_and_counts_again_when_it_is_brought_back(judged):
    collection, annotator, gold = judged
    assert gold_counts(collection, annotator) == ((2, 1), (2, 1))
    golds.retire_gold(gold=gold, by=None)
    assert gold_counts(collection, annotator) == ((1, 1), (1, 1))
    golds.bring_back_gold(gold=gold, by=None)
    assert gold_counts(collection, annotator) == ((2, 1), (2, 1))


def test_what_a_batch_was_checked_by_stands(judged):
    collection, _, gold = judged
    before = list(Batch.objects.values("n_golds", "n_golds_right", "verdict", "gold_action"))
    assert before[0]["n_golds"] == 2
    golds.retire_gold(gold=gold, by=None)
    refresh.refresh(collection=collection)
    assert (
        list(Batch.objects.values("n_golds", "n_golds_right", "verdict", "gold_action")) == before
    )
