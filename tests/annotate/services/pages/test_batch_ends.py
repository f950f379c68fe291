"""The end of a batch: its figures and sentences, and that they tell no check from another pair."""

import pytest

from annotate.core.labels.answers import Telemetry
from annotate.models import Gold
from annotate.services import seating
from annotate.services.judging import claiming
from annotate.services.judging.work_availability import reachable_pairs
from annotate.services.pages.batch_ends import BatchEnd, batch_end
from annotate.services.pages.pairs_left import PairsLeft
from tests import campaigns, cast

FIGURES = BatchEnd(n_labels=20, seconds=4.234, pairs=PairsLeft(120, is_estimate=True))


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        (
            FIGURES,
            "20 labels in this batch. About 120 pairs are left for you. "
            "A label took 4.2 seconds in the median.",
        ),
        (FIGURES._replace(seconds=None, pairs=PairsLeft(0)), "20 labels in this batch."),
        (
            FIGURES._replace(n_labels=1, seconds=99.5, pairs=PairsLeft(1)),
            "1 label in this batch. 1 pair is left for you. "
            "A label took 1.7 minutes in the median.",
        ),
        (
            FIGURES._replace(seconds=99.4, pairs=PairsLeft(1299, is_least=True)),
            "20 labels in this batch. At least 1,200 pairs are left for you. "
            "A label took 99 seconds in the median.",
        ),
        (
            FIGURES._replace(seconds=0.456, pairs=PairsLeft(99, is_estimate=True)),
            "20 labels in this batch. About 99 pairs are left for you. "
            "A label took 0.46 seconds in the median.",
        ),
    ],
)
def test_the_sentences_of_a_batch(figures, text):
    assert figures.text == text


def judge_batch(annotator, times):
    """Judge a whole batch, with these active seconds in turn."""
    batch = claiming.current_batch(annotator=annotator)
    for number, hand_out in enumerate(batch.hand_outs.order_by("position")):
        telemetry = Telemetry(active_ms=1000 * times[number % len(times)])
        campaigns.judge(hand_out, telemetry=telemetry)
    return batch


def reachable(annotator):
    """The pairs that one person holds or that can come to her."""
    return reachable_pairs(annotators=[annotator])[annotator.pk]


@pytest.mark.django_db
def test_the_figures_are_hers_alone():
    collection = campaigns.open_collection(20, "birds", batch_candidates=4, labels_per_pair=2)
    annotator, other = cast.annotator(collection), cast.annotator(collection)
    judge_batch(other, [60])
    judge_batch(annotator, [2, 4, 6, 20])
    assert batch_end(annotator=annotator) == BatchEnd(4, 5.0, PairsLeft(16))
    assert batch_end(annotator=other) == BatchEnd(4, 60.0, PairsLeft(16))


@pytest.mark.django_db
def test_what_is_left_falls_by_the_pairs_of_a_batch_checks_among_them():
    collection = campaigns.open_collection(
        24, "birds", batch_candidates=6, gold_positives=1, gold_negatives=0, grouped=False
    )
    for pair in cast.pairs(collection, 8):
        Gold.objects.create(
            collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
        )
    annotator = cast.annotator(collection)
    numbers = []
    for _ in range(3):
        batch = judge_batch(annotator, [3])
        assert batch.hand_outs.filter(seat__purpose="gold").count() == 1
        numbers.append(batch_end(annotator=annotator).pairs.n)
    assert numbers == [21, 14, 7]


@pytest.mark.django_db
def test_pairs_with_other_people_or_of_closed_pools_are_not_left_for_her():
    collection = campaigns.open_collection(20, "birds", batch_candidates=4)
    annotator, other = cast.annotator(collection), cast.annotator(collection)
    assert reachable(annotator) == (20, False)
    claiming.current_batch(annotator=other)
    assert reachable(annotator) == (16, False)
    seating.close_round(round_=collection.rounds.get())
    assert reachable(annotator) == (0, False)


@pytest.mark.django_db
def test_no_more_than_her_share_is_left_for_her():
    collection = campaigns.open_collection(20, "birds", batch_candidates=4, max_share=0.5)
    annotator = cast.annotator(collection)
    assert reachable(annotator) == (10, False)
    judge_batch(annotator, [3])
    assert reachable(annotator) == (6, False)


@pytest.mark.django_db
def test_of_a_large_pool_no_more_is_counted_than_is_told(monkeypatch):
    collection = campaigns.open_collection(20, "birds", batch_candidates=4)
    monkeypatch.setattr("annotate.services.judging.work_availability.MOST_COUNTED", 7)
    assert reachable(cast.annotator(collection)) == (7, True)
