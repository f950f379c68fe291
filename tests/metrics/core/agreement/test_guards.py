"""Guards by brute force: tails by binomial sums, runs by the exact chain, and honest people."""

import numpy as np
import pytest
from scipy import stats

from metrics.core.agreement import guards
from metrics.core.agreement.guards import (
    DAY_ANSWERS,
    DAY_CHANCE,
    LAST_ANSWERS,
    LOOK_CHANCE,
    AnswerCounts,
    excess,
    gold_share,
    level_counts,
    long_run,
    longest_run,
    run_chance,
)

NOBODY = AnswerCounts(*np.zeros((3, 3), dtype=np.int64))


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5])
@pytest.mark.parametrize("n", [20, 35, 50])
def test_too_many_hits_are_those_in_the_binomial_tail_of_one_look(share, n):
    tails = stats.binom.sf(np.arange(n + 1) - 1, n, share)
    for n_hits, tail in enumerate(tails):
        assert (excess(n_hits, n, allowed_share=share) is not None) == (tail <= LOOK_CHANCE)


def test_few_answers_prove_nothing_and_many_say_how_many_are_expected():
    assert excess(19, 19, allowed_share=0.1) is None
    assert excess(0, 0, allowed_share=0.1) is None
    hits = excess(41, 50, allowed_share=0.1)
    assert hits[:3] == (41, 50, 5.0)
    assert (round(hits.low, 3), round(hits.high, 3)) == (0.692, 0.902)


def exact_run_chance(length, n, share, stay):
    """The chance of a run of 1 of this length in a balanced chain of two states, state by state."""
    enter = share * (1 - stay) / (1 - share)
    run = np.zeros(length + 1)  # answers in a row so far; the last one stays
    run[0], run[1 if length > 1 else length] = 1 - share, share
    for _ in range(n - 1):
        later = np.zeros_like(run)
        later[0] = run[0] * (1 - enter) + run[1:length].sum() * (1 - stay)
        later[1] += run[0] * enter
        later[2:] += run[1:length] * stay
        later[length] += run[length]
        run = later
    return run[length]


@pytest.mark.parametrize(("share", "stay"), [(0.3, 0.3), (0.7, 0.75), (0.5, 0.8), (0.9, 0.92)])
@pytest.mark.parametrize("length", [5, 20, 60, 120])
def test_the_chance_of_a_run_is_bounded_and_nearly_exact_where_it_is_small(share, stay, length):
    exact = exact_run_chance(length, DAY_ANSWERS, share, stay)
    bound = run_chance(length, share=share, stay=stay)
    assert bound >= exact * (1 - 1e-9)
    if bound <= 0.05:
        assert bound <= 1.03 * exact


def test_no_run_is_longer_than_the_answers():
    assert run_chance(11, share=0.5, stay=0.5, n=10) == 0


def test_the_longest_run_is_the_first_of_several():
    assert longest_run(np.array([], dtype=np.int64)) == (0, 0)
    assert longest_run(np.array([2])) == (0, 1)
    assert longest_run(np.array([0, 1, 1, 2, 2, 0])) == (1, 2)
    rng = np.random.default_rng(3)
    for _ in range(50):
        levels = rng.integers(0, 2, size=rng.integers(1, 12))
        runs = [
            (start, length)
            for start in range(len(levels))
            for length in range(1, len(levels) - start + 1)
            if len({*levels[start : start + length].tolist()}) == 1
        ]
        assert longest_run(levels) == max(runs, key=lambda run: (run[1], -run[0]))


def test_answers_are_counted_with_what_follows_them():
    counts = level_counts(np.array([0, 0, 1, 0, 0, 0]), n_levels=3)
    assert [column.tolist() for column in counts] == [[5, 1, 0], [4, 1, 0], [3, 0, 0]]


def test_a_run_is_held_to_the_levels_of_the_others():
    rng = np.random.default_rng(5)
    others = level_counts(rng.choice(3, size=2000, p=[0.6, 0.2, 0.2]), n_levels=3)
    levels = np.concatenate([rng.integers(1, 3, size=100), np.zeros(40, dtype=np.int64)])
    run = long_run(levels, others, chance=DAY_CHANCE)
    assert (run.level, run.length) == (0, 40)
    assert 15 < run.n_expected < 40 and run.chance < 1e-4
    assert long_run(levels[: 100 + run.n_expected], others, chance=DAY_CHANCE) is None
    usual = level_counts(np.zeros(2000, dtype=np.int64), n_levels=3)
    assert long_run(levels, usual, chance=DAY_CHANCE) is None


def test_without_others_a_run_is_held_to_the_other_answers_of_the_person():
    rng = np.random.default_rng(6)
    run = np.full(60, 2)
    assert long_run(run, NOBODY, chance=DAY_CHANCE) is None
    assert long_run(np.array([], dtype=np.int64), NOBODY, chance=DAY_CHANCE) is None
    levels = np.concatenate([rng.integers(0, 3, size=140), run])
    assert long_run(levels, NOBODY, chance=DAY_CHANCE).length >= 60


@pytest.mark.parametrize(
    ("n_right", "n", "is_named"),
    [(0, 0, False), (0, 19, False), (13, 20, True), (14, 20, False), (18, 20, False)],
)
def test_golds_are_named_where_their_whole_interval_is_below_the_mark(n_right, n, is_named):
    assert (gold_share(n_right, n, mark=0.85) is not None) == is_named


def test_thirteen_of_twenty_golds_have_wilsons_interval():
    golds = gold_share(13, 20, mark=0.85)
    low, high = stats.binomtest(13, 20).proportion_ci(method="wilson")
    assert (golds.low, golds.high) == pytest.approx((low, high))


def share_named(is_named):
    """The share of simulated people whom a guard named at some look of their day."""
    return is_named.any(axis=1).mean()


def test_of_honest_people_at_most_one_in_a_hundred_is_named_in_a_day_for_speed():
    hits = np.random.default_rng(7).random((3000, DAY_ANSWERS)) < 0.1
    totals = np.pad(hits.cumsum(axis=1), ((0, 0), (1, 0)))
    in_window = totals[:, LAST_ANSWERS:] - totals[:, :-LAST_ANSWERS]
    least = next(k for k in range(51) if excess(k, LAST_ANSWERS, allowed_share=0.1))
    assert share_named(in_window >= least) <= DAY_CHANCE


@pytest.mark.parametrize(("share", "at_most"), [(0.95, 0.002), (0.92, 0.01), (0.85, 0.25)])
def test_of_people_above_the_mark_few_are_named_in_a_day_for_golds(share, at_most):
    n = np.arange(1, 223)  # two of twenty pairs are golds
    right = (np.random.default_rng(8).random((3000, len(n))) < share).cumsum(axis=1)
    limits = [
        max((k for k in range(m + 1) if gold_share(k, m, mark=0.85)), default=-1)
        for m in n.tolist()
    ]
    assert share_named(right <= np.array(limits)) <= at_most


def test_of_honest_people_at_most_one_in_a_hundred_is_named_in_a_day_for_runs():
    rng = np.random.default_rng(9)
    others = level_counts(rng.choice(3, size=2000, p=[0.7, 0.2, 0.1]), n_levels=3)
    levels = rng.choice(3, size=(600, DAY_ANSWERS), p=[0.7, 0.2, 0.1])
    is_named = [long_run(row, others, chance=DAY_CHANCE) is not None for row in levels]
    assert np.mean(is_named) <= DAY_CHANCE
    assert guards.MIN_LEVELS == 100
