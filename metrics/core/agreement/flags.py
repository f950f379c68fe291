"""Flags on one annotator's labels for a lead: too fast, one level only, drifting; with evidence.

A flag accuses nobody. It names the numbers that fired it, so that a lead can look at the labels and
ask.
"""

from typing import NamedTuple

from scipy import special

from metrics.core.comparisons.significance import fisher

# of the others' median time: cuts of this size mark speeders in surveys (see too_fast)
FAST_SHARE = 1 / 3
FAST_LABELS = 20
ONE_LEVEL_SHARE = 0.95
ONE_LEVEL_LABELS = 30
DRIFT_LABELS = 30  # shared labels in each half
DRIFT_STEP = 0.10
SURE = 0.001  # of one person by chance; among a hundred people one false flag in ten campaigns


class Flag(NamedTuple):
    """The reason to look at an annotator's labels: a name, and the numbers in a sentence."""

    name: str
    evidence: str


def too_fast(median_ms: float | None, others_ms: float | None, n_timed: int) -> Flag | None:
    """Flag a median active time below a third of the others' median, from 20 labels on.

    Cuts relative to the median are usual for speeders: Greszki, Meyer and Schoen 2015,
    doi:10.1093/poq/nfu058.
    """
    if (
        median_ms is None
        or not others_ms
        or n_timed < FAST_LABELS
        or median_ms >= FAST_SHARE * others_ms
    ):
        return None
    return Flag(
        "too fast",
        f"{median_ms / 1000:.1f} s a label at the median of {n_timed:,} labels; the others "
        f"{others_ms / 1000:.1f} s.",
    )


def one_level(own_counts: list[int], other_shares: list[float], names: list[str]) -> Flag | None:
    """Flag one level for 95 % of 30 labels or more, where others' labels make that unlikely.

    own_counts : labels of each level on pairs that others labelled, too
    other_shares : the share of each level among theirs
    Unlikely: below .001 in the upper tail of the binomial distribution of that many labels at the
    others' share.
    """
    n = sum(own_counts)
    top = max(range(len(own_counts)), key=own_counts.__getitem__, default=0)
    if n < ONE_LEVEL_LABELS or own_counts[top] < ONE_LEVEL_SHARE * n:
        return None
    if special.bdtrc(own_counts[top] - 1, n, other_shares[top]) >= SURE:
        return None
    return Flag(
        "one level only",
        f"“{names[top]}” for {own_counts[top]:,} of {n:,} labels "
        f"({100 * own_counts[top] / n:.0f} %); others give it to "
        f"{100 * other_shares[top]:.0f} % on the same pairs.",
    )


def drift(first: tuple[int, int], second: tuple[int, int]) -> Flag | None:
    """Flag agreement with others that moved by ten points between the halves of the labels.

    Only where that is not by chance.
    first, second : (labels that equal the other's, all) on shared pairs in the order of time, 30 or
        more in each half
    By chance: Fisher's exact test of the two shares, two-sided, p of .001 or more.
    """
    (hits, n), (later_hits, later_n) = first, second
    if min(n, later_n) < DRIFT_LABELS or abs(hits / n - later_hits / later_n) < DRIFT_STEP:
        return None
    if fisher(first, second) >= SURE:
        return None
    return Flag(
        "drifting",
        f"Equal to another label in {100 * hits / n:.0f} % of the first {n:,} comparisons and in "
        f"{100 * later_hits / later_n:.0f} % of the last {later_n:,}.",
    )
