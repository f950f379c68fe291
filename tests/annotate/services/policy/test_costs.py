"""The cost of a policy: labels, golds and hours of new pairs."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.core.labels.answers import Telemetry
from annotate.models import Kept, Policy
from annotate.services.background import kept
from annotate.services.policy import costs
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


@pytest.fixture
def many_judgments(monkeypatch):
    """A collection with more judgments than are sorted within a request: 2, 4, 9 and 30 s."""
    monkeypatch.setattr(costs, "SYNCHRONOUS_TIMES", 3)
    collection = campaigns.open_collection(6, "shapes", labels_per_pair=1, double_share=0)
    for milliseconds in (2000, 4000, 9000, 30_000):
        campaigns.judge_batch(
            annotator_of(collection), limit=1, telemetry=Telemetry(active_ms=milliseconds)
        )
    return collection


def annotator_of(collection):
    """The collection's one annotator."""
    return collection.annotators.first() or cast.annotator(collection)


def statements_of_pace(collection):
    with CaptureQueriesContext(connection) as captured:
        pace(collection=collection)
    return [query["sql"] for query in captured]


def test_the_kept_median_of_many_judgments_is_the_same_and_costs_a_row(many_judgments):
    assert pace(collection=many_judgments) == (6.5, True)  # until a worker was there
    assert kept.compute(inquiry=kept.Inquiry(many_judgments, costs.PACE))
    assert pace(collection=many_judgments) == (6.5, True)
    (statement,) = statements_of_pace(many_judgments)
    assert "annotate_judgment" not in statement


def test_an_old_median_is_told_while_a_worker_computes_the_newer_one(many_judgments):
    inquiry = kept.Inquiry(many_judgments, costs.PACE)
    kept.compute(inquiry=inquiry)
    campaigns.judge_batch(
        annotator_of(many_judgments), limit=1, telemetry=Telemetry(active_ms=10_000)
    )
    Kept.objects.update(fresh_until=timezone.now())
    assert not kept.is_requested(inquiry=inquiry)
    assert pace(collection=many_judgments) == (6.5, True)
    assert kept.is_requested(inquiry=inquiry)
    kept.compute(inquiry=inquiry)
    assert pace(collection=many_judgments) == (9.0, True)


def test_few_judgments_are_sorted_at_once_and_keep_nothing(many_judgments, monkeypatch):
    monkeypatch.setattr(costs, "SYNCHRONOUS_TIMES", 4)
    assert pace(collection=many_judgments) == (6.5, True)
    assert not Kept.objects.filter(kind=costs.PACE).exists()
