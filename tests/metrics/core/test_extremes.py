"""Undefined, infinite and incomparable inputs raise errors or give NaN, never plausible numbers."""

import math

import numpy as np
import pytest

from metrics.core.agreement import agreement
from metrics.core.comparisons import anova, range_tests, significance, swaps
from metrics.core.measures import inferred_measures, measure_correlations, measures
from metrics.core.measures.alignment import LabelledPairs, RankedGrades, Rankings, align
from metrics.core.measures.matrices import Cells, row_ranks
from metrics.core.statistics import sample_sizes
from metrics.core.statistics.intervals import NO_INTERVAL, mean_intervals, wilson


def ranked(grades: list[float], *, retrieved: int = 2) -> RankedGrades:
    docs = np.arange(len(grades))
    labels = LabelledPairs(np.zeros(len(grades), dtype=int), docs, np.array(grades))
    return align(Rankings(np.array([0, retrieved]), np.arange(retrieved)), labels)


EVERY = measures.parse(
    " ".join(name.replace("@k", "@3").replace("@recall", "@0.5") for name in measures.spellings())
)


@pytest.mark.parametrize("grades", [[], [0], [-1, -2], [0.5, 2.0], [0, 0, 0], [-1, 0, 1]])
@pytest.mark.parametrize("retrieved", [0, 1, 2])
def test_every_measure_is_defined_and_in_range_whatever_the_labels(grades, retrieved):
    for measure in EVERY:
        (value,) = measure.compute(ranked(grades, retrieved=retrieved))
        if measure.entry.smaller_is_better:
            has_positive = any(grade >= 1 for grade in grades)
            assert (
                1 <= value <= retrieved or math.isinf(value) if has_positive else math.isnan(value)
            )
        else:
            assert 0 <= value <= 1, measure.name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RBP(p=1)", "p is a chance"),
        ("gRBP(p=-0.1)", "p is a chance"),
        ("RBPres(p=nan)", "is not a number"),
        ("F(beta=-1)@3", "beta lies between 0 and 1,000,000"),
        ("F(beta=1e200)@3", "beta lies between"),
        ("PMRP(cap=-3)", "cap is a whole number"),
        ("PMRP(cap=1e300)", "cap is a whole number"),
        ("PMRP_mean(zetas=0)", "zetas is a whole number"),
        ("PMRP_mean(zetas=1000000)", "zetas is a whole number from 1 to 100"),
        ("AP(rel=1e308)", "rel is a grade, no further"),
        ("ERR(max_grade=-1)", "max_grade lies between"),
        ("nDCG(dcg=ln)", "dcg is one of: log2, exp-log2"),
        ("AP(rel=inf)", "is not a number"),
        ("AP(rel=1,rel=2)", "says rel twice"),
        ("AP(judged_only=perhaps)", "neither True nor False"),
        ("RR@\N{ARABIC-INDIC DIGIT THREE}", "There is no measure"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_what_it_may_be(name, message):
    with pytest.raises(measures.UnknownMeasure, match=message):
        measures.parse(name)


@pytest.mark.parametrize("name", ["ERR", "nDCG(dcg=exp-log2)@3"])
def test_a_grade_whose_power_of_two_is_no_number_is_refused(name):
    (measure,) = measures.parse(name)
    with pytest.raises(ValueError, match="grade 2000, above the largest of 1000"):
        measure.compute(ranked([2000, 1]))


def test_scores_that_are_missing_or_of_other_queries_are_not_compared():
    for formula in (swaps.reer_paired, swaps.reversal):
        for x, y in (([1, 2], [2]), ([1], [2]), ([1, np.nan], [2, 3])):
            with pytest.raises(ValueError, match="same queries, at least two"):
                formula(x, y)
    gap = np.array([[0.1, np.nan], [0.3, 0.4]])
    with pytest.raises(ValueError, match="missing or not finite"):
        swaps.swap_curve(gap, n_queries=1, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="without gaps"):
        anova.two_way(np.where(np.isnan(gap), np.inf, gap))
    with pytest.raises(ValueError, match="finite"):
        range_tests.compare_means([1, np.nan], standard_error=0.1, df=10, method="tukey")


@pytest.mark.parametrize("method", measure_correlations.CORRELATIONS)
def test_a_measure_that_misses_a_system_and_a_single_system_have_no_correlation(method):
    gap = measure_correlations.measure_correlations(
        np.array([[1, 2], [np.nan, 3], [2, 1]]), method=method
    )
    single = measure_correlations.measure_correlations(np.ones((1, 2)), method=method)
    for correlations in (gap, single):
        assert np.isnan(correlations[0, 1])
        assert np.isnan(correlations[1, 0])


@pytest.mark.parametrize(
    ("level", "values"),
    [
        ("interval", [1, np.inf, 1, 2]),
        ("interval", list("abba")),
        ("ratio", [-1, 1, 1, 1]),
        ("ratio", list("abba")),
    ],
)
def test_values_a_level_cannot_compare_are_refused(level, values):
    with pytest.raises(ValueError, match=r"finite numbers|from 0 up"):
        agreement.alpha([1, 1, 2, 2], [1, 2, 1, 2], values, level=level)


@pytest.mark.parametrize("chance", [0, -0.5, 1.5, np.nan])
def test_a_chance_to_be_judged_that_is_no_chance_is_refused(chance):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        inferred_measures.WeightedSample(ranked([1]), np.array([chance]))


def test_a_mean_with_a_gap_has_no_interval_and_does_not_take_the_others_with_it():
    gap, whole = mean_intervals(np.array([[np.nan, 1.0], [1.0, 1.0]]), are_shares=True)
    assert (gap, whole) == (NO_INTERVAL, wilson(2, 2))


def test_scores_too_large_for_float32_tie_as_they_do_in_trec_eval_9():
    first = Cells(np.zeros(2, dtype=int), np.arange(2), np.ones(2, dtype=int))
    huge = np.array([[1e300, 1e200]])
    assert row_ranks(huge, first).tolist() == [2, 1]
    assert row_ranks(huge, first, score_type="float64").tolist() == [1, 2]


def test_p_values_that_are_missing_stay_missing_after_a_correction():
    for correct in significance.CORRECTIONS.values():
        assert math.isnan(correct([np.nan, 0.01])[0])


@pytest.mark.parametrize("scores", [[0.1, 0.3, 0.7] * 20, [0.0, 1.0, 1.0] * 20])
@pytest.mark.parametrize("error", [1e-4, 1e-12, 1e-154, 1e-300, 5e-324])
def test_above_ten_million_queries_none_are_told_however_small_the_error(scores, error):
    assert sample_sizes.queries_for_error(scores, error, of_these=False) is None
    assert sample_sizes.queries_for_error(scores, error, of_these=True) == 60


def test_any_error_of_a_large_number_is_kept_by_one_query():
    for scores in ([0.1, 0.3, 0.7], [0.0, 1.0, 1.0], [1e-300, 0.0, 3e-300]):
        assert sample_sizes.queries_for_error(scores, 1e200, of_these=False) == 1
