"""The cost of judging queries, from the database: recounted from rankings, as a pool counts it."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Collection, Duplicate, Judgment, Pair, Policy, QuerySet, Round, Seat
from annotate.services.review import exclusions
from metrics.services.analysis.planner.judging_costs import judging_cost
from pooling.models import Ranking, Run
from pooling.services.pools import previews
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import documents_of, queries_of
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.score_study import score_study

pytestmark = pytest.mark.django_db
NAME = "queries-for-error"


@pytest.fixture
def study() -> Collection:
    return score_study()


def cost_of(collection: Collection, *names: str, direction: str = "forward"):
    query_set = QuerySet.objects.get(collection=collection, direction=direction)
    return judging_cost(runs=list(Run.objects.filter(name__in=names)), query_set=query_set)


def previewed(collection: Collection, *names: str):
    runs = list(Run.objects.filter(name__in=names))
    return previews.preview(
        collection=collection, strategy="depth-k", parameters={"depth": 10}, runs=runs
    )


def first_ten(*names: str) -> set[tuple[int, int]]:
    return {
        (row.source_id, target)
        for row in Ranking.objects.filter(run__name__in=names)
        for target in row.targets[:10]
        if target > 0
    }


def old(collection: Collection) -> set[tuple[int, int]]:
    """Pairs with a label, or in the open round of the study."""
    pairs = Pair.objects.filter(collection=collection)
    labelled = pairs.filter(resolution__n_labels__gt=0)
    asked = pairs.filter(round_pairs__round__state="open")
    return {*labelled.values_list("query", "document"), *asked.values_list("query", "document")}


def test_pairs_new_pairs_hours_and_pay_are_of_the_first_ten_of_each_chosen_run(study):
    Collection.objects.filter(pk=study.pk).update(hourly_pay=Decimal("12.50"), currency="CHF")
    study.refresh_from_db()
    Judgment.objects.update(active_ms=9_000)
    runs = list(Run.objects.filter(direction="forward", name__in=["alpha", "delta"]))
    pairs = first_ten("alpha", "delta")
    new_pairs = pairs - old(study)
    assert len(pairs) > len(new_pairs) > 0
    n_queries = len({source for source, _ in pairs})
    keys = [run.pk for run in runs]
    policy = Policy.objects.get(collection=study)
    n_golds = policy.gold_positives + policy.gold_negatives
    n_judgments = policy.labels_per_pair + float(policy.double_share)
    n_judgments *= 1 + n_golds / policy.batch_candidates
    for row in table_of(study, NAME, run=keys, measure="RR"):
        n = row["of_these"] * len(new_pairs) / n_queries
        assert row["pairs"] == round(row["of_these"] * len(pairs) / n_queries)
        assert row["new_pairs"] == round(n)
        hours = n * n_judgments * 9 / 3_600
        assert row["hours"] == pytest.approx(hours)
        assert row["pay"] == pytest.approx(hours * 12.5)
    result = answer_of(study, NAME, run=keys, measure="RR").result
    assert result.columns[-1].title == "Pay for these, CHF"
    sentence = (
        f"for each of {n_queries} queries the first 10 ranks of 2 runs hold "
        f"{len(pairs) / n_queries:.1f} pairs on average"
    )
    assert f"Of these {len(new_pairs) / n_queries:.1f} are new: nobody" in str(result.notes)
    assert sentence in str(result.notes) and "9.0 seconds a judgment" in str(result.notes)


def test_it_counts_what_the_preview_of_such_a_pool_counts(study):
    for names in (["alpha"], ["alpha", "delta", "zeta"]):
        cost, preview = cost_of(study, *names), previewed(study, *names)
        assert (cost.n_pairs, cost.n_new) == (preview.n_pairs, preview.n_new)
        assert cost.n_waiting == preview.n_waiting
        assert cost.n_queries == preview.n_queries
        assert preview.n_waiting and preview.n_judged and preview.n_new


def test_hours_are_those_of_the_preview_where_all_pairs_are_new():
    collection = studies.study(
        "fresh",
        n_queries=20,
        n_documents=20,
        double_share=Decimal("0.3"),
        gold_positives=1,
        batch_candidates=10,
    )
    Seat.objects.filter(collection=collection).update(state="withdrawn")
    Round.objects.filter(collection=collection).update(
        state="closed", closed_at="2026-01-01T00:00Z"
    )
    cost, preview = cost_of(collection, "alpha"), previewed(collection, "alpha")
    assert cost.n_new == preview.n_pairs == 200
    assert (cost.pace.labels_a_pair, cost.pace.golds_a_label) == pytest.approx((2.3, 0.1))
    assert cost.pace.hours(cost.n_new) == pytest.approx(preview.hours)


def test_in_the_other_direction_the_same_pairs_are_asked_about(study):
    cost, preview = cost_of(study, "gamma", direction="reverse"), previewed(study, "gamma")
    assert (cost.n_pairs, cost.n_new) == (preview.n_pairs, preview.n_new)
    assert cost.n_queries == 9 and preview.n_waiting and preview.n_new


def test_pairs_of_a_closed_pool_without_labels_are_new_again(study):
    before = cost_of(study, "alpha")
    Round.objects.filter(collection=study).update(state="closed", closed_at="2026-01-01T00:00Z")
    after, preview = cost_of(study, "alpha"), previewed(study, "alpha")
    assert before.n_new < after.n_new == preview.n_new < after.n_pairs


def test_a_pair_that_a_lead_left_out_is_not_new(study):
    before = cost_of(study, "alpha")
    query, document = sorted(first_ten("alpha") - old(study))[0]
    pair, _ = Pair.objects.get_or_create(collection=study, query_id=query, document_id=document)
    assert cost_of(study, "alpha").n_new == before.n_new
    exclusions.exclude_pair(pair=pair, by=cast.member(study, "lead"), reason="Blank")
    after = cost_of(study, "alpha")
    assert (after.n_pairs, after.n_new) == (before.n_pairs, before.n_new - 1)


@pytest.mark.parametrize("side", ["query", "document"])
def test_pairs_of_duplicates_are_those_of_their_originals(study, side):
    original, duplicate = (queries_of if side == "query" else documents_of)(study)[:2]
    before = cost_of(study, "alpha")
    Duplicate.objects.create(collection=study, item=duplicate, original=original, side=side)
    cost, preview = cost_of(study, "alpha"), previewed(study, "alpha")
    assert (cost.n_pairs, cost.n_new) == (preview.n_pairs, preview.n_new)
    assert cost.n_pairs < before.n_pairs and cost.n_queries == before.n_queries


def test_as_many_queries_are_read_for_any_number_of_pairs(study):
    larger = studies.study("larger", n_queries=30, n_documents=40)
    numbers = []
    for collection in (study, larger):
        query_set = QuerySet.objects.get(collection=collection, direction="forward")
        runs = list(collection.runs.filter(name__in=["alpha", "beta"]))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            judging_cost(runs=runs, query_set=query_set)
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]
