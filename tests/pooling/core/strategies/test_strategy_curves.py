"""Replayed strategies spend the same labels in other orders."""

import numpy as np

from pooling.core.strategies.selections import Pairs, RankedPairs
from pooling.core.strategies.strategy_curves import curves


def ranked(rows):
    source, target, rank = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return RankedPairs(source, target, rank, -rank.astype(float))


def test_every_curve_ends_where_all_labels_are_spent_and_depth_k_goes_down_the_ranks():
    first = ranked([(1, 10, 1), (1, 11, 2), (2, 20, 1)])
    second = ranked([(1, 12, 1), (1, 10, 3), (2, 20, 2), (2, 21, 4)])
    positive = Pairs(np.array([1, 2]), np.array([12, 21]))
    curve_of = {
        curve.name: curve
        for curve in curves([first, second], positive, rng=np.random.default_rng(1))
    }
    assert len(curve_of) == 8
    assert {(curve.n_judged[-1], curve.n_positive[-1]) for curve in curve_of.values()} == {(5, 2)}
    assert curve_of["Depth k"].n_judged.tolist() == [3, 4, 5]
    assert curve_of["Depth k"].n_positive.tolist() == [1, 1, 2]
    assert curve_of["Take n, Reciprocal ranks (RRF)"].n_judged.tolist() == [2, 4, 5]
    assert curve_of["Take n, Reciprocal ranks (RRF)"].n_positive.tolist() == [0, 2, 2]


def test_an_order_that_learns_finds_earlier_where_one_run_finds_all():
    rng = np.random.default_rng(2)
    good = ranked([(q, 100 + k, k) for q in range(30) for k in range(1, 11)])
    bad = ranked([(q, 200 + k, k) for q in range(30) for k in range(1, 11)])
    positive = Pairs(good.source, good.target)
    curve_of = {curve.name: curve for curve in curves([good, bad], positive, rng=rng)}
    half = 300
    n_positive = {
        name: np.interp(half, curve.n_judged, curve.n_positive) for name, curve in curve_of.items()
    }
    assert n_positive["Depth k"] == 150
    assert min(n_positive["Maxmean"], n_positive["Move to front"]) > 240
