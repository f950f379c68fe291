"""Hits by similarity are those of a recount in tenths."""

from fractions import Fraction

import numpy as np
import pytest

from metrics.core.analyses.collection.hits import HIT_KINDS, RunHits, hits_by_similarity
from metrics.core.statistics.groups import Groups

RNG = np.random.default_rng(8)
SIMILARITY = np.concatenate([RNG.random(300), np.arange(11) / 10])
SOURCE = RunHits("labels", RNG.random(311) < 0.6, RNG.random(311) < 0.4)
NAMES = {(True, True): "both", (True, False): "first", (False, True): "second"}


def tenth(similarity: float) -> int:
    """The tenth that holds a number; a border is in the upper one, but for the last."""
    return min(int(Fraction(similarity) * 10 + Fraction(1, 10**12)), 9)


def test_hits_are_those_of_a_recount_in_tenths():
    ours = hits_by_similarity(SIMILARITY, [SOURCE], groups=Groups.single(311))
    assert ours.labels[0] == "0.0 to 0.1" and ours.labels[-1] == "0.9 to 1.0"
    (source,) = ours.sources
    rows = list(zip(SIMILARITY.tolist(), SOURCE.first, SOURCE.second, strict=True))
    for number, bin_hits in enumerate(source.by_bin):
        in_bin = [NAMES.get((a, b), "neither") for s, a, b in rows if tenth(s) == number]
        assert bin_hits.n == len(in_bin)
        assert [share.n for share in bin_hits.shares] == [in_bin.count(name) for name in HIT_KINDS]
    assert source.whole.n == 311


def test_empty_tenths_have_no_shares():
    source = RunHits("labels", np.array([True, True]), np.array([True, False]))
    ours = hits_by_similarity(np.array([0.0, 1.0]), [source], groups=Groups.single(2))
    (source_hits,) = ours.sources
    assert [row and row.n for row in source_hits.by_bin] == [1, *[None] * 8, 1]
    assert source_hits.by_bin[-1].shares[1].share == pytest.approx(1)
