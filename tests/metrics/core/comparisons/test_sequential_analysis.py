"""Repeated looks: the rate of false claims over whole campaigns."""

import math
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from scipy import integrate, stats

from metrics.core.comparisons.run_comparison import decide
from metrics.core.comparisons.sequential_analysis import (
    alpha_spent,
    evidence_below,
    is_below,
    level,
    time_uniform_lower_limit,
)

N_QUERIES, DEPTH, N_LOOKS = 50, 20, 200
STATED = (49, 99, 149, 199)  # of the 200 looks, after 25, 50, 75 and 100 % of the labels
ALPHA = 0.05
BETTER_BY = 0.5  # which one test at the end finds in some 80 % of campaigns


def levels(looks, *, alpha):
    """The level of each of some ascending looks, all of them taken."""
    return [level(n, last=last, end=looks[-1], alpha=alpha) for last, n in pairwise([0, *looks])]


def test_levels_add_up_to_alpha_whichever_looks_are_taken():
    assert levels([250, 500, 750, 1000], alpha=ALPHA) == pytest.approx(
        [0.00078125, 0.00546875, 0.01484375, 0.02890625]
    )
    assert sum(levels([3, 10, 11, 70], alpha=0.1)) == pytest.approx(0.1)
    passed_over = level(750, last=250, end=1000, alpha=ALPHA)
    assert passed_over == pytest.approx(sum(levels([250, 500, 750, 1000], alpha=ALPHA)[1:3]))
    assert (alpha_spent(0, alpha=ALPHA), alpha_spent(1, alpha=ALPHA)) == (0, ALPHA)


@pytest.mark.parametrize(("n", "last", "end"), [(5, 5, 10), (4, 5, 10), (11, 5, 10), (5, -1, 10)])
def test_looks_that_do_not_go_up_are_refused(n, last, end):
    with pytest.raises(ValueError, match="Looks go up"):
        level(n, last=last, end=end, alpha=ALPHA)
    with pytest.raises(ValueError, match="between 0 and 1"):
        alpha_spent(1.1, alpha=ALPHA)


@pytest.mark.parametrize(
    ("n_right", "n", "mark"),
    [(0, 0, 0.8), (0, 3, 0.8), (6, 10, 0.8), (40, 41, 0.5), (7, 30, 0.999)],
)
def test_evidence_is_the_averaged_likelihood_over_that_of_the_mark(n_right, n, mark):
    averaged = (
        integrate.quad(lambda share: stats.binom.pmf(n_right, n, share), 0, mark, epsabs=1e-14)[0]
        / mark
    )
    expected = math.log(averaged / stats.binom.pmf(n_right, n, mark))
    assert evidence_below(n_right, n, threshold=mark) == pytest.approx(expected, abs=1e-6)


def test_evidence_at_the_edges():
    assert evidence_below(5, 6, threshold=1) == math.inf
    assert math.exp(evidence_below(4, 4, threshold=1)) == pytest.approx(1 / 5)
    assert not is_below(
        10_000, 10_000, threshold=0.01
    )  # whose likelihood is no number of a computer
    assert (is_below(1, 1, threshold=1.01), is_below(0, 50, threshold=0)) == (True, False)
    assert not is_below(0, 2, threshold=0.8)
    assert is_below(0, 3, threshold=0.8)
    assert is_below(0, 0, threshold=0.5, alpha=1)  # at the limit


def test_the_limit_is_the_formula_and_nearest_where_it_is_tuned_for():
    v = 500 * (-2 * math.log(0.1) + math.log(1 - 2 * math.log(0.1))) / 200
    far = math.sqrt(2 * (v + 1) / v * math.log(1 + math.sqrt(v + 1) / 0.1))
    assert time_uniform_lower_limit(0.7, error=0.02, n=500, tuned_for=200) == pytest.approx(
        0.7 - 0.02 * far
    )
    widths = {
        n: -time_uniform_lower_limit(0, error=1 / math.sqrt(1000), n=1000, tuned_for=n)
        for n in (100, 300, 1000, 3000, 10_000)
    }
    assert min(widths, key=widths.get) == 1000
    assert -time_uniform_lower_limit(0, error=1, n=70, tuned_for=70) == pytest.approx(
        2.78, abs=0.005
    )


class Campaign(NamedTuple):
    """Two systems' differences, (looks, queries), by the labels that are in at each look."""

    precision: np.ndarray
    average_precision: np.ndarray


def campaign(seed: int, *, better_by: float = 0.0) -> Campaign:
    """A pool of 20 documents a query, judged in random order.

    Both systems rank it by relevance and noise.
    Unjudged documents count as irrelevant. better_by : by how much more the first one's ranking
        follows relevance
    """
    rng = np.random.default_rng([7, seed])
    relevant = rng.random((N_QUERIES, DEPTH)) < rng.beta(1, 3, size=(N_QUERIES, 1))
    arrival = (
        rng.permutation(N_QUERIES * DEPTH).reshape(N_QUERIES, DEPTH)
        * N_LOOKS
        // (N_QUERIES * DEPTH)
    )
    values = []
    for follows in (1 + better_by, 1.0):
        order = np.argsort(-(relevant * follows + rng.normal(size=relevant.shape)), axis=1)
        arrived = (
            np.take_along_axis(relevant, order, axis=1),
            np.take_along_axis(arrival, order, axis=1),
        )
        hits = arrived[0] & (arrived[1] <= np.arange(N_LOOKS)[:, None, None])
        total = np.maximum(hits.sum(axis=2), 1)
        precisions = np.cumsum(hits, axis=2) / np.arange(1, DEPTH + 1)
        values.append((hits[:, :, :10].mean(axis=2), (precisions * hits).sum(axis=2) / total))
    return Campaign(*(first - second for first, second in zip(*values, strict=True)))


@cache
def tosses(n: int) -> np.ndarray:
    return np.where(np.random.default_rng(n).random((N_QUERIES, n)) < 0.5, -1, 1).astype(np.float32)


def p_values(differences: np.ndarray, n: int) -> np.ndarray:
    """(looks,) p of (looks, queries) differences by randomization: of two, randomized Tukey."""
    observed = np.abs(differences.sum(axis=1))[:, None]
    tossed = np.abs(differences.astype(np.float32) @ tosses(n))
    return np.where(observed[:, 0] > 0, (1 + (tossed >= observed - 1e-5).sum(axis=1)) / (1 + n), 1)


class Shares(NamedTuple):
    """Shares of campaigns with a decided difference, ever or at the end.

    `when` : share of labels then.
    """

    stated: float
    every_look: float
    once_at_the_end: float
    when: float


def shares(measure: str, n_campaigns: int, *, better_by: float = 0.0) -> Shares:
    stated, every, once, when = [], [], [], []
    own_levels = np.array(levels([look + 1 for look in STATED], alpha=ALPHA))
    for seed in range(n_campaigns):
        differences = getattr(campaign(seed, better_by=better_by), measure)
        at_stated = p_values(differences[list(STATED)], 10_000) < own_levels
        stated.append(at_stated.any())
        every.append((p_values(differences, 1_000) < ALPHA).any())
        once.append(p_values(differences[-1:], 10_000)[0] < ALPHA)
        if at_stated.any():
            when.append((STATED[int(at_stated.argmax())] + 1) / N_LOOKS)
    return Shares(*map(float, (np.mean(stated), np.mean(every), np.mean(once), np.mean(when))))


def test_the_tosses_here_decide_as_the_house_does():
    for seed in range(6):
        differences = campaign(seed, better_by=0.5).average_precision[-1]
        scores = np.column_stack([1 + differences, np.ones(N_QUERIES)])
        p = p_values(differences[None], 10_000)[0]
        # 1,000 and more of 10,000 samples, or hardly any: far from chance
        for alpha in (p * 0.7, p * 1.4):
            if abs(alpha - p) > 0.005:
                verdicts = decide(scores, method="randomized-tukey", alpha=alpha)
                assert bool(verdicts.significant.any()) == (p < alpha)


def test_two_equal_systems_are_hardly_ever_decided_at_stated_looks_but_often_at_every_look():
    decided_shares = shares("precision", 200)
    assert decided_shares.stated <= ALPHA < 0.15 < decided_shares.every_look


@pytest.mark.heavy
@pytest.mark.parametrize("measure", Campaign._fields)
def test_in_two_thousand_campaigns_of_equal_systems(measure):
    decided_shares = shares(measure, 2_000)
    print(f"\n{measure}, equal: {decided_shares}")
    assert decided_shares.stated <= ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / 2_000)
    assert decided_shares.every_look > 0.15
    assert decided_shares.once_at_the_end == pytest.approx(ALPHA, abs=0.015)


@pytest.mark.heavy
def test_what_stated_looks_cost_where_there_is_a_difference():
    decided_shares = shares("average_precision", 1_000, better_by=BETTER_BY)
    print(f"\ndifferent: {decided_shares}")
    assert (
        decided_shares.once_at_the_end - 0.1
        < decided_shares.stated
        < decided_shares.once_at_the_end + 0.02
    )


def ever_below(mark: float, n_golds: int, n_streams: int, *, share: float) -> float:
    """Share of streams of answers ever shown to be below a mark, looking after each answer."""
    highest = [
        max((k for k in range(n + 1) if is_below(k, n, threshold=mark)), default=-1)
        for n in range(1, n_golds + 1)
    ]
    right = np.cumsum(np.random.default_rng(3).random((n_streams, n_golds)) < share, axis=1)
    return float((right <= np.array(highest)).any(axis=1).mean())


def ever_above(n_from: int, n_most: int, n_streams: int, *, share: float) -> tuple[float, float]:
    """Shares of streams where the limit, or a 95 % interval's lower end, ever exceeds the truth."""
    n = np.arange(n_from, n_most + 1)
    value = (
        np.cumsum(np.random.default_rng(4).random((n_streams, n_most)) < share, axis=1)[
            :, n_from - 1 :
        ]
        / n
    )
    error = np.sqrt(value * (1 - value) / n)
    far = np.array(
        [-time_uniform_lower_limit(0, error=1, n=int(n_labels), tuned_for=n_from) for n_labels in n]
    )
    return tuple(float((value - times * error > share).any(axis=1).mean()) for times in (far, 1.96))


def test_a_share_at_the_mark_is_hardly_ever_said_to_be_below_it():
    assert ever_below(0.8, 150, 1_000, share=0.8) <= ALPHA
    assert ever_below(0.8, 150, 200, share=0.6) > 0.95


def test_a_limit_that_is_looked_at_all_the_time_hardly_ever_lies_above_the_truth():
    ours, usual = ever_above(100, 1_000, 1_000, share=0.7)
    assert ours <= ALPHA < usual


@pytest.mark.heavy
def test_alarms_in_two_thousand_streams():
    below, (above, usual) = (
        ever_below(0.8, 600, 2_000, share=0.8),
        ever_above(100, 5_000, 2_000, share=0.7),
    )
    print(f"\nbelow {below}, above {above}, usual {usual}")
    assert max(below, above) <= ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / 2_000)
    assert usual > 0.15
