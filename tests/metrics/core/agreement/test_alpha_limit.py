"""The alarm's lower limit of alpha over whole campaigns: how often it ever reaches the truth."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import brentq
from scipy.stats import norm

from metrics.core.agreement.agreement import (
    MeasurementLevel,
    _alphas,
    alpha_of_coincidences,
    alpha_of_counts,
)
from metrics.core.agreement.counts import UnitCounts
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.comparisons.sequential_analysis import (
    INTERVAL,
    MIN_GROUPS,
    alpha_lower_limit,
    time_uniform_lower_limit,
)
from metrics.core.statistics.resampling import resamples

ERROR = 0.05
GRADES = (0.7, 0.15, 0.1, 0.05)  # of 0, 1, 2 and 3


class World(NamedTuple):
    """Two people's labels on pairs: cuts through relevance on a normal scale, each with own noise.

    shares : of the values, ascending; alpha : the true one; size : pairs a query, 1 or more
    of_query : which part of relevance all pairs of a query have in common
    """

    shares: tuple[float, ...]
    alpha: float
    size: int = 1
    of_query: float = 0.0

    @property
    def level(self) -> MeasurementLevel:
        return MeasurementLevel.NOMINAL if len(self.shares) == 2 else MeasurementLevel.ORDINAL

    @property
    def cuts(self) -> np.ndarray:
        return norm.ppf(np.cumsum(self.shares)[:-1])


def binary(positive: float, alpha: float, *, in_queries: bool = False) -> World:
    return World((1 - positive, positive), alpha, *((10, 0.3) if in_queries else ()))


def grades(alpha: float, *, in_queries: bool = False) -> World:
    return World(GRADES, alpha, *((10, 0.3) if in_queries else ()))


@cache
def correlation(world: World) -> float:
    """Correlation of two people's scales that gives the world's alpha."""
    node, weight = hermegauss(200)

    def off(r: float) -> float:
        edges = np.concatenate([[-np.inf], world.cuts, [np.inf]])
        below = norm.cdf((edges - math.sqrt(r) * node[:, None]) / math.sqrt(1 - r))
        chances = np.diff(below, axis=1)
        both = np.einsum("q,qi,qj->ij", weight / weight.sum(), chances, chances)
        alpha = alpha_of_coincidences(both * 1e9, np.arange(len(world.shares)), world.level)
        return (alpha or 0) - world.alpha

    return float(brentq(off, 0.01, 0.995))


@cache
def kinds_of(n_values: int) -> np.ndarray:
    """(P, V) counts of the kinds of pairs: two values, in either order."""
    return np.array(
        [
            np.eye(n_values, dtype=int)[[i, j]].sum(axis=0)
            for i in range(n_values)
            for j in range(i + 1)
        ]
    )


def count_values(
    world: World, n_campaigns: int, n_queries: int, rng: np.random.Generator
) -> np.ndarray:
    """(campaigns, queries, P) pairs of each kind."""
    r = correlation(world)
    shape = (n_campaigns, n_queries, world.size)
    common = math.sqrt(world.of_query) * rng.normal(size=(*shape[:2], 1))
    relevance = common + math.sqrt(1 - world.of_query) * rng.normal(size=shape)
    both = [
        np.searchsorted(
            world.cuts, math.sqrt(r) * relevance + math.sqrt(1 - r) * rng.normal(size=shape)
        )
        for _ in range(2)
    ]
    larger, smaller = np.maximum(*both), np.minimum(*both)
    kind = larger * (larger + 1) // 2 + smaller
    n_kinds = len(kinds_of(len(world.shares)))
    return np.stack([np.count_nonzero(kind == value, axis=2) for value in range(n_kinds)], axis=-1)


class CampaignLook(NamedTuple):
    """The values of a look at each campaign, (campaigns,), named as in `Alpha`."""

    n: int
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_informative: np.ndarray


def look(
    pairs: np.ndarray, world: World, n_replicates: int, rng: np.random.Generator
) -> CampaignLook:
    """Alpha of (campaigns, queries, P) pairs of each kind, with interval and n_informative."""
    n_campaigns, n_queries, n_kinds = pairs.shape
    counts = kinds_of(len(world.shares))
    kinds = UnitCounts(counts, np.ones(n_kinds, dtype=int), np.arange(len(world.shares)))
    total = pairs.sum(axis=1)
    if world.size == 1:  # drawing pairs is a multinomial draw of their kinds
        samples = rng.multinomial(
            n_queries, total / n_queries, size=(n_replicates, n_campaigns)
        ).swapaxes(0, 1)
    else:
        sample_counts = resamples(n_queries, n_replicates, seed=n_queries).astype(np.float32)
        samples = sample_counts @ pairs.astype(np.float32)
    alphas = _alphas(kinds, samples.reshape(-1, n_kinds).astype(float), world.level)
    low, high = _ends(alphas.reshape(n_campaigns, n_replicates))
    beside = np.arange(len(world.shares)) != np.argmax(total @ counts, axis=1)[:, None]
    tells = (beside.astype(int) @ counts.T)[:, None, :] > 0
    n_informative = ((pairs > 0) & tells).any(axis=2).sum(axis=1)
    return CampaignLook(
        n_queries * world.size,
        _alphas(kinds, total.astype(float), world.level),
        low,
        high,
        n_informative,
    )


def _ends(alphas: np.ndarray) -> np.ndarray:
    """The 2.5 and 97.5 % quantiles of each row's numbers; NaN without one."""
    alphas = np.sort(alphas, axis=1)  # NaN come last
    last = np.count_nonzero(~np.isnan(alphas), axis=1) - 1
    position = np.array([[0.025], [0.975]]) * np.maximum(last, 0)
    below, row = np.floor(position).astype(int), np.arange(len(alphas))
    above = np.minimum(below + 1, np.maximum(last, 0))
    return alphas[row, below] + (position - below) * (alphas[row, above] - alphas[row, below])


def looks_of(
    world: World, *, first: int, end: int, n_campaigns: int, n_replicates: int, grows: float
) -> list[CampaignLook]:
    """The looks of campaigns, query by query, at growing numbers of pairs."""
    rng = np.random.default_rng(
        [first, int(1000 * world.alpha), int(1000 * world.shares[0]), world.size]
    )
    pairs = count_values(world, n_campaigns, end // world.size, rng)
    looks, n = [], max(1, first // world.size)
    while n <= pairs.shape[1]:
        looks.append(look(pairs[:, :n], world, n_replicates, rng))
        n = max(n + 1, int(grows * n))
    return looks


def limits(taken_look: CampaignLook, first: int) -> tuple[np.ndarray, np.ndarray]:
    """(campaigns,) the alarm's limit, and the one by alpha's own standard error.

    NaN without a limit.
    """
    ours, plain = np.full((2, len(taken_look.value)), np.nan)
    for row in np.flatnonzero(
        ~np.isnan(taken_look.value) & ~np.isnan(taken_look.low) & (taken_look.low < taken_look.high)
    ):
        value, low, high = (
            float(column[row]) for column in (taken_look.value, taken_look.low, taken_look.high)
        )
        settings = {"n": taken_look.n, "tuned_for": first}
        limit = alpha_lower_limit(
            value, low=low, high=high, n_informative=int(taken_look.n_informative[row]), **settings
        )
        ours[row] = np.nan if limit is None else limit
        plain[row] = time_uniform_lower_limit(value, error=(high - low) / INTERVAL, **settings)
    return ours, plain


class CampaignShares(NamedTuple):
    """Shares of campaigns in which a limit reaches a mark, and the pairs at which half have."""

    ours: float
    plain: float
    ours_half: float
    plain_half: float


def play_campaigns(
    world: World, *, first: int, mark: float | None = None, end: int, **how
) -> CampaignShares:
    """mark : the true alpha if None, which a limit should not reach."""
    mark = world.alpha if mark is None else mark
    looks = looks_of(world, first=first, end=end, **how)
    # looks, 2, campaigns
    reached = np.array(
        [[limit >= mark for limit in limits(taken_look, first)] for taken_look in looks]
    )
    shares = np.maximum.accumulate(reached, axis=0).mean(axis=2)
    n = np.array([taken_look.n for taken_look in looks])
    half = [
        float(n[np.argmax(share >= 0.5)]) if share[-1] >= 0.5 else math.inf for share in shares.T
    ]
    return CampaignShares(*map(float, shares[-1]), *half)


QUICK = {"n_campaigns": 300, "n_replicates": 200, "grows": 1.12, "end": 800}
WORLDS = [
    (binary(0.05, 0.667), 50),
    (binary(0.05, 0.5, in_queries=True), 50),
    (binary(0.3, 0.667, in_queries=True), 50),
]


def test_the_limit_is_the_formula_on_the_scale_of_log_one_minus_alpha():
    low = alpha_lower_limit(0.8, low=0.7, high=0.88, n=400, n_informative=MIN_GROUPS, tuned_for=100)
    far = -time_uniform_lower_limit(0, error=0.18 / INTERVAL / 0.2, n=400, tuned_for=100)
    assert low == pytest.approx(1 - 0.2 * math.exp(far))
    assert (
        alpha_lower_limit(0.8, low=0.1, high=0.99, n=400, n_informative=MIN_GROUPS, tuned_for=100)
        == -1
    )
    assert (
        alpha_lower_limit(1 - 1e-9, low=0.1, high=1, n=400, n_informative=MIN_GROUPS, tuned_for=100)
        == -1
    )


@pytest.mark.parametrize(
    "other",
    [
        {"n_informative": MIN_GROUPS - 1},
        {"low": None},
        {"high": None},
        {"low": 0.8, "high": 0.8},
        {"value": 1.0},
    ],
)
def test_there_is_no_limit_of_too_little(other):
    estimate = {
        "value": 0.8,
        "low": 0.7,
        "high": 0.88,
        "n": 400,
        "n_informative": MIN_GROUPS,
        "tuned_for": 100,
    }
    assert alpha_lower_limit(**estimate) is not None
    assert alpha_lower_limit(**(estimate | other)) is None


@pytest.mark.parametrize(
    "world", [binary(0.3, 0.6, in_queries=True), grades(0.6, in_queries=True), grades(0.6)]
)
def test_a_look_here_is_what_the_house_computes(world):
    rng = np.random.default_rng(1)
    pairs = count_values(world, 4, 60, rng)
    taken_look = look(pairs, world, 1_000, rng)
    counts = kinds_of(len(world.shares))
    for row, of_queries in enumerate(pairs):
        query, kind = np.nonzero(of_queries)
        unit_counts = UnitCounts(counts, of_queries.sum(axis=0), np.arange(len(world.shares)))
        groups = GroupedUnits(query, kind, of_queries[query, kind])
        theirs = alpha_of_counts(
            unit_counts, level=world.level, n_replicates=1_000, grouped_units=groups
        )
        assert taken_look.value[row] == pytest.approx(theirs.value)
        assert (taken_look.n, taken_look.n_informative[row]) == (
            theirs.n_pairable_units,
            theirs.n_informative,
        )
        width = theirs.high - theirs.low
        assert (taken_look.low[row], taken_look.high[row]) == pytest.approx(
            (theirs.low, theirs.high), abs=0.15 * width
        )


@pytest.mark.parametrize("alpha", [0.4, 0.85])
def test_a_world_has_the_alpha_it_says(alpha):
    for world in (binary(0.1, alpha, in_queries=True), grades(alpha, in_queries=True)):
        rng = np.random.default_rng(2)
        assert look(count_values(world, 1, 30_000, rng), world, 1, rng).value[0] == pytest.approx(
            alpha, abs=0.02
        )


def test_the_limit_hardly_ever_reaches_the_true_alpha_where_alphas_own_error_does():
    for world, first in WORLDS:
        shares = play_campaigns(world, first=first, **QUICK)
        assert shares.ours <= 0.03 < 0.07 < shares.plain, world


def test_the_alarm_falls_where_alpha_is_well_above_the_mark():
    shares = play_campaigns(binary(0.3, 0.85), first=50, mark=0.667, **QUICK)
    assert shares.plain_half <= shares.ours_half <= 400


@pytest.mark.heavy
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("in_queries", [False, True])
@pytest.mark.parametrize("first", [30, 100])
@pytest.mark.parametrize("true", [0.4, 0.667, 0.85])
@pytest.mark.parametrize("positive", [0.02, 0.05, 0.1, 0.3, None])
def test_in_a_thousand_campaigns(positive, true, first, in_queries):
    n_campaigns = 1_000 if positive else 500
    world = (
        binary(positive, true, in_queries=in_queries)
        if positive
        else grades(true, in_queries=in_queries)
    )
    how = {"n_campaigns": n_campaigns, "n_replicates": 300, "grows": 1.1, "end": 2_000}
    shares = play_campaigns(world, first=first, **how)
    print(
        f"\n{positive or 'grades'}, alpha {true}, from {first}, in queries {in_queries}: {shares}"
    )
    assert shares.ours <= ERROR + 2 * math.sqrt(ERROR * (1 - ERROR) / n_campaigns)
