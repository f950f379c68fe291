"""Guards: rules that watch each person's answers, and name her where chance hardly explains them.

A guard is looked at after every answer. Of an honest person's looks at speed, clips and runs, all
those in a day of work (DAY_ANSWERS answers) name her with a chance of DAY_CHANCE at most: each look
has its part of that chance, and the parts add up (the union bound, Bonferroni), however the looks
overlap. Golds are held to an interval of 95 % at each look; docs/numbers.md has how often that
names whom. A guard accuses nobody: it says where to look.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.statistics.intervals import wilson

DAY_ANSWERS = 2_000
DAY_CHANCE = 0.01  # of an honest person, of one guard, in a day of work
LOOK_CHANCE = DAY_CHANCE / DAY_ANSWERS
LAST_ANSWERS = 50  # of which a share is taken
MIN_ANSWERS = 20
MIN_GOLDS = 20
MIN_LEVELS = 100  # answers by which others are known


class Excess(NamedTuple):
    """More answers of a kind among the last ones than an honest person gives.

    n_hits, n : of the last n answers; n_expected : at most so many, on average
    low, high : Wilson's 95 % interval of the share
    """

    n_hits: int
    n: int
    n_expected: float
    low: float | None
    high: float | None


class LongRun(NamedTuple):
    """One level so often in a row that chance hardly explains it.

    level : its position; length : answers in a row
    n_expected : the longest run that a day's answers may hold
    chance : an upper bound of the chance of a run this long in a day's answers
    """

    level: int
    length: int
    n_expected: int
    chance: float


class AnswerCounts(NamedTuple):
    """Answers by their level, each a (V,) array of counts.

    n_answers : all; n_followed : those with an answer after them; n_stays : those after which the
    same level came again
    """

    n_answers: NDArray[np.int64]
    n_followed: NDArray[np.int64]
    n_stays: NDArray[np.int64]


class GoldShare(NamedTuple):
    """Golds right below a mark; low, high : Wilson's 95 % interval of the share."""

    n_right: int
    n: int
    low: float
    high: float


def excess(n_hits: int, n: int, *, allowed_share: float) -> Excess | None:
    """Too many hits among the last n answers: a binomial tail of LOOK_CHANCE or less.

    n_hits : 0 to n; allowed_share : above 0 and below 1, the largest share of an honest person.
    None below MIN_ANSWERS. One answer proves nothing: a level given at once may be plain. For
    whoever is at the allowed share, answers independent, a look names with LOOK_CHANCE at most.
    Equals scipy.stats.binom.sf(n_hits - 1, n, allowed_share) held to LOOK_CHANCE.
    """
    if n < MIN_ANSWERS or not n_hits:
        return None
    if special.bdtrc(n_hits - 1, n, allowed_share) > LOOK_CHANCE:
        return None
    low, high = wilson(n_hits, n)
    return Excess(n_hits, n, n * allowed_share, low, high)


def run_chance(length: int, *, share: float, stay: float, n: int = DAY_ANSWERS) -> float:
    """An upper bound of the chance that n answers hold a run of a level this long; at most 1.

    length : 1 or more; share : of the level among all answers; stay : of those that follow one of
    this level; both in [0, 1]
    Answers are a Markov chain of two states that is in balance: a run begins with the first answer
    (share), or after another level (share x (1 - stay) for each later one), and goes on with
    stay^(length - 1). The bound adds these up; where it is small it is nearly the chance. With stay
    equal to share answers are independent.
    """
    if length > n:
        return 0.0
    starts = share * (1 + (n - length) * (1 - stay))
    return float(min(1.0, starts * stay ** (length - 1)))


def level_counts(levels: NDArray[np.int64], *, n_levels: int) -> AnswerCounts:
    """Count a person's answers; levels : (n,) positions of levels, in the order of time."""
    earlier, later = levels[:-1], levels[1:]
    return AnswerCounts(
        np.bincount(levels, minlength=n_levels),
        np.bincount(earlier, minlength=n_levels),
        np.bincount(earlier[earlier == later], minlength=n_levels),
    )


def long_run(
    levels: NDArray[np.int64], of_others: AnswerCounts, *, chance: float
) -> LongRun | None:
    """The longest run of one level in a person's last answers, where it is too long for chance.

    levels : (n,) positions of levels, in the order of time; of_others : what other people gave
    chance : above 0, of a run this long in a day's answers; more is not worth a word
    By the others' share of the level, and how often it follows itself (the pairs of a query come
    together), each the upper end of its 95 % interval; by the person's own answers beside the run
    where others gave fewer than MIN_LEVELS. None where neither are enough, and without answers.
    """
    start, length = longest_run(levels)
    counts = of_others
    if of_others.n_answers.sum() < MIN_LEVELS:
        n_levels = len(of_others.n_answers)
        parts = (levels[:start], levels[start + length :])
        before, after = (level_counts(part, n_levels=n_levels) for part in parts)
        counts = AnswerCounts(*(np.sum(pair, axis=0) for pair in zip(before, after, strict=True)))
    n = int(counts.n_answers.sum())
    if n < MIN_LEVELS or not length:
        return None
    level = int(levels[start])
    share = wilson(int(counts.n_answers[level]), n).high or 0.0
    stay = max(share, wilson(int(counts.n_stays[level]), int(counts.n_followed[level])).high or 0.0)
    run = run_chance(length, share=share, stay=stay)
    if run > chance:
        return None
    n_expected = length
    while n_expected and run_chance(n_expected, share=share, stay=stay) <= chance:
        n_expected -= 1
    return LongRun(level, length, n_expected, run)


def longest_run(levels: NDArray[np.int64]) -> tuple[int, int]:
    """The start and the length of the longest run of equal values, the first of several; (0, 0)."""
    if not len(levels):
        return 0, 0
    starts = np.concatenate([[0], np.flatnonzero(levels[1:] != levels[:-1]) + 1])
    lengths = np.diff(np.append(starts, len(levels)))
    longest = int(lengths.argmax())
    return int(starts[longest]), int(lengths[longest])


def gold_share(n_right: int, n: int, *, mark: float) -> GoldShare | None:
    """Golds right whose interval ends below a mark, from MIN_GOLDS golds on; else None.

    n_right : 0 to n; mark : above 0, at most 1
    """
    low, high = wilson(n_right, n)
    if n < MIN_GOLDS or low is None or high is None or high >= mark:
        return None
    return GoldShare(n_right, n, low, high)
