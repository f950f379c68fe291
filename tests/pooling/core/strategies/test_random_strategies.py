"""What is drawn at random has the chances it says, so that estimates from it are unbiased."""

from collections import defaultdict
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.random_strategies import allot, disagreement
from pooling.core.strategies.strategies import choose
from tests.pooling.core.strategies.rankings import (
    RANKINGS,
    as_arrays,
    material,
    pairs,
    plain_depth_k,
)


@given(RANKINGS, st.integers(1, 4), st.integers(0, 2**32), st.sampled_from(["", "difficulty"]))
def test_a_sample_is_depth_k_on_the_sources_drawn(runs, n, seed, by):
    chosen = choose(
        "depth-k-sample", material(runs), {"depth": 3, "n_sources": n, "strata": by}, seed=seed
    )
    sources = {source for run in runs for source in run}
    drawn_sources = set(chosen.source.tolist())
    assert drawn_sources == set(chosen.drawn_sources.source.tolist())
    assert len(drawn_sources) == min(n, len(sources))
    assert set(pairs(chosen)) == {
        pair for pair in plain_depth_k(runs, 3) if pair[0] in drawn_sources
    }


def test_every_source_is_drawn_equally_often():
    ten_sources = material([{source: [1] for source in range(10)}])
    draws = [
        choose("depth-k-sample", ten_sources, {"depth": 1, "n_sources": 3}, seed=seed).source
        for seed in range(2000)
    ]
    counts = np.bincount(np.concatenate(draws), minlength=10)
    assert np.abs(counts - 600).max() < 90  # four standard deviations


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.data(), st.booleans())
def test_what_is_allotted_adds_up_never_exceeds_a_stratum_and_forgets_none(sizes, data, equally):
    size = np.array(sizes)
    n = data.draw(st.integers(0, int(size.sum())))
    allotted = allot(size, n, equally=equally)
    assert allotted.sum() == n
    assert ((allotted >= 0) & (allotted <= size)).all()
    if n >= np.count_nonzero(size):
        assert (allotted[size > 0] >= 1).all()


def test_strata_get_their_share_or_as_many_as_the_others():
    size = np.array([60, 30, 10])
    assert allot(size, 10, equally=False).tolist() == [6, 3, 1]
    assert allot(size, 9, equally=True).tolist() == [3, 3, 3]
    # who has too few gives all it has
    assert allot(size, 45, equally=True).tolist() == [18, 17, 10]


@pytest.mark.parametrize("allocation", ["proportional", "equal"])
def test_sources_of_every_stratum_are_drawn_with_the_chance_they_say(allocation):
    lengths = np.array([1] * 20 + [5] * 12 + [9] * 8)
    forty_sources = material(
        [{source: [1] for source in range(40)}], sources=np.arange(40), lengths=lengths
    )
    values = {
        "depth": 1,
        "n_sources": 9,
        "strata": "length",
        "n_strata": 3,
        "allocation": allocation,
    }
    samples = [
        choose("depth-k-sample", forty_sources, values, seed=seed).drawn_sources
        for seed in range(1500)
    ]
    chance = np.zeros(40)
    for sample in samples:
        chance[sample.source] = sample.probability
        assert len(set(lengths[sample.source[sample.stratum == sample.stratum[0]]])) == 1
    often = np.bincount(np.concatenate([sample.source for sample in samples]), minlength=40) / 1500
    assert np.abs(often - chance).max() < 0.055  # over four standard deviations
    # Horvitz & Thompson: the sum over the sample of value / chance is right on average.
    value = np.arange(40.0)
    estimates = [(value[sample.source] / sample.probability).sum() for sample in samples]
    assert np.mean(estimates) == pytest.approx(
        value.sum(), abs=4 * np.std(estimates) / np.sqrt(1500)
    )


def test_runs_that_agree_make_an_easy_source():
    runs = [
        {1: [1, 2, 3], 2: [1, 2, 3], 3: [1]},
        {1: [3, 2, 1], 2: [4, 5, 6], 3: [1, 2, 3]},
        {1: [1, 2, 3], 2: [1, 7, 8]},
    ]
    # Source 3: two runs share one of the three the longer one shows.
    expected = [0, 1 - (1 / 3 + 0 + 0) / 3, 1 - 1 / 3]
    assert disagreement(
        np.array([1, 2, 3]), [as_arrays(run) for run in runs]
    ).tolist() == pytest.approx(expected)


@given(RANKINGS, st.integers(1, 4), st.floats(0.01, 1))
def test_a_stratified_sample_keeps_the_top_and_draws_the_share_of_each_source(runs, top, share):
    values = {"top": top, "depth": 8, "share": share}
    chosen = choose("stratified", material(runs), values, seed=3)
    best = plain_depth_k(runs, 8)
    chosen_pairs = set(pairs(chosen))
    assert {pair for pair, rank in best.items() if rank <= top} <= chosen_pairs <= set(best)
    below: dict[int, int] = defaultdict(int)
    for pair, rank in best.items():
        below[pair[0]] += rank > top
    for source, stratum, probability in zip(
        chosen.source, chosen.stratum, chosen.probability, strict=True
    ):
        n_drawn = ceil(share * below[source])
        assert probability == (1 if stratum == 1 else n_drawn / below[source])
    assert len(chosen_pairs) == sum(rank <= top for rank in best.values()) + sum(
        ceil(share * n) for n in below.values()
    )


def test_the_estimate_from_a_stratified_sample_is_unbiased():
    rng = np.random.default_rng(2)
    runs = [{source: rng.permutation(60)[:30].tolist() for source in range(6)} for _ in range(3)]
    relevant = {pair for pair in plain_depth_k(runs, 30) if hash(pair) % 5 == 0}
    estimates = []
    for seed in range(400):
        chosen = choose(
            "stratified", material(runs), {"top": 3, "depth": 30, "share": 0.2}, seed=seed
        )
        weights = 1 / chosen.probability
        estimates.append(
            sum(w for pair, w in zip(pairs(chosen), weights, strict=True) if pair in relevant)
        )
    assert np.mean(estimates) == pytest.approx(len(relevant), abs=4 * np.std(estimates) / 20)
