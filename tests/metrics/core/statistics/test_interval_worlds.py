"""How often 95 % intervals hold the truth: the table in docs/numbers.md, "Intervals".

A world is one sample of queries, or of groups of them, from a population whose mean is known.
Beside the intervals in use stands the percentile bootstrap of 1,000 samples, whose place they took.
`--heavy -s` prints the rows, 10,000 worlds each. Which worlds there are is fixed, so a share here
is the same in every run.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import mean_intervals
from metrics.core.statistics.resampling import resamples
from tests.real_data import FOLDER

AT_ONCE = 1_000
# per cent; of 10,000 worlds a share of .95 is known to .22, and other seeds differ by that
MARGIN = 1.0
ICC = 0.1
OF_BETA = 0.12  # correlation of normal values that gives Beta(.3, .9) made of them an ICC of .1
Drawn = tuple[np.ndarray, np.ndarray | float]


class WorldPopulation(NamedTuple):
    """The population of a world.

    draw : of a generator, a number of worlds and the groups: (worlds, Q) values, and their true
        means
    """

    draw: Callable[[np.random.Generator, int, Groups], Drawn]
    are_shares: bool = True


def normal(rng: np.random.Generator, n: int, groups: Groups, icc: float = ICC) -> np.ndarray:
    """Values of mean 0 and variance 1; of queries that stand by themselves independent ones."""
    if groups.are_single:
        return rng.normal(size=(n, groups.n))
    of_group = rng.normal(0, np.sqrt(icc), (n, groups.n))
    return of_group[:, groups.of_query] + rng.normal(0, np.sqrt(1 - icc), (n, groups.n_queries))


def beta(rng: np.random.Generator, n: int, groups: Groups) -> Drawn:
    if groups.are_single:
        return rng.beta(0.3, 0.9, (n, groups.n)), 0.25
    return stats.beta.ppf(stats.norm.cdf(normal(rng, n, groups, OF_BETA)), 0.3, 0.9), 0.25


def with_zeros(rng: np.random.Generator, n: int, groups: Groups) -> Drawn:
    """Give four queries of ten the score 0, as where a run finds nothing."""
    size = n, groups.n_queries
    return np.where(rng.random(size) < 0.4, 0.0, rng.beta(0.8, 1.6, size)), 0.2


def ranks(rng: np.random.Generator, n: int, groups: Groups) -> Drawn:
    """Ranks of the first positive from 1 to 50, half of them 1 to 7: log-uniform."""
    table = np.arange(1, 51)
    chance = np.log((table + 1) / table) / np.log(51)
    return rng.choice(table, p=chance, size=(n, groups.n_queries)).astype(float), float(
        table @ chance
    )


def zero_or_one(p: float, icc: float = ICC) -> WorldPopulation:
    """1 with chance p; in groups beta-binomial."""

    def draw(rng: np.random.Generator, n: int, groups: Groups) -> Drawn:
        chance: float | np.ndarray = p
        if not groups.are_single:
            total = 1 / icc - 1
            chance = rng.beta(p * total, (1 - p) * total, (n, groups.n))[:, groups.of_query]
        return (rng.random((n, groups.n_queries)) < chance).astype(float), p

    return WorldPopulation(draw)


@cache
def real(name: str) -> np.ndarray:
    """(50, 129) scores of TREC-8's runs on its topics."""
    return np.loadtxt(
        FOLDER / f"trec_topic_run_matrices/adhoc8_{name}.csv", delimiter=",", skiprows=1
    )


def of_runs(name: str, *, paired: bool = False) -> WorldPopulation:
    """A run, or the difference of two, of TREC-8's 129; its 50 topics are the population."""

    def draw(rng: np.random.Generator, n: int, groups: Groups) -> Drawn:
        scores = real(name)
        run = rng.integers(0, scores.shape[1], n)
        other = (run + rng.integers(1, scores.shape[1], n)) % scores.shape[1]
        table = scores[:, run] - scores[:, other] * paired
        topic = rng.integers(0, len(scores), (groups.n_queries, n))
        return np.take_along_axis(table, topic, axis=0).T, table.mean(axis=0)

    return WorldPopulation(draw, are_shares=not paired)


POPULATIONS = {
    "differences, normal": WorldPopulation(
        lambda *arguments: (normal(*arguments), 0.0), are_shares=False
    ),
    "Beta(.3, .9)": WorldPopulation(beta),
    "40 % zeros": WorldPopulation(with_zeros),
    "ranks 1 to 50": WorldPopulation(ranks, are_shares=False),
    "0 or 1, p = .5": zero_or_one(0.5),
    "0 or 1, p = .1": zero_or_one(0.1),
    "0 or 1, p = .95": zero_or_one(0.95),
    "AP of TREC-8": of_runs("ap"),
    "RR of TREC-8": of_runs("rr"),
    "P@10 of TREC-8": of_runs("p10"),
    "differences of AP of TREC-8": of_runs("ap", paired=True),
}
SIZES = (10, 25, 100, 1_000)
# per cent of worlds that the percentile bootstrap held, and that hold now: at each size; a row of
# the table in the docs
SINGLE = {
    "differences, normal": [(89.5, 94.8), (93.4, 94.9), (94.4, 95.0), (95.6, 95.9)],
    "Beta(.3, .9)": [(88.5, 94.2), (93.1, 95.2), (94.3, 95.1), (95.1, 95.4)],
    "40 % zeros": [(87.9, 94.2), (93.2, 95.2), (94.0, 95.0), (94.9, 95.3)],
    "ranks 1 to 50": [(88.2, 91.3), (92.9, 93.5), (94.2, 94.7), (94.7, 94.9)],
    "0 or 1, p = .5": [(96.7, 97.9), (94.6, 95.7), (95.9, 94.3), (95.1, 94.6)],
    "0 or 1, p = .1": [(63.4, 93.0), (91.5, 96.9), (95.6, 93.8), (95.4, 95.0)],
    "0 or 1, p = .95": [(40.3, 91.1), (72.4, 96.7), (95.7, 96.5), (95.2, 95.0)],
    "AP of TREC-8": [(86.3, 92.7), (91.6, 93.9), (94.0, 94.7), (94.2, 94.4)],
    "RR of TREC-8": [(88.8, 96.0), (93.1, 96.0), (94.1, 94.9), (94.8, 95.2)],
    "P@10 of TREC-8": [(89.0, 95.4), (93.4, 95.3), (94.4, 95.0), (94.6, 94.8)],
    "differences of AP of TREC-8": [(88.2, 93.8), (92.1, 94.1), (94.2, 94.7), (94.2, 94.5)],
}
# the same of 10, 25 and 100 groups of five, and of 100 groups of 60, 30, 20, 15, ..., 1 queries
# (Zipf's law)
ZIPF = np.maximum(1, 60 // np.arange(1, 101))
GROUPS = [
    Groups.of(np.repeat(np.arange(len(sizes)), sizes))
    for sizes in (*(np.full(n, 5) for n in (10, 25, 100)), ZIPF)
]
GROUPED = {
    "differences, normal": [(90.4, 95.6), (93.2, 95.0), (94.8, 95.3), (92.8, 90.4)],
    "Beta(.3, .9)": [(89.9, 95.5), (93.3, 95.2), (94.6, 95.1), (92.9, 92.5)],
    "0 or 1, p = .5": [(91.9, 95.5), (93.6, 95.3), (95.0, 95.1), (93.3, 92.7)],
    "0 or 1, p = .1": [(91.9, 97.6), (91.7, 95.8), (95.2, 95.4), (91.2, 92.6)],
    "0 or 1, p = .95": [(87.2, 97.5), (87.4, 96.9), (94.5, 94.9), (90.4, 95.8)],
}
BY_DEFAULT = [("Beta(.3, .9)", 1), ("0 or 1, p = .95", 0), ("0 or 1, p = .1", 0)]


def rows(table: dict[str, list[tuple[float, float]]]) -> list:
    """The cells of the table, by name and column; most only with --heavy."""
    cells = [(name, column) for name, row in table.items() for column in range(len(row))]
    return [
        cell if cell in BY_DEFAULT else pytest.param(*cell, marks=pytest.mark.heavy)
        for cell in cells
    ]


def coverage(
    population: WorldPopulation, groups: Groups, *, n: int, seed: int = 0
) -> tuple[float, float]:
    """Per cent of n worlds with an interval that the percentile bootstrap and ours cover."""
    old, new = [], []
    for values, truth in worlds(population, groups, n=n, seed=seed):
        new += intervals_hold(values, truth, groups, are_shares=population.are_shares)
        low, high = percentile(values, groups)
        old += ((low <= truth) & (truth <= high)).tolist()
    return 100 * np.mean(old), 100 * np.mean(new)


def worlds(
    population: WorldPopulation, groups: Groups, *, n: int, seed: int = 0
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """n worlds, some at a time: their values, and the (worlds,) truths."""
    rng = np.random.default_rng([seed, groups.n, groups.n_queries])
    for _ in range(n // AT_ONCE):
        values, truth = population.draw(rng, AT_ONCE, groups)
        yield values, np.broadcast_to(truth, AT_ONCE)


def intervals_hold(
    values: np.ndarray, truth: np.ndarray, groups: Groups, *, are_shares: bool = True
) -> list[bool]:
    """Whether our interval covers the truth, for each world that has one."""
    ends = mean_intervals(values, are_shares=are_shares, groups=groups)
    return [
        low <= mean <= high
        for (low, high), mean in zip(ends, truth.tolist(), strict=True)
        if low is not None
    ]


def percentile(values: np.ndarray, groups: Groups) -> tuple[np.ndarray, np.ndarray]:
    """(worlds,) ends of the percentile bootstrap of groups: 1,000 samples, seed their number."""
    sample_counts = resamples(groups.n, 1_000, seed=groups.n).astype(np.float64)
    means = sample_counts @ groups.add_by_group(values.T) / (sample_counts @ groups.mass)[:, None]
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    return low, high


@pytest.mark.parametrize(("name", "column"), rows(SINGLE))
def test_how_often_intervals_of_single_queries_hold_the_truth(name, column):
    if name.endswith("TREC-8") and not FOLDER.is_dir():
        pytest.skip("ASSAYER_DATA names no folder of data sets")
    shares = coverage(POPULATIONS[name], Groups.single(SIZES[column]), n=10_000)
    print(f"\n{name}, {SIZES[column]:,} queries: {shares[0]:.1f} -> {shares[1]:.1f}")
    assert shares == pytest.approx(SINGLE[name][column], abs=MARGIN)


@pytest.mark.parametrize(("name", "column"), rows(GROUPED))
def test_how_often_intervals_of_groups_hold_the_truth(name, column):
    groups = GROUPS[column]
    shares = coverage(POPULATIONS[name], groups, n=10_000)
    print(
        f"\n{name}, {groups.n} groups of {groups.n_queries} queries: {shares[0]:.1f} -> "
        f"{shares[1]:.1f}"
    )
    assert shares == pytest.approx(GROUPED[name][column], abs=MARGIN)
