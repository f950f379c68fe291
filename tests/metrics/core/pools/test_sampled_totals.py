"""Sums over a sampled pool: worked cases, a textbook's variance, all draws of a small world."""

from itertools import combinations, product

import numpy as np
import pytest

from metrics.core.measures.alignment import LabelledPairs, RankedGrades, Rankings, align
from metrics.core.measures.inferred_measures import WeightedSample
from metrics.core.measures.measures import parse_one
from metrics.core.pools import sample_totals as totals
from tests.metrics.core.cases import case

MEASURES = {
    "P@5": lambda sample: totals.estimated_precision(sample, k=5),
    "RBP(p=0.7)": lambda sample: totals.estimated_rbp(sample, p=0.7),
}


def of(grade: list[list[int]], *, depth: int = 9) -> RankedGrades:
    """A query a list.

    Document i of each has grade i and rank i + 1, the last ones are not retrieved.
    """
    query = np.repeat(np.arange(len(grade)), [len(row) for row in grade])
    docs = np.concatenate([np.arange(len(row)) for row in grade]).astype(int)
    run = Rankings(np.arange(len(grade) + 1) * depth, np.tile(np.arange(depth), len(grade)))
    return align(run, LabelledPairs(query, docs, np.concatenate(grade).astype(int)))


@pytest.mark.parametrize("name", MEASURES)
def test_with_every_chance_1_and_all_judged_estimates_are_the_measures_and_have_no_error(name):
    ranked = case(np.random.default_rng(2), lowest=0).ranked
    estimates = MEASURES[name](WeightedSample(ranked, np.ones(len(ranked.label_row))))
    assert estimates.value == pytest.approx(parse_one(name).compute(ranked), abs=1e-12)
    assert not estimates.variance.any()
    assert estimates.variance_of_sum == 0


def test_dcg_and_positives_by_hand():
    ranked = of([[3, 0, 1, 2]], depth=3)
    sample = WeightedSample(ranked, np.array([0.5, 1, 1, 0.25]), np.array([1, 0, 0, 2]))
    assert totals.estimated_dcg(sample).value == pytest.approx([2 * 3 + 1 / 2])
    assert totals.estimated_dcg(sample, k=2).value == pytest.approx([2 * 3])
    assert totals.estimated_positives(sample).value == pytest.approx([2 + 1 + 4])
    assert totals.estimated_positives(sample, threshold=2).value == pytest.approx([2 + 4])


def test_the_variance_is_that_of_a_stratified_sample():
    """N^2 (1 - f) s^2 / n, added up over strata of 8 and 20 of which 4 and 5 were drawn."""
    grade = np.array([3, 1, 0, 2, 0, 1, 0, 0, 1])
    size, n = np.array([8, 20]), np.array([4, 5])
    cell = np.repeat([0, 1], n)
    estimates = totals.estimated_dcg(WeightedSample(of([list(grade)]), (n / size)[cell], cell))
    gain = grade / np.log2(np.arange(9) + 2)
    by_hand = sum(
        size[s] ** 2 * (1 - n[s] / size[s]) * gain[cell == s].var(ddof=1) / n[s] for s in (0, 1)
    )
    assert estimates.value == pytest.approx([sum(size[s] * gain[cell == s].mean() for s in (0, 1))])
    assert estimates.variance == pytest.approx([by_hand])
    assert estimates.variance_of_sum == pytest.approx(by_hand)


def test_over_all_draws_with_any_one_unjudged_the_mean_is_the_truth_and_the_variance_right():
    """Queries of 4 and 5 pairs, 3 drawn of each, 1 of 6 not judged: 4 x 10 x 6 even chances."""
    truth = [np.array([3, 0, 1, 0]), np.array([0, 2, 0, 0, 1])]
    amounts = [grade / np.log2(np.arange(len(grade)) + 2) for grade in truth]
    values, variances, sums = [], [], []
    for chosen in product(combinations(range(4), 3), combinations(range(5), 3)):
        for unjudged in range(6):
            docs = np.concatenate([np.array(rows) for rows in chosen])
            grade = np.concatenate([truth[q][list(rows)] for q, rows in enumerate(chosen)])
            grade[unjudged] = -1
            run = Rankings(np.array([0, 5, 10]), np.tile(np.arange(5), 2))
            ranked = align(run, LabelledPairs(np.repeat([0, 1], 3), docs, grade))
            estimates = totals.estimated_dcg(
                WeightedSample(ranked, np.repeat([3 / 4, 3 / 5], 3), np.zeros(6, dtype=int))
            )
            values.append(estimates.value)
            variances.append(estimates.variance)
            sums.append(estimates.variance_of_sum)
    assert np.mean(values, axis=0) == pytest.approx([amount.sum() for amount in amounts])
    assert np.mean(variances, axis=0) == pytest.approx(np.var(values, axis=0))
    assert np.mean(sums) == pytest.approx(np.var(np.sum(values, axis=1)))


def test_of_what_was_drawn_the_judged_stand_for_the_rest_of_their_cell_in_all_queries():
    """Cell 0: three of four judged; cell 1: one of two.

    The second query's own pair is not judged.
    """
    ranked = of([[1, 1, -1, 1], [1, -1]])
    sample = WeightedSample(ranked, np.full(6, 0.5), np.array([0, 0, 0, 1, 0, 1]))
    assert totals.estimated_positives(sample).value == pytest.approx(
        [2 * 2 * 4 / 3 + 2 * 2, 2 * 4 / 3]
    )


def test_what_an_unjudged_pair_would_add_is_ignored():
    sample = WeightedSample(of([[1, -1, 0]]), np.full(3, 0.5))
    assert totals.estimated_sum(sample, np.array([1.0, 0.0, 7.0])) == totals.estimated_positives(
        sample
    )


def test_a_single_judged_pair_takes_its_variance_from_its_cell_in_all_queries():
    ranked = of([[1], [0, 1, 0]])
    sample = WeightedSample(ranked, np.full(4, 0.5), np.zeros(4, dtype=int))
    pooled, own = np.var([2, 0, 2, 0], ddof=1), np.var([0, 2, 0], ddof=1)
    assert totals.estimated_positives(sample).variance == pytest.approx(
        [0.5 * pooled, 3 * 0.5 * own]
    )


def test_a_single_judged_pair_of_a_cell_has_no_variance_unless_its_chance_was_1():
    ranked = of([[1, 1, 0], [1, 0]])
    estimates = totals.estimated_positives(
        WeightedSample(ranked, np.array([0.5, 1, 1, 1, 1]), np.array([1, 0, 0, 0, 0]))
    )
    assert estimates.value.tolist() == [3, 1]
    assert np.isnan(estimates.variance).tolist() == [True, False]
    assert totals.estimated_mean(estimates) == (2, None)
    whole = totals.estimated_positives(
        WeightedSample(ranked, np.ones(5), np.array([1, 0, 0, 0, 0]))
    )
    assert totals.estimated_mean(whole) == (1.5, 0)


def test_a_query_with_pairs_of_a_cell_that_nobody_judged_has_no_estimate():
    estimates = totals.estimated_precision(
        WeightedSample(of([[1, -1], [1, 0], []]), np.ones(4), np.array([0, 1, 0, 0])), k=1
    )
    assert estimates.value == pytest.approx([np.nan, 1, 0], nan_ok=True)
    assert np.isnan(estimates.variance).tolist() == [True, False, False]
    assert totals.estimated_mean(estimates) == (None, None)


def test_a_mean_has_the_error_of_the_sum_over_the_number_of_queries():
    estimates = totals.Estimates(np.array([0.2, 0.6]), np.array([0.01, 0.01]), 0.04)
    assert totals.estimated_mean(estimates) == pytest.approx((0.4, 0.1))
    assert totals.estimated_mean(totals.Estimates(np.empty(0), np.empty(0), 0.0)) == (None, None)


def test_without_any_pair_every_query_has_0():
    nothing = np.empty(0, dtype=int)
    ranked = align(
        Rankings(np.array([0, 2]), np.array([1, 2])), LabelledPairs(nothing, nothing, nothing)
    )
    estimates = totals.estimated_precision(WeightedSample(ranked, np.empty(0), nothing), k=1)
    assert (estimates.value.tolist(), estimates.variance.tolist(), estimates.variance_of_sum) == (
        [0],
        [0],
        0,
    )


def test_chances_that_differ_within_a_query_and_cell_are_refused():
    ranked = of([[1, 0], [1, 0]])
    differing = np.array([0.5, 0.25, 0.25, 0.25])
    with pytest.raises(ValueError, match="one query and one cell had different chances"):
        WeightedSample(ranked, differing, np.zeros(4, dtype=int))
    WeightedSample(ranked, differing)
    WeightedSample(ranked, np.array([0.5, 0.5, 0.25, 0.25]), np.zeros(4, dtype=int))
