"""Conclusions under other labels: SciPy's tau and studentized range, and a recount of the rest."""

from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.pool.conclusions import TOP, conclusions
from metrics.core.statistics.groups import Groups
from tests.sizes import cases

N_QUERIES = 12
# of each table a level for each run, so that some differ, and a seed of what it varies by
TABLES = st.sampled_from([2, 4, 7]).flatmap(
    lambda n_runs: st.lists(
        st.tuples(
            st.lists(st.sampled_from([0, 1, 4]), min_size=n_runs, max_size=n_runs),
            st.integers(0, 2**32 - 1),
        ),
        min_size=2,
        max_size=4,
    )
)


def table_of(levels, seed):
    rows = np.random.default_rng(seed).integers(0, 4, size=(N_QUERIES, len(levels)))
    return (rows + np.array(levels)).astype(float)


@lru_cache
def critical_range(n_runs, df):
    return stats.studentized_range.ppf(0.95, n_runs, df)


def differing(scores):
    """Pairs (better, worse) that differ by Tukey's HSD and by their own error, sum by sum."""
    n_queries, n_runs = len(scores), len(scores[0])
    means = [sum(row[s] for row in scores) / n_queries for s in range(n_runs)]
    of_query = [sum(row) / n_runs for row in scores]
    whole = sum(means) / n_runs
    residuals = sum(
        (scores[q][s] - means[s] - of_query[q] + whole) ** 2
        for q in range(n_queries)
        for s in range(n_runs)
    )
    df = (n_queries - 1) * (n_runs - 1)
    shared_error = (residuals / df / n_queries) ** 0.5
    critical = critical_range(n_runs, df)
    own_critical = critical_range(n_runs, n_queries - 1)
    pairs = set()
    for a, b in permutations(range(n_runs), 2):
        distances = [row[a] - row[b] for row in scores]
        own_error = np.std(distances, ddof=1) / (2 * n_queries) ** 0.5
        gap = means[a] - means[b]
        if gap > critical * shared_error + 1e-9 and gap > own_critical * own_error + 1e-9:
            pairs.add((a, b))
    return means, pairs


def ranks_of(means):
    return [1 + sum(other > mean + 1e-12 for other in means) for mean in means]


def tau_ap(truth, estimate):
    """Yilmaz, Aslam & Robertson 2008: the chance that one above is rightly above."""
    order = sorted(range(len(truth)), key=lambda run: -estimate[run])
    shares = [
        sum(truth[other] > truth[order[place]] for other in order[:place]) / place
        for place in range(1, len(order))
    ]
    return 2 * sum(shares) / len(shares) - 1


@cases(60)
@given(tables=TABLES)
def test_every_number_is_that_of_its_definition(tables):
    base, *others = [table_of(*table) for table in tables]
    outcome = conclusions(base, others, groups=Groups.single(N_QUERIES), smaller_is_better=False)
    means, before = differing(base.tolist())
    ranks, lasting = ranks_of(means), before
    assert outcome.n_pairs == len(list(combinations(means, 2)))
    assert outcome.n_decided == len(before)
    for scores, conclusion in zip(others, outcome.of_sets, strict=True):
        means_here, after = differing(scores.tolist())
        ranks_here = ranks_of(means_here)
        tau = stats.kendalltau(ranks, ranks_here).statistic
        assert conclusion.tau == (None if np.isnan(tau) else pytest.approx(tau))
        if max(len(ranks) - len(set(ranks)), len(ranks) - len(set(ranks_here))):
            assert conclusion.tau_ap is None
        else:
            both_ways = tau_ap(means, means_here) + tau_ap(means_here, means)
            assert conclusion.tau_ap == pytest.approx(both_ways / 2)
        falls = [here - rank for rank, here in zip(ranks, ranks_here, strict=True) if rank <= TOP]
        assert conclusion.fall == max(0, *falls)
        if conclusion.fall:
            fallen = conclusion.fallen_run
            assert ranks[fallen] <= TOP
            assert ranks_here[fallen] - ranks[fallen] == conclusion.fall
        else:
            assert conclusion.fallen_run is None
        first = [
            [(rank, run) for run, rank in enumerate(r) if rank <= TOP] for r in (ranks, ranks_here)
        ]
        assert conclusion.is_top_same == (first[0] == first[1])
        turned = {(b, a) for a, b in after}
        assert conclusion.n_same == len(before & after)
        assert conclusion.n_opposite == len(before & turned)
        assert conclusion.n_base_only == len(before - after - turned)
        assert conclusion.n_here_only == len(after - before - {(b, a) for a, b in before})
        assert conclusion.decides == bool(after)
        lasting = lasting & after if after else lasting
    assert outcome.n_lasting == len(lasting)


def test_smaller_ranks_are_better():
    rng = np.random.default_rng(1)
    scores = rng.random((40, 4)) + np.arange(4)
    other = scores[:, [1, 0, 2, 3]]
    upright, turned = (
        conclusions(
            sign * scores, [sign * other], groups=Groups.single(40), smaller_is_better=sign < 0
        )
        for sign in (1, -1)
    )
    assert upright == turned
    assert upright.of_sets[0].n_opposite == 1
    assert upright.of_sets[0].n_same == 5
    assert upright.of_sets[0].n_base_only == upright.of_sets[0].n_here_only == 0


def test_captions_of_one_video_decide_less():
    rng = np.random.default_rng(2)
    scores = np.repeat(rng.random((10, 2)) + np.array([0, 0.4]), 6, axis=0)
    alone, grouped = (
        conclusions(scores, [scores], groups=groups, smaller_is_better=False)
        for groups in (Groups.single(60), Groups.of(np.arange(60) // 6))
    )
    assert alone.n_decided == alone.n_lasting == 1
    few = conclusions(scores[::6], [], groups=Groups.single(10), smaller_is_better=False)
    assert grouped.n_decided == few.n_decided


def test_labels_that_make_all_runs_equal_have_no_order_and_equal_orders_a_tau_of_1():
    scores = np.random.default_rng(4).random((20, 5)) + np.arange(5)
    outcome = conclusions(
        scores, [scores, np.zeros((20, 5))], groups=Groups.single(20), smaller_is_better=False
    )
    same, equal = outcome.of_sets
    assert (same.tau, same.fall, same.is_top_same) == (1, 0, True)
    assert equal[:5] == (None,) * 5 and equal.n_base_only == outcome.n_decided
    # where nothing is decided, nothing is decided otherwise
    assert (same.decides, equal.decides) == (True, False)
    assert outcome.n_lasting == outcome.n_decided > 0


def test_scores_that_are_not_finite_conclude_nothing():
    scores = np.random.default_rng(3).random((20, 3)) + np.arange(3)
    infinite = scores.copy()
    infinite[3, 1] = np.inf
    outcome = conclusions(
        scores, [infinite, scores], groups=Groups.single(20), smaller_is_better=False
    )
    assert set(outcome.of_sets[0]) == {None}
    assert outcome.of_sets[1].n_same == outcome.n_decided == outcome.n_lasting == 3


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**-47, 2.0**40])
def test_scores_of_any_size_have_the_same_conclusions(scale):
    base, other = table_of([0, 1, 4, 1], 1), table_of([4, 1, 0, 0], 2)
    groups = Groups.single(N_QUERIES)
    ours, scaled = (
        conclusions(s * base, [s * other], groups=groups, smaller_is_better=False)
        for s in (1, scale)
    )
    assert scaled == ours and ours.of_sets[0].fall


def test_runs_with_the_same_large_scores_share_a_rank():
    rng = np.random.default_rng(5)
    scores = np.round(1e4 * rng.random(50), 4)
    base = np.column_stack([rng.permutation(scores) for _ in range(4)])
    groups = Groups.single(50)
    result = conclusions(base, [base[::-1]], groups=groups, smaller_is_better=False)
    assert result.of_sets[0].tau is None and result.of_sets[0].fall is None
