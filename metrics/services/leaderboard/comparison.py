"""Two runs query by query: sorted differences, paired tests, and the queries that differ most."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.comparisons.missing_queries import MISSING_QUERIES
from metrics.core.comparisons.significance import TESTS, ZERO_ONE_TESTS, PairedTest, paired_test
from metrics.core.comparisons.swaps import reer_paired, reversal
from metrics.core.statistics.groups import design
from metrics.core.statistics.intervals import Interval, mean_intervals
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard.choices.choices import LeaderboardSpec, is_stored
from metrics.services.leaderboard.stored_scores import StoredScores
from metrics.services.samples.estimates import EstimateKind
from metrics.services.samples.pools import names_from_facts
from pooling.models import Run

N_NAMED = 15  # queries named at either end
MAX_POINTS = 400  # of the plot
N_SAMPLES = 10_000
_NOT_COMPARED = {
    EstimateKind.APPROXIMATE: "{} is only approximately estimated from the sample that {} is",
    EstimateKind.NOT_ESTIMABLE: "{} counts as irrelevant what {} did not draw",
}
CELLS = 200_000_000  # tosses at most: for very many queries fewer samples


def summary(
    *, collection: Collection, spec: LeaderboardSpec, runs: Sequence[Run]
) -> dict[str, Any]:
    """Return the numbers of the comparison page as JSON, {"why": ...} if there are none.

    runs : those of `spec`, in its order, as far as they are still in use
    """
    if len(runs) != 2 or runs[0].direction != runs[1].direction:
        return {
            "why": (
                "Two runs of one direction are compared; one of them is gone or of the other "
                "direction."
            )
        }
    sets = QuerySet.objects.filter(
        collection=collection, name=spec.query_set, direction=runs[0].direction
    )
    query_set = sets.first()
    if query_set is None:
        return {"why": f"The query set “{spec.query_set}” has no queries in this direction."}
    inputs = choice_values.direction_inputs(collection=collection, spec=spec, query_set=query_set)
    pair_values = _run_pair_values(inputs, runs)
    if pair_values.kind in _NOT_COMPARED:
        why = _NOT_COMPARED[pair_values.kind].format(
            spec.measures[0], ", ".join(names_from_facts(inputs.undrawn.facts() or {}))
        )
        return {"why": f"{why}, so the two are not compared by it."}
    first, second = pair_values.values
    if spec.missing == MISSING_QUERIES and not pair_values.in_both.all():
        inputs = choice_values.restricted(inputs, pair_values.in_both)
        first, second = first[pair_values.in_both], second[pair_values.in_both]
    if not len(first):
        return {"why": "No query is left."}
    if not np.isfinite([first, second]).all():
        return {"why": "Some query has no value, or a rank beyond the end of a list."}
    facts = {
        "groups": inputs.group_facts._asdict(),
        "n_missing": pair_values.n_missing,
        "missing": spec.missing,
    }
    subject = {"why": "", "query_set": query_set.pk, "kind": pair_values.kind}
    return {**subject, **facts, **_comparison_facts(inputs, first, second)}


class _RunPairValues(NamedTuple):
    """Values of both runs, (2, Q), their kind, and the queries that they miss.

    n_missing : for each run; in_both : (Q,) mask of the queries that both runs hold
    """

    values: NDArray[np.float64]
    kind: EstimateKind
    n_missing: list[int]
    in_both: NDArray[np.bool_]


def _run_pair_values(inputs: choice_values.DirectionInputs, runs: Sequence[Run]) -> _RunPairValues:
    """Read stored values of both runs, or measure them, or estimate them if a pool is a sample."""
    spec = inputs.spec
    if not inputs.undrawn and is_stored(collection=inputs.collection, spec=spec):
        stored_scores = StoredScores(
            collection=inputs.collection, spec=spec, query_set=inputs.query_set, runs=runs
        )
        if len(stored_scores.runs) == len(runs):
            values = stored_scores.per_query(spec.measures[0], runs).T
            return _RunPairValues(
                values,
                EstimateKind.EXACT,
                stored_scores.n_missing(runs),
                np.ones(values.shape[1], dtype=bool),
            )
    run_values = [choice_values.measure_run(inputs=inputs, run=run) for run in runs]
    (kind,) = choice_values.replace_by_estimates(inputs=inputs, runs=runs, run_values=run_values)
    is_missing = np.array([values.is_missing for values in run_values])
    n_missing = np.count_nonzero(is_missing, axis=1).tolist()
    return _RunPairValues(
        np.array([values.whole[0] for values in run_values]),
        kind,
        n_missing,
        np.asarray(~is_missing.any(axis=0)),
    )


def _comparison_facts(
    inputs: choice_values.DirectionInputs, first: NDArray[np.float64], second: NDArray[np.float64]
) -> dict[str, Any]:
    difference = first - second
    order = np.argsort(-difference, kind="stable")
    interval = _interval(inputs, difference)
    queries = np.unique(
        np.linspace(0, len(order) - 1, min(len(order), MAX_POINTS)).round().astype(int)
    )
    shares = inputs.groups.shares(np.stack([first, second], axis=1))
    swaps = (
        {"reversal": reversal(*shares.T), "reer": reer_paired(*shares.T)} if len(shares) > 1 else {}
    )
    return {
        "n_queries": len(difference),
        "means": [float(inputs.groups.mean(first)), float(inputs.groups.mean(second))],
        "difference": float(inputs.groups.mean(difference)),
        "low": interval.low,
        "high": interval.high,
        "n_better": int(np.count_nonzero(difference > 0)),
        "n_worse": int(np.count_nonzero(difference < 0)),
        "n_equal": int(np.count_nonzero(difference == 0)),
        "swaps": swaps,
        "tests": [_test_facts(test) for test in _tests(inputs, first, second)],
        **design(difference, inputs.groups)._asdict(),
        "points": [[int(position) + 1, float(difference[order[position]])] for position in queries],
        "ends": _extreme_queries(inputs, order, first, second),
    }


def _interval(inputs: choice_values.DirectionInputs, difference: NDArray[np.float64]) -> Interval:
    """Student's interval, which belongs to the paired t test.

    Shares cannot differ by more than 1.
    """
    low, high = mean_intervals(difference[None, :], are_shares=False, groups=inputs.groups)[0]
    if low is None or high is None or not inputs.measures[0].is_share:
        return Interval(low, high)
    return Interval(max(low, -1.0), min(high, 1.0))


def _tests(
    inputs: choice_values.DirectionInputs, first: NDArray[np.float64], second: NDArray[np.float64]
) -> list[PairedTest]:
    n_samples = max(1_000, min(N_SAMPLES, CELLS // inputs.groups.n))
    names = [
        name
        for name in TESTS
        if name not in ZERO_ONE_TESTS or are_zero_one(np.stack([first, second]))
    ]
    return [
        paired_test(name, first, second, groups=inputs.groups, n_samples=n_samples)
        for name in names
    ]


def _test_facts(test: PairedTest) -> dict[str, Any]:
    p_value = None if math.isnan(test.p_value) else test.p_value
    statistic = test.statistic if math.isfinite(test.statistic) else None
    return {
        "name": test.name,
        "statistic": statistic,
        "p": p_value,
        "n": test.n,
        "n_tied": test.n_tied,
    }


def _extreme_queries(
    inputs: choice_values.DirectionInputs,
    order: NDArray[np.int64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> list[list[dict[str, Any]]]:
    """List the queries on which the first run leads most, and trails most, without ties."""
    difference = first - second
    leads = [int(position) for position in order[:N_NAMED] if difference[position] > 0]
    trails = [int(position) for position in order[::-1][:N_NAMED] if difference[position] < 0]
    return [
        [
            {
                "item": int(inputs.scope.sources[position]),
                "values": [float(first[position]), float(second[position])],
            }
            for position in positions
        ]
        for positions in (leads, trails)
    ]
