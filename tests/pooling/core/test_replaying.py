"""Replayed strategies spend the same labels in other orders."""

import numpy as np

from pooling.core.replaying import curves
from pooling.core.selections import Pairs, RankedPairs


def ranked(rows):
    source, target, rank = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return RankedPairs(source, target, rank, -rank.astype(float))


def test_every_curve_ends_where_all_labels_are_spent_and_depth_k_goes_down_the_ranks():
    one = ranked([(1, 10, 1), (1, 11, 2), (2, 20, 1)])
    two = ranked([(1, 12, 1), (1, 10, 3), (2, 20, 2), (2, 21, 4)])
    positive = Pairs(np.array([1, 2]), np.array([12, 21]))
    told = {curve.name: curve for curve in curves([one, two], positive, rng=np.random.default_rng(1))}
    assert len(told) == 8
    assert {(curve.spent[-1], curve.found[-1]) for curve in told.values()} == {(5, 2)}
    assert told["Depth k"].spent.tolist() == [3, 4, 5]
    assert told["Depth k"].found.tolist() == [1, 1, 2]
    assert told["Take n, Reciprocal ranks (RRF)"].spent.tolist() == [2, 4, 5]
    assert told["Take n, Reciprocal ranks (RRF)"].found.tolist() == [0, 2, 2]


def test_an_order_that_learns_finds_earlier_where_one_run_finds_all():
    rng = np.random.default_rng(2)
    good = ranked([(q, 100 + k, k) for q in range(30) for k in range(1, 11)])
    bad = ranked([(q, 200 + k, k) for q in range(30) for k in range(1, 11)])
    positive = Pairs(good.source, good.target)
    told = {curve.name: curve for curve in curves([good, bad], positive, rng=rng)}
    half = 300
    found = {name: np.interp(half, curve.spent, curve.found) for name, curve in told.items()}
    assert found["Depth k"] == 150
    assert min(found["Maxmean"], found["Move to front"]) > 240
