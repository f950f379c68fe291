"""Two runs query by query: sorted differences, paired tests, and the queries that differ most."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Item, QuerySet
from metrics.core.groups import design
from metrics.core.intervals import Interval, mean_intervals
from metrics.core.significance import TESTS, PairedTest, paired_test
from metrics.core.swaps import reer_paired, reversal
from metrics.services import leaderboard_measuring as measuring
from metrics.services.leaderboard_labels import texts_of
from metrics.services.leaderboard_stored import Stored
from metrics.services.leaderboard_wanted import Wanted, is_stored
from metrics.services.sample_estimates import Kind
from pooling.models import Run

N_NAMED = 15  # queries named at either end
MAX_POINTS = 400  # of the plot
N_SAMPLES = 10_000
_NOT_COMPARED = {
    Kind.APPROXIMATE: "{} is only approximately estimated from the sample that pool {} is",
    Kind.NOT_ESTIMABLE: "{} counts as irrelevant what pool {} did not draw of its sample",
}
CELLS = 200_000_000  # tosses at most: for very many queries fewer samples


def summary(*, collection: Collection, wanted: Wanted, runs: Sequence[Run]) -> dict[str, Any]:
    """All that the page says, as JSON; {"why": ...} where the two cannot be compared.

    runs : those of `wanted`, in its order, as far as they are still in use
    """
    if len(runs) != 2 or runs[0].direction != runs[1].direction:
        return {"why": "Two runs of one direction are compared; one of them is gone or of the other direction."}
    sets = QuerySet.objects.filter(collection=collection, name=wanted.query_set, direction=runs[0].direction)
    query_set = sets.first()
    if query_set is None:
        return {"why": f"The query set “{wanted.query_set}” has no queries in this direction."}
    asked = measuring.asked_of(collection=collection, wanted=wanted, query_set=query_set)
    (first, second), kind = _values(asked, runs)
    if kind in _NOT_COMPARED:
        pools = ", ".join(f"“{name}”" for name in asked.undrawn.pools)
        return {"why": f"{_NOT_COMPARED[kind].format(wanted.measures[0], pools)}, so the two are not compared by it."}
    if not len(first) or not np.isfinite([first, second]).all():
        why = "Some query has no value, or a rank beyond the end of a list." if len(first) else "No query is left."
        return {"why": why}
    groups = asked.group_facts._asdict()
    told = {"why": "", "query_set": query_set.pk, "groups": groups, "kind": kind}
    return {**told, **_compared(asked, first, second)}


def _values(asked: measuring.Asked, runs: Sequence[Run]) -> tuple[NDArray[np.float64], Kind]:
    """(2, Q) values of both runs: kept ones, measured ones, or estimates where a pool is a sample."""
    wanted = asked.wanted
    if not asked.undrawn and is_stored(collection=asked.collection, wanted=wanted):
        stored = Stored(collection=asked.collection, wanted=wanted, query_set=asked.query_set, runs=runs)
        if len(stored.runs) == len(runs):
            return stored.per_query(wanted.measures[0], runs).T, Kind.EXACT
    found = [measuring.values_of(asked=asked, run=run) for run in runs]
    (kind,) = measuring.put_estimates(asked=asked, runs=runs, found=found)
    return np.array([values.whole[0] for values in found]), kind


def _compared(asked: measuring.Asked, first: NDArray[np.float64], second: NDArray[np.float64]) -> dict[str, Any]:
    difference = first - second
    order = np.argsort(-difference, kind="stable")
    interval = _interval(asked, difference)
    shown = np.unique(np.linspace(0, len(order) - 1, min(len(order), MAX_POINTS)).round().astype(int))
    shares = asked.groups.shares(np.stack([first, second], axis=1))
    swaps = {"reversal": reversal(*shares.T), "reer": reer_paired(*shares.T)} if len(shares) > 1 else {}
    return {
        "n_queries": len(difference),
        "means": [float(asked.groups.mean(first)), float(asked.groups.mean(second))],
        "difference": float(asked.groups.mean(difference)),
        "low": interval.low,
        "high": interval.high,
        "n_better": int(np.count_nonzero(difference > 0)),
        "n_worse": int(np.count_nonzero(difference < 0)),
        "n_equal": int(np.count_nonzero(difference == 0)),
        "swaps": swaps,
        "tests": [_told(test) for test in _tests(asked, first, second)],
        **design(difference, asked.groups)._asdict(),
        "points": [[int(place) + 1, float(difference[order[place]])] for place in shown],
        "ends": _ends(asked, order, first, second),
    }


def _interval(asked: measuring.Asked, difference: NDArray[np.float64]) -> Interval:
    """Student's, of which the paired t test is the test; shares cannot differ by more than 1."""
    low, high = mean_intervals(difference[None, :], are_shares=False, groups=asked.groups)[0]
    if low is None or high is None or not asked.measures[0].is_share:
        return Interval(low, high)
    return Interval(max(low, -1.0), min(high, 1.0))


def _tests(asked: measuring.Asked, first: NDArray[np.float64], second: NDArray[np.float64]) -> list[PairedTest]:
    n_samples = max(1_000, min(N_SAMPLES, CELLS // asked.groups.n))
    return [paired_test(name, first, second, groups=asked.groups, n_samples=n_samples) for name in TESTS]


def _told(test: PairedTest) -> dict[str, Any]:
    p_value = None if math.isnan(test.p_value) else test.p_value
    statistic = test.statistic if math.isfinite(test.statistic) else None
    return {"name": test.name, "statistic": statistic, "p": p_value, "n": test.n, "n_tied": test.n_tied}


def _ends(
    asked: measuring.Asked, order: NDArray[np.int64], first: NDArray[np.float64], second: NDArray[np.float64]
) -> list[list[dict[str, Any]]]:
    """The queries on which the first run leads most, and those on which it trails most; ties are left out."""
    difference = first - second
    leads = [int(place) for place in order[:N_NAMED] if difference[place] > 0]
    trails = [int(place) for place in order[::-1][:N_NAMED] if difference[place] < 0]
    ids = [int(asked.scope.sources[place]) for place in leads + trails]
    names = dict(Item.objects.filter(pk__in=ids).values_list("pk", "external_id"))
    texts = dict(texts_of(ids))
    return [
        [
            {
                "item": int(asked.scope.sources[place]),
                "name": names[int(asked.scope.sources[place])],
                "text": texts.get(int(asked.scope.sources[place]), "")[:160],
                "values": [float(first[place]), float(second[place])],
            }
            for place in places
        ]
        for places in (leads, trails)
    ]
