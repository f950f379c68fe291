"""Averages of both directions, RSUM and means over folds, recounted from eccv_caption's recalls."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.measures.both_directions import fold_means, system_means
from metrics.core.analyses.measures.run_orders import RunMean
from metrics.core.statistics.intervals import NO_INTERVAL, Interval
from tests.sizes import cases

with warnings.catch_warnings(action="ignore"):  # it misses ujson
    from eccv_caption._metrics import compute_r_at_k

RECALLS = ["C@1", "C@5", "C@10"]


def lists_of(scores: np.ndarray) -> dict[int, list[int]]:
    return {query: np.argsort(-row).tolist() for query, row in enumerate(scores)}


def eccv_recalls(scores: np.ndarray) -> list[float]:
    """Its recalls at 1, 5 and 10 of a square matrix whose diagonal is positive."""
    positives = {query: [query] for query in range(len(scores))}
    return [compute_r_at_k(lists_of(scores), positives, k) for k in (1, 5, 10)]


def plain(values) -> list[RunMean]:
    return [RunMean(None if value is None else float(value), NO_INTERVAL) for value in values]


@pytest.fixture(scope="module")
def folds():
    """Recalls by eccv_caption in five folds of 30, in both directions."""
    rng = np.random.default_rng(4)
    matrices = [rng.normal(0, 1, (30, 30)) + shift * np.eye(30) for shift in (1, 2, 2.5, 3, 1.5)]
    return [(eccv_recalls(scores), eccv_recalls(scores.T)) for scores in matrices]


def test_both_directions_count_alike_and_rsum_adds_their_six_recalls(folds):
    for forward, reverse in folds:
        means = system_means(RECALLS, plain(forward), plain(reverse))
        assert means.rsum == pytest.approx(100 * (sum(forward) + sum(reverse)), abs=1e-9)
        for row, one, other in zip(means.by_measure, forward, reverse, strict=True):
            assert (row.forward.value, row.reverse.value) == (one, other)
            assert row.mean == pytest.approx((one + other) / 2, abs=1e-12)


def test_folds_count_alike_and_rsum_is_of_their_means(folds):
    systems = [system_means(RECALLS, plain(one), plain(other)) for one, other in folds]
    means = fold_means(RECALLS, systems)
    values = np.array(folds)  # fold, direction, measure
    for number, row in enumerate(means.by_measure):
        for fold_mean, column in zip(
            (row.forward, row.reverse), values[:, :, number].T, strict=True
        ):
            assert fold_mean == pytest.approx((column.mean(), column.min(), column.max()))
        assert row.mean == pytest.approx(values[:, :, number].mean())
    assert means.rsum == pytest.approx(100 * values.mean(axis=0).sum())


def test_an_interval_stays_with_its_direction_and_all_recalls_at_1_give_600():
    interval = Interval(0.9, 1.0)
    means = system_means(RECALLS, [RunMean(1.0, interval)] * 3, plain([1, 1, 1]))
    assert means.by_measure[0].forward.interval == interval
    assert means.rsum == 600


VALUES = st.none() | st.floats(0, 1)


@cases(100)
@given(
    st.lists(st.lists(st.tuples(VALUES, VALUES), min_size=3, max_size=3), min_size=1, max_size=4),
    st.permutations(RECALLS),
)
def test_what_is_not_defined_in_a_direction_or_a_fold_has_no_mean_and_no_rsum(tables, names):
    systems = [
        system_means(names, plain(a for a, _ in fold), plain(b for _, b in fold)) for fold in tables
    ]
    for fold, system in zip(tables, systems, strict=True):
        is_whole = not any(value is None for pair in fold for value in pair)
        assert (system.rsum is not None) == is_whole
        for (one, other), row in zip(fold, system.by_measure, strict=True):
            expected = None if None in (one, other) else pytest.approx((one + other) / 2)
            assert row.mean == expected
    means = fold_means(names, systems)
    for number, row in enumerate(means.by_measure):
        of_folds = [fold[number] for fold in tables]
        for direction, fold_mean in enumerate((row.forward, row.reverse)):
            values = [pair[direction] for pair in of_folds]
            if None in values:
                assert fold_mean == (None, None, None)
            else:
                expected_mean = pytest.approx(sum(values) / len(values))
                assert fold_mean == (expected_mean, min(values), max(values))
    assert (means.rsum is None) == any(None in pair for fold in tables for pair in fold)


@pytest.mark.parametrize("names", [["C@1", "C@5", "AP"], ["C@1"], ["C(rel=2)@1", "C@5", "C@10"]])
def test_rsum_takes_its_three_measures(names):
    means = plain([0.5] * len(names))
    assert system_means(names, means, means).rsum is None
    assert fold_means(names, [system_means(names, means, means)]).rsum is None
