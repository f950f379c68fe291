"""Means over drawn queries for their population: exact over all draws, and in worlds."""

from itertools import combinations, product

import numpy as np
import pytest

from metrics.core.statistics.intervals import Interval, wilson
from metrics.core.statistics.stratified_means import (
    StratifiedDraw,
    stratified_intervals,
    stratified_mean,
)

POPULATION = [np.array([0.0, 0.2, 0.7, 0.9]), np.array([0.1, 0.1, 0.4, 0.8, 1.0])]  # two strata
DRAW = StratifiedDraw(np.array([0, 0, 1, 1, 1]), np.array([4.0, 5.0]))


def test_over_all_draws_the_mean_is_the_truth_and_the_variance_that_of_the_means():
    samples = [
        np.concatenate(pair)
        for pair in product(combinations(POPULATION[0], 2), combinations(POPULATION[1], 3))
    ]
    estimates = [stratified_mean(values, DRAW) for values in samples]
    truth = np.concatenate(POPULATION).mean()
    means = np.array([estimate.mean for estimate in estimates])
    assert means.mean() == pytest.approx(truth, abs=1e-12)
    assert np.mean([estimate.variance for estimate in estimates]) == pytest.approx(
        means.var(), abs=1e-12
    )


def test_degrees_of_freedom_are_satterthwaites():
    values = np.array([0.0, 0.9, 0.1, 0.4, 0.8])
    g = [4 * (4 - 2) / 2, 5 * (5 - 3) / 3]
    s = [np.var(values[:2], ddof=1), np.var(values[2:], ddof=1)]
    expected = (g[0] * s[0] + g[1] * s[1]) ** 2 / (
        g[0] ** 2 * s[0] ** 2 / 1 + g[1] ** 2 * s[1] ** 2 / 2
    )
    assert stratified_mean(values, DRAW).freedom == pytest.approx(expected)
    single_stratum = StratifiedDraw(np.zeros(5, dtype=np.int64), np.array([50.0]))
    assert stratified_mean(values, single_stratum).freedom == pytest.approx(4)
    assert stratified_mean(values, single_stratum).variance == pytest.approx(
        0.9 * np.var(values, ddof=1) / 5
    )


def test_what_was_drawn_whole_is_known():
    whole = StratifiedDraw(np.array([0, 0, 1]), np.array([2.0, 1.0]))
    (ends,) = stratified_intervals(np.array([[0.25, 0.5, 0.75]]), whole, are_shares=True)
    assert ends == Interval(0.5, 0.5)


@pytest.mark.parametrize("values", [[0.3, 0.3, 0.3, 0.3, 0.3], [0.5, np.nan, 0.1, 0.2, 0.3]])
def test_nothing_is_said_where_nothing_shows_the_spread(values):
    assert stratified_intervals(np.array([values]), DRAW, are_shares=True) == [Interval(None, None)]


def test_nothing_is_said_of_a_single_query_of_a_larger_stratum():
    single = StratifiedDraw(np.array([0, 1, 1]), np.array([4.0, 5.0]))
    assert stratified_intervals(np.array([[0.1, 0.2, 0.3]]), single, are_shares=False) == [
        Interval(None, None)
    ]
    whole = StratifiedDraw(np.array([0, 1, 1]), np.array([1.0, 5.0]))
    assert (
        stratified_intervals(np.array([[0.1, 0.2, 0.3]]), whole, are_shares=False)[0].low
        is not None
    )


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_all_0_or_all_1_leaves_wilsons_interval_of_what_is_not_drawn(value):
    single_stratum = StratifiedDraw(np.zeros(10, dtype=np.int64), np.array([20.0]))
    (ends,) = stratified_intervals(np.full((1, 10), value), single_stratum, are_shares=True)
    assert ends == pytest.approx(wilson(20 * int(value), 20))  # half were drawn: each counts twice


def test_the_order_of_the_queries_does_not_matter():
    rng = np.random.default_rng(3)
    values, stratum = rng.random(60), rng.integers(0, 3, 60)
    mixed = rng.permutation(60)
    size = np.array([40.0, 50.0, 60.0])
    for are_shares in (True, False):
        expected = stratified_intervals(
            values[None, :], StratifiedDraw(stratum, size), are_shares=are_shares
        )
        other = stratified_intervals(
            values[None, mixed], StratifiedDraw(stratum[mixed], size), are_shares=are_shares
        )
        assert expected == other


@pytest.mark.parametrize("kind", ["skewed", "0 or 1"])
def test_intervals_hold_the_mean_of_the_very_queries(kind):
    rng = np.random.default_rng(17)
    strata = [
        rng.beta(0.3, 0.9, n) if kind == "skewed" else (rng.random(n) < p) * 1.0
        for n, p in ((400, 0.3), (100, 0.8))
    ]
    truth = np.concatenate(strata).mean()
    draw = StratifiedDraw(np.repeat([0, 1], [40, 40]), np.array([400.0, 100.0]))
    worlds = np.array(
        [
            np.concatenate([rng.permutation(stratum)[:40] for stratum in strata])
            for _ in range(2_000)
        ]
    )
    intervals = stratified_intervals(worlds, draw, are_shares=True)
    assert np.mean([low <= truth <= high for low, high in intervals]) == pytest.approx(
        0.95, abs=0.02
    )


@pytest.mark.parametrize(
    ("size", "n", "p"),
    [
        ((3000, 300), (30, 30), (0.95, 0.5)),
        ((1000, 100), (20, 20), (0.02, 0.9)),
        ((5000, 50), (30, 30), (0.01, 0.5)),
    ],
)
def test_strata_of_which_all_drawn_ones_are_equal_are_not_taken_for_known(size, n, p):
    rng = np.random.default_rng(5)
    strata = [(rng.random(k) < share) * 1.0 for k, share in zip(size, p, strict=True)]
    truth = np.concatenate(strata).mean()
    draw = StratifiedDraw(np.repeat(range(len(n)), n), np.array(size, dtype=float))
    worlds = np.array(
        [
            np.concatenate(
                [
                    rng.permutation(stratum_values)[:k]
                    for stratum_values, k in zip(strata, n, strict=True)
                ]
            )
            for _ in range(1_000)
        ]
    )
    intervals = stratified_intervals(worlds, draw, are_shares=True)
    assert np.mean([low <= truth <= high for low, high in intervals]) == pytest.approx(
        0.955, abs=0.025
    )
