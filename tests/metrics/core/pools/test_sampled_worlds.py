"""Bias and error of estimates from a sampled pool in worlds with known truth.

Figures stand in docs/numbers.md, "Sampled pools": `pytest --heavy -s` prints them.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.incomplete import inferred_ap
from metrics.core.measures.inferred_measures import (
    WeightedSample,
    extended_inferred_ap,
    extended_inferred_ndcg,
)
from metrics.core.measures.measures import parse_one
from metrics.core.pools import sample_totals as totals
from tests.metrics.core.sampled_world import N_QUERIES, NOWHERE, World, sample, weighted, world

Estimator = Callable[[WeightedSample], totals.Estimates]
LINEAR: dict[str, Estimator] = {
    "P@10": lambda pairs: totals.estimated_precision(pairs, k=10),
    "DCG@20": lambda pairs: totals.estimated_dcg(pairs, k=20),
    "RBP(p=0.8)": lambda pairs: totals.estimated_rbp(pairs, p=0.8),
    "positives": totals.estimated_positives,
}
RUNS = range(3)
SIZES = [
    pytest.param(300, id="300 draws"),
    pytest.param(1000, id="1,000 draws", marks=pytest.mark.heavy),
]


class Draws(NamedTuple):
    """Estimates of one measure and run over T draws; truth : (Q,)."""

    truth: np.ndarray
    value: np.ndarray
    variance: np.ndarray
    variance_of_sum: np.ndarray

    @property
    def mean_error(self) -> np.ndarray:
        """(T,) of the mean over the queries."""
        return self.value.mean(axis=1) - self.truth.mean()

    @property
    def covered(self) -> float:
        """Share of draws whose interval for the mean of these queries holds the truth."""
        return float(
            np.mean(np.abs(self.mean_error) <= 1.96 * np.sqrt(self.variance_of_sum) / N_QUERIES)
        )


def true_values(world_of_runs: World, name: str, run: int, is_pooled: np.ndarray) -> np.ndarray:
    grade = np.take_along_axis(world_of_runs.grade, world_of_runs.runs[run], axis=1)
    if name == "positives":
        return ((world_of_runs.grade > 0) & is_pooled).sum(axis=1)
    if name == "DCG@20":
        return (grade[:, :20] / np.log2(np.arange(2, 22))).sum(axis=1)
    pairs = np.arange(world_of_runs.grade.size)
    return parse_one(name).compute(world_of_runs.ranked(run, pairs, world_of_runs.grade.ravel()))


@cache
def draw_repeatedly(n: int) -> dict[tuple[str, int], Draws]:
    """Every linear measure of every run over n draws from two pools that share a run."""
    world_of_runs = world()
    strata = [world_of_runs.strata([0, 1]), world_of_runs.strata([1, 2])]
    is_pooled = np.any([stratum < NOWHERE for stratum in strata], axis=0)
    estimates_of: dict[tuple[str, int], list[totals.Estimates]] = {
        (name, run): [] for name in LINEAR for run in RUNS
    }
    for seed in range(n):
        sample_of_pairs = sample(strata, np.random.default_rng([7, seed]))
        for run in RUNS:
            pairs = weighted(world_of_runs, run, strata, sample_of_pairs)
            for name, estimator in LINEAR.items():
                estimates_of[name, run].append(estimator(pairs))
    columns = {
        key: [np.array(column) for column in zip(*estimates, strict=True)]
        for key, estimates in estimates_of.items()
    }
    return {
        key: Draws(true_values(world_of_runs, *key, is_pooled), *arrays)
        for key, arrays in columns.items()
    }


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", LINEAR)
def test_linear_measures_are_unbiased_over_draws_from_overlapping_pools(name, n):
    for run in RUNS:
        errors = draw_repeatedly(n)[name, run].mean_error
        print(
            f"{name} run {run}: {draw_repeatedly(n)[name, run].truth.mean():.4f}, bias "
            f"{errors.mean():+.4f}"
        )
        assert abs(errors.mean()) < 3 * errors.std(ddof=1) / np.sqrt(n)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", LINEAR)
def test_the_variance_of_a_query_is_that_of_its_estimate_over_draws(name, n):
    for run in RUNS:
        draws = draw_repeatedly(n)[name, run]
        share = draws.variance.sum(axis=1).mean() / draws.value.var(axis=0, ddof=1).sum()
        print(f"{name} run {run}: variance of a query {share:.3f} of the true one")
        assert share == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", LINEAR)
def test_the_standard_error_of_a_mean_is_the_spread_of_the_mean_over_draws(name, n):
    """A variance of 300 draws is itself known to 8 %, of 1,000 to 4.5 %."""
    for run in RUNS:
        draws = draw_repeatedly(n)[name, run]
        share = draws.variance_of_sum.mean() / draws.value.sum(axis=1).var(ddof=1)
        print(
            f"{name} run {run}: variance of the mean {share:.3f} of the true one, covered "
            f"{draws.covered:.3f}"
        )
        assert share == pytest.approx(1, abs=0.25 if n < 1000 else 0.1)


@pytest.mark.parametrize("n", SIZES)
def test_intervals_hold_the_true_precision_of_these_queries_in_95_percent_of_draws(n):
    for run in RUNS:
        assert draw_repeatedly(n)["P@10", run].covered == pytest.approx(
            0.95, abs=0.04 if n < 1000 else 0.02
        )


DESIGNS = {  # rates of the strata, and the share of what was drawn that nobody judged
    "all judged": ((1.0, 0.5, 0.2), 0.0),
    "a fifth unjudged": ((1.0, 0.5, 0.2), 0.2),
    "half of the top": ((0.5, 0.3, 0.2), 0.0),
}
COMPUTED: dict[str, Callable[[RankedGrades], np.ndarray]] = {
    "xinfAP": extended_inferred_ap,
    "infNDCG": extended_inferred_ndcg,
    "infAP": inferred_ap,
    "AP": parse_one("AP").compute,
    "nDCG": parse_one("nDCG").compute,
    "P@10": parse_one("P@10").compute,
    "R@60": parse_one("R@60").compute,
    "Bpref": parse_one("Bpref").compute,
}
TRUTH = {"xinfAP": "AP", "infAP": "AP", "infNDCG": "nDCG"}


@cache
def repeated_errors(design: str, run: int, n: int) -> dict[str, np.ndarray]:
    """(n,) by measure: the mean from one pool's sample, less the mean of the pool judged whole."""
    (rates, unjudged), world_of_runs = DESIGNS[design], world()
    stratum = world_of_runs.strata(list(RUNS))
    pairs = np.flatnonzero(stratum < NOWHERE)
    whole = world_of_runs.ranked(run, pairs, world_of_runs.grade.flat[pairs])
    means = []
    for seed in range(n):
        sample_of_pairs = sample(
            [stratum], np.random.default_rng([8, seed]), rates=rates, unjudged=unjudged
        )
        grade = np.where(sample_of_pairs.is_judged, world_of_runs.grade, -1).flat[pairs]
        ranked = world_of_runs.ranked(run, pairs, grade)._replace(stratum=stratum.flat[pairs])
        means.append([function(ranked).mean() for function in COMPUTED.values()])
    true = {name: parse_one(TRUTH.get(name, name)).compute(whole).mean() for name in COMPUTED}
    for (name, truth), values in zip(true.items(), np.transpose(means), strict=True):
        print(
            f"{design}, {name} run {run}: {truth:.3f}, bias {values.mean() - truth:+.3f}, sd "
            f"{values.std():.3f}"
        )
    return {
        name: values - true[name]
        for name, values in zip(COMPUTED, np.transpose(means), strict=True)
    }


FEW = [pytest.param(100, id="100 draws"), SIZES[1]]


@pytest.mark.parametrize("n", FEW)
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("design", DESIGNS)
def test_xinfap_and_infndcg_are_close_to_the_truth_and_not_unbiased(design, run, n):
    errors = repeated_errors(design, run, n)
    assert abs(errors["xinfAP"].mean()) < 0.03
    assert abs(errors["infNDCG"].mean()) < 0.03


@pytest.mark.parametrize("n", FEW)
def test_infap_of_unequal_rates_is_off_by_a_quarter_and_more(n):
    """It weighs all judged pairs alike; the top, drawn most, is positive most often."""
    for run, truth in enumerate((0.427, 0.225, 0.135)):
        assert repeated_errors("all judged", run, n)["infAP"].mean() > truth / 4


@pytest.mark.parametrize("n", FEW)
def test_what_was_not_drawn_is_not_irrelevant(n):
    """AP loses positives above and below the line: which loss is larger depends on the rates."""
    first = {design: repeated_errors(design, 0, n) for design in DESIGNS}
    assert first["all judged"]["AP"].mean() > 0.05
    assert first["half of the top"]["AP"].mean() < -0.1
    assert first["all judged"]["P@10"].mean() < -0.08
    assert first["a fifth unjudged"]["P@10"].mean() < -0.15
