"""Two runs query by query: sorted differences, paired tests, and the queries that differ most."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Item, QuerySet
from metrics.core.groups import design
from metrics.core.intervals import Interval, mean_intervals
from metrics.core.significance import OF_ZERO_ONE, TESTS, PairedTest, paired_test
from metrics.core.swaps import reer_paired, reversal
from metrics.core.zero_one import are_zero_one
from metrics.services import leaderboard_measuring as measuring
from metrics.services.leaderboard_labels import texts_of
from metrics.services.leaderboard_stored import Stored
from metrics.services.leaderboard_wanted import MISSING_QUERIES, Wanted, is_stored
from metrics.services.sample_estimates import Kind
from metrics.services.sampled_pools import named
from pooling.models import Run

N_NAMED = 15  # queries named at either end
MAX_POINTS = 400  # of the plot
N_SAMPLES = 10_000
_NOT_COMPARED = {
    Kind.APPROXIMATE: "{} is only approximately estimated from the sample that {} is",
    Kind.NOT_ESTIMABLE: "{} counts as irrelevant what {} did not draw",
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
    found = _both(asked, runs)
    if found.kind in _NOT_COMPARED:
        why = _NOT_COMPARED[found.kind].format(wanted.measures[0], ", ".join(named(asked.undrawn.facts() or {})))
        return {"why": f"{why}, so the two are not compared by it."}
    first, second = found.values
    if wanted.missing == MISSING_QUERIES and not found.is_held.all():
        asked, first, second = _of_queries(asked, found.is_held), first[found.is_held], second[found.is_held]
    if not len(first) or not np.isfinite([first, second]).all():
        why = "Some query has no value, or a rank beyond the end of a list." if len(first) else "No query is left."
        return {"why": why}
    facts = {"groups": asked.group_facts._asdict(), "n_missing": found.n_missing, "missing": wanted.missing}
    told = {"why": "", "query_set": query_set.pk, "kind": found.kind}
    return {**told, **facts, **_compared(asked, first, second)}


class _Both(NamedTuple):
    """(2, Q) values of both runs and what these are, how many queries each misses, and (Q,) which both hold."""

    values: NDArray[np.float64]
    kind: Kind
    n_missing: list[int]
    is_held: NDArray[np.bool_]


def _both(asked: measuring.Asked, runs: Sequence[Run]) -> _Both:
    """Kept values, measured ones, or estimates where a pool is a sample."""
    wanted = asked.wanted
    if not asked.undrawn and is_stored(collection=asked.collection, wanted=wanted):
        stored = Stored(collection=asked.collection, wanted=wanted, query_set=asked.query_set, runs=runs)
        if len(stored.runs) == len(runs):
            values = stored.per_query(wanted.measures[0], runs).T
            return _Both(values, Kind.EXACT, stored.n_missing(runs), np.ones(values.shape[1], dtype=bool))
    found = [measuring.values_of(asked=asked, run=run) for run in runs]
    (kind,) = measuring.put_estimates(asked=asked, runs=runs, found=found)
    is_missing = np.array([values.is_missing for values in found])
    n_missing = np.count_nonzero(is_missing, axis=1).tolist()
    return _Both(np.array([values.whole[0] for values in found]), kind, n_missing, ~is_missing.any(axis=0))


def _of_queries(asked: measuring.Asked, is_in: NDArray[np.bool_]) -> measuring.Asked:
    """What is asked for, on some of the queries."""
    groups, scope = asked.groups.within(is_in), asked.scope._replace(sources=asked.scope.sources[is_in])
    facts = asked.group_facts._replace(n_queries=groups.n_queries, n_groups=groups.n, n_effective=groups.n_effective)
    return asked._replace(scope=scope, groups=groups, group_facts=facts)


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
    names = [name for name in TESTS if name not in OF_ZERO_ONE or are_zero_one(np.stack([first, second]))]
    return [paired_test(name, first, second, groups=asked.groups, n_samples=n_samples) for name in names]


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
