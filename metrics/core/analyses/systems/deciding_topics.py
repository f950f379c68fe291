"""Topics that decide which of two runs is ahead, and the order of all runs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.rounding import rounding, with_ties, without_offset

_CELLS_A_BLOCK = 1 << 20


class DecidingTopics(NamedTuple):
    """The effect of each of T topics on the lead of one run over another one, and all pairs.

    lead : mean difference of the two, 0 or above; 0 where they are equal but for rounding
    difference : (T,) of the two on the topic; lead_without : (T,) the lead without the topic
    n_turned : (T,) pairs of all runs in the opposite order without the topic
    by_influence : (T,) numbers of the topics by what leaving them out changes in the lead, the
        largest change first
    for_leader : (T,) numbers of the topics by what they add to the lead, the largest first
    leads_left : (T,) the lead without the first 0, 1, ..., T - 1 of `for_leader`
    n_to_turn : the smallest number of topics without which the order of the two is turned; None
        where no topic is against it, and where they are equal
    """

    lead: float
    difference: NDArray[np.float64]
    lead_without: NDArray[np.float64]
    n_turned: NDArray[np.int64]
    by_influence: NDArray[np.int64]
    for_leader: NDArray[np.int64]
    leads_left: NDArray[np.float64]
    n_to_turn: int | None


def deciding_topics(
    scores: NDArray[np.float64],
    *,
    first: int,
    second: int,
    weight: NDArray[np.float64] | None = None,
) -> DecidingTopics:
    """Leave out one topic after the other, and those that favour the first run most.

    scores : (T, S) finite, larger better, T >= 2; first, second : numbers of two runs, the mean of
        the first being no worse
    weight : (T,) topics that each represents, None for 1 each
    A difference of means is turned by the fewest topics if those that add most to it go first, so
    no set of fewer does it. An order that is level but for rounding is not turned.
    """
    n = len(scores)
    weight = np.ones(n) if weight is None else weight
    difference = scores[:, first] - scores[:, second]
    parts = difference * weight
    whole, least = float(weight.sum()), rounding(scores)
    lowest = least * whole
    total = float(parts.sum())
    lead = 0.0 if abs(total) <= lowest else total / whole
    lead_without = (total - parts) / (whole - weight)
    # what a topic changes, times the weight of all: no small difference of two leads
    change = np.abs(lead * weight - parts) * (whole / (whole - weight))
    for_leader = np.argsort(-parts, kind="stable")
    # from the other end, so that the last of them is the smallest part itself
    sums = np.cumsum(parts[for_leader][::-1])[::-1]
    turned = np.flatnonzero(sums < -lowest)
    return DecidingTopics(
        lead=lead,
        difference=difference,
        lead_without=lead_without,
        n_turned=turned_pairs(without_offset(scores) * weight[:, None], within=lowest),
        by_influence=np.argsort(-with_ties(change, within=least), kind="stable"),
        for_leader=for_leader,
        leads_left=sums / np.cumsum(weight[for_leader][::-1])[::-1],
        n_to_turn=int(turned[0]) if lead and len(turned) else None,
    )


def turned_pairs(parts: NDArray[np.float64], *, within: float) -> NDArray[np.int64]:
    """(T,) pairs of runs whose order of sums is the opposite one without the topic.

    parts : (T, S) of the sums; sums within so much of each other are equal, and not turned
    """
    total = parts.sum(axis=0)
    first, second = np.triu_indices(parts.shape[1], k=1)
    sign = _signs(total[first] - total[second], within)
    n_turned = np.empty(len(parts), dtype=np.int64)
    step = max(1, _CELLS_A_BLOCK // len(first))
    for start in range(0, len(parts), step):
        sums = total - parts[start : start + step]
        signs = _signs(sums[:, first] - sums[:, second], within)
        n_turned[start : start + step] = np.count_nonzero(signs * sign < 0, axis=1)
    return n_turned


def _signs(values: NDArray[np.float64], lowest: float) -> NDArray[np.float64]:
    return np.sign(np.where(np.abs(values) <= lowest, 0, values))
