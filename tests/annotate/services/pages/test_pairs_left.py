"""The pairs that are left for a person: every answer takes one away, and none tells a check."""

from math import ceil

import pytest

from annotate.models import Gold
from annotate.services import seating
from annotate.services.judging import claiming
from annotate.services.pages.batch_ends import batch_end
from annotate.services.pages.pairs_left import PairsLeft, pairs_left
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    collection = campaigns.open_collection(
        24, "birds", batch_candidates=6, gold_positives=2, gold_negatives=0, grouped=False
    )
    for pair in cast.pairs(collection, 8):
        Gold.objects.create(
            collection=collection, pair=pair, grade=1, is_positive=True, origin="curated"
        )
    return collection


def left(annotator):
    """The pairs that are left for one person."""
    return pairs_left(annotators=[annotator])[annotator.pk]


def size_of(batch):
    """The pairs of a batch, and the candidates among them; there are golds beside those."""
    n, n_candidates = (
        batch.hand_outs.count(),
        batch.hand_outs.filter(seat__purpose="label").count(),
    )
    assert n > n_candidates
    return n, n_candidates


def test_an_answer_to_a_check_takes_one_away_as_any_other(collection):
    annotator = cast.annotator(collection)
    before = left(annotator)
    assert before == PairsLeft(32, is_estimate=True)  # with two checks beside each six
    batch = claiming.current_batch(annotator=annotator)
    n, n_candidates = size_of(batch)
    n_in_all = n + ceil((24 - n_candidates) * n / n_candidates)
    assert left(annotator) == PairsLeft(n_in_all, is_estimate=True)
    assert n_in_all <= before.n  # it does not rise
    for n_answers, hand_out in enumerate(batch.hand_outs.order_by("position"), start=1):
        campaigns.judge(hand_out)
        assert left(annotator) == PairsLeft(n_in_all - n_answers, is_estimate=True)
    assert batch_end(annotator=annotator).pairs == left(annotator)


def test_what_is_held_of_a_closed_pool_is_left_and_no_estimate(collection):
    annotator = cast.annotator(collection)
    n, _ = size_of(claiming.current_batch(annotator=annotator))
    seating.close_round(round_=collection.rounds.get(kind="pool"))
    assert left(annotator) == PairsLeft(n)
    campaigns.judge_batch(annotator)
    assert left(annotator) == PairsLeft(0)


def test_each_person_has_a_number_of_their_own(collection):
    first, second = cast.annotator(collection), cast.annotator(collection)
    _, n_candidates = size_of(campaigns.judge_batch(first, limit=1))
    before = left(first).n
    campaigns.judge_batch(first, limit=2)
    assert pairs_left(annotators=[first, second]) == {
        first.pk: PairsLeft(before - 2, is_estimate=True),
        second.pk: PairsLeft(ceil((24 - n_candidates) * 8 / 6), is_estimate=True),
    }
    assert pairs_left(annotators=[]) == {}


def test_of_more_than_are_counted_the_number_is_the_least(collection, monkeypatch):
    monkeypatch.setattr("annotate.services.judging.work_availability.MOST_COUNTED", 7)
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    assert left(annotator) == PairsLeft(7, is_least=True)
