"""The cost of a policy: labels, golds and hours of new pairs."""

from decimal import Decimal

import pytest

from annotate.core.labels.answers import Telemetry
from annotate.models import Policy
from annotate.services.policy.costs import USUAL_SECONDS, pace, policy_cost
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return cast.collection("shapes")


def cost(collection, **figures):
    return policy_cost(Policy(collection=collection, **figures))


def test_a_thousand_pairs_at_one_label_and_ten_percent_doubled_are_1100_labels(collection):
    price = cost(collection, labels_per_pair=1, double_share=Decimal("0.1"))
    assert price.labels == pytest.approx(1.1)
    assert price.hours == pytest.approx(1100 * USUAL_SECONDS / 3600)
    assert price.sentence.startswith("1,000 new pairs take 1,100 labels: about 2.8 hours, at 9.0")
    assert price.sentence.endswith("Further labels where people disagree come on top.")


def test_golds_are_counted_once_there_is_something_to_choose_them_from(collection):
    figures = {"double_share": 0, "batch_candidates": 20, "gold_positives": 1, "gold_negatives": 1}
    assert cost(collection, **figures).golds == 0
    cast.reference(collection, {})
    price = cost(collection, **figures)
    assert price.golds == pytest.approx(0.1)
    assert "1,000 labels and 100 known pairs: about 2.8 hours" in price.sentence


def test_stopping_early_asks_for_two_labels_of_three_at_first(collection):
    assert cost(collection, labels_per_pair=3, double_share=0).labels == 3
    assert cost(collection, labels_per_pair=3, double_share=0, stop_early=True).labels == 2


def test_pay_makes_hours_money(collection):
    collection.hourly_pay, collection.currency = Decimal("15.50"), "EUR"
    price = cost(collection, labels_per_pair=1, double_share=0, ceiling=1)
    assert "about 2.5 hours, 39 EUR, at 9.0 seconds" in price.sentence
    assert "come on top" not in price.sentence


def test_the_pace_is_the_median_of_the_answers_here():
    collection = campaigns.open_collection(3, "shapes", labels_per_pair=1, double_share=0)
    assert pace(collection=collection) == (USUAL_SECONDS, False)
    for milliseconds, hand_out in zip(
        (2000, 4000, 9000), campaigns.first_batch(collection), strict=True
    ):
        campaigns.judge(hand_out, telemetry=Telemetry(active_ms=milliseconds))
    assert pace(collection=collection) == (4.0, True)
    assert "the median here" in cost(collection).sentence
