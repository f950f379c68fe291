"""The day on which a campaign is done, as a range, from the labels of its last days."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics.core.statistics.pace import MAX_DAYS, MIN_DAYS

N_REPLICATES = 1_000
HORIZON = 366  # days ahead; what takes longer has no day
CONFIDENCE = 0.95


class DaysLeft(NamedTuple):
    """Whole days until the last label, from and to; None where it takes more than a year."""

    low: int | None
    high: int | None


def recent_days(counts_by_day: Sequence[tuple[int, int]], *, today: int) -> list[int] | None:
    """Labels of each of the last fourteen whole days, days without labels counted as 0.

    counts_by_day : (day, labels) of the days that had any; days are whole numbers, one apart
    today : it is under way, and left out; days before the first label are, too

    None where fewer than three days before today had labels.
    """
    counts = {day: n for day, n in counts_by_day if day < today}
    if len(counts) < MIN_DAYS:
        return None
    first = max(min(counts), today - MAX_DAYS)
    return [counts.get(day, 0) for day in range(first, today)]


def days_left(counts: Sequence[int], *, n_left: int) -> DaysLeft | None:
    """Days until `n_left` labels are given at the pace of the last days; None at a pace of zero.

    counts : labels of each recent day, oldest first

    A bootstrap of days (Efron 1979, doi:10.1214/aos/1176344552). Each of 1,000 replicates draws as
    many days from the recent ones as they are, with replacement, which is a pace that they might
    have had, and then day by day from these until the labels are reached. The range holds the
    middle 95 % of the replicates; both the pace and the days to come are uncertain in it. Days are
    taken for alike and independent: weekends, people who come or leave, and labels that
    disagreements add are not foreseen. The seed is a hash of the inputs.
    """
    days = np.asarray(counts, dtype=np.int64)
    if not days.sum():
        return None
    digest = hashlib.sha256(f"{days.tolist()} {n_left}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    paces = days[rng.integers(len(days), size=(N_REPLICATES, len(days)))]
    draws = rng.integers(len(days), size=(N_REPLICATES, HORIZON))
    sums = np.take_along_axis(paces, draws, axis=1).cumsum(axis=1)
    needed = np.sort((sums < n_left).sum(axis=1) + 1)
    tail = (1 - CONFIDENCE) / 2
    ends = (needed[int(N_REPLICATES * share)] for share in (tail, 1 - tail))
    low, high = (int(end) if end <= HORIZON else None for end in ends)
    return DaysLeft(low, high)
