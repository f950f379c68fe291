"""Likeness of runs: against SciPy's tau, Wilson's interval of statsmodels, and definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.pool import run_likeness as module
from metrics.core.analyses.pool.run_likeness import DEPTHS, depth_within_budget, run_likeness
from metrics.core.statistics.groups import Groups
from tests.pooling.core.strategies.rankings import RANKINGS, by_source
from tests.sizes import cases

K, P = 3, 0.8


def compared(runs, *, k=K):
    """The likeness of runs given as dictionaries, over all sources that one of them answers."""
    sources = np.array(sorted({source for run in runs for source in run}))
    tops = [by_source(run) for run in runs]
    groups = Groups.single(len(sources))
    return run_likeness(tops, sources=sources, groups=groups, k=k, p=P)


def shared(first, second, depth):
    return len(set(first[:depth]) & set(second[:depth]))


def rank_biased_overlap(first, second):
    """Webber, Moffat & Zobel 2010, Eq. 32, sum by sum."""
    short, long = sorted((len(first), len(second)))
    at_short, at_long = shared(first, second, short), shared(first, second, long)
    total = sum(shared(first, second, d) / d * P**d for d in range(1, long + 1))
    total += sum(at_short * (d - short) / (short * d) * P**d for d in range(short + 1, long + 1))
    return (1 - P) / P * total + ((at_long - at_short) / long + at_short / short) * P**long


def truncated_sum(first, second, k):
    """The same, of the first k depths alone, as far as one of the rankings goes."""
    long = min(max(len(first), len(second)), k)
    return (1 - P) / P * sum(shared(first, second, d) / d * P**d for d in range(1, long + 1))


def rank_of_best(first, second):
    return second.index(first[0]) + 1 if first[0] in second else len(second) + 1


def mean(values):
    return pytest.approx(sum(values) / len(values), abs=1e-12) if values else None


@pytest.mark.parametrize("sources_a_part", [1, 2, 2_000])
@cases(200)
@given(runs=RANKINGS)
def test_every_number_is_that_of_its_definition(sources_a_part, runs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SOURCES_A_PART", sources_a_part)
        pairs = compared(runs)
    assert [(pair.first, pair.second) for pair in pairs] == list(combinations(range(len(runs)), 2))
    for pair in pairs:
        first, second = runs[pair.first], runs[pair.second]
        both = [(first[source], second[source]) for source in first.keys() & second.keys()]
        taus = []
        for targets, others in both:
            if len(held := [target for target in targets if target in others]) > 1:
                places = [others.index(target) for target in held]
                taus.append(stats.kendalltau(range(len(held)), places).statistic)
        assert (pair.n, pair.n_groups, pair.n_tau) == (len(both), len(both), len(taus))
        longer = [min(K, max(map(len, rankings))) for rankings in both]
        assert pair.overlap == mean(
            [shared(*rankings, K) / n for rankings, n in zip(both, longer, strict=True)]
        )
        assert pair.rbo == mean([rank_biased_overlap(*rankings) for rankings in both])
        assert pair.truncated == mean([truncated_sum(*rankings, K) for rankings in both])
        assert pair.tau == mean(taus)
        assert pair.first_in_second == mean([rank_of_best(*rankings) for rankings in both])
        assert pair.second_in_first == mean([rank_of_best(b, a) for a, b in both])


def test_the_truncated_sum_is_fires_of_the_first_ten_at_every_depth_that_is_read():
    shuffles = np.random.default_rng(3).permuted(np.tile(np.arange(50), (12, 1)), axis=1).tolist()
    sides = [dict(enumerate(shuffles[:6])), dict(enumerate(shuffles[6:]))]
    values = {
        depth: compared([{q: row[:depth] for q, row in run.items()} for run in sides], k=10)[0]
        for depth in DEPTHS
    }
    expected = mean(
        [truncated_sum(*rows, 10) for rows in zip(shuffles[:6], shuffles[6:], strict=True)]
    )
    assert [values[depth].truncated for depth in DEPTHS] == [expected] * 3
    assert len({round(values[depth].rbo, 6) for depth in DEPTHS}) == 3


def test_an_overlap_of_one_target_is_a_share_with_wilsons_interval():
    first = {source: [1, 2] for source in range(40)}
    second = {source: [1 if source % 4 else 2] for source in range(2, 40)}
    (pair,) = compared([first, second], k=1)
    expected = proportion_confint(29, 38, method="wilson")
    assert pair.overlap == pytest.approx(29 / 38)
    assert tuple(pair.interval) == pytest.approx(expected, abs=1e-9)


def test_captions_of_one_video_make_the_interval_wider():
    first = {source: [1, 2] for source in range(40)}
    second = {source: [1 if source < 20 else 2] for source in range(40)}
    tops, sources = [by_source(first), by_source(second)], np.arange(40)
    (alone,), (grouped,) = (
        run_likeness(tops, sources=sources, groups=groups, k=1, p=P)
        for groups in (Groups.single(40), Groups.of(np.arange(40) // 4))
    )
    assert (alone.n_groups, grouped.n_groups) == (40, 10)
    assert grouped.overlap == alone.overlap == 0.5
    assert grouped.interval.low < alone.interval.low < alone.interval.high < grouped.interval.high


def test_many_runs_of_many_queries_are_compared_less_deep():
    assert depth_within_budget(n_runs=3, n_queries=27_763) == 50
    assert depth_within_budget(n_runs=10, n_queries=25_000) == 20
    assert depth_within_budget(n_runs=129, n_queries=250) == 10
