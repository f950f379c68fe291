"""Numbers of queries for an error or a difference, of scores topic by topic."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from metrics.charts.analyses.planner.differences import DifferencePlan, difference_result
from metrics.charts.analyses.planner.error_distributions import distribution_result
from metrics.charts.analyses.planner.errors import ErrorPlan, error_result
from metrics.charts.analyses.planner.plans import JudgingCost, PlannedQueries
from metrics.charts.analyses.planner.sampling_errors import RunErrors, sampling_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.planner.error_distributions import error_distributions
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import seed_of
from metrics.core.statistics.rounding import rounding
from metrics.core.statistics.sample_sizes import (
    ErrorQuantiles,
    MiddleBySpread,
    error_quantiles,
    middle_pair,
    middle_run,
    queries_for_difference,
    queries_for_error,
    simulated_power,
)
from metrics.core.statistics.two_values import TwoValues
from metrics.score_files.plan_numbers import PlanNumbers
from metrics.score_files.requests import FileRequest, NotDefined
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)

MOST_CURVES = 4  # runs whose lines can be told apart
N_SAMPLES, N_SAMPLES_OF_ONE = 2_000, 10_000  # for several runs or errors, and for one run
SIZES = (10, 25, 50, 100, 250, 500, 1_000, 3_000, 10_000, 30_000)
PARTS = (10, 4, 2)  # of the queries that a distribution is of: a tenth, a quarter, half
BEYOND = 4  # times the queries there are: the largest sample of others like them
QUANTILES = (0.5, 0.75, 0.95, 0.99)
ERRORS = (0.1, 0.05, 0.03, 0.02, 0.01, 0.005)
DIFFERENCES = (0.1, 0.05, 0.03, 0.02, 0.01, 0.005)
POWERS = (0.8, 0.9)
MOST_SIMULATED = 20_000  # queries of a simulated test


def sampling_errors_of_file(request: FileRequest) -> AnalysisResult:
    """The error of a sample of the topics for each of the first runs of a file."""
    return sampling_errors(topic_scores_of_file(request, least=1), request.plan)


def error_distribution_of_file(request: FileRequest) -> AnalysisResult:
    """The distribution of the errors at some sizes, for the run of a file in the middle."""
    return error_distribution(topic_scores_of_file(request, least=1), request.plan, None)


def for_error_of_file(request: FileRequest) -> AnalysisResult:
    """The topics for each of some errors of a score, from a file."""
    return error_result(error_plan(topic_scores_of_file(request, least=1), request.plan), None)


def for_difference_of_file(request: FileRequest) -> AnalysisResult:
    """The topics for each of some differences of two runs, from a file."""
    return difference_result(difference_plan(topic_scores_of_file(request), request.plan), None)


def own_sizes(scores: TopicScores, plan: PlanNumbers, *, most: int) -> set[int]:
    """The size of a sample that somebody typed, or none; raises NotDefined above the largest."""
    n, noun = len(scores.topics), scores.topic_noun
    if plan.n is not None and plan.n > most:
        raise NotDefined(
            f"A sample of {plan.n:,} cannot be drawn of {n:,} {noun}: choose 1 to {most:,}."
        )
    return set() if plan.n is None else {plan.n}


def steps_with(own: float | None, steps: Sequence[float], scores: TopicScores) -> list[float]:
    """Errors or differences from the largest, with the one that somebody typed.

    Raises NotDefined for one of 1 or more where scores are from 0 to 1: no mean is that far off.
    """
    unit = _scale(scores)
    if own is not None and own >= 1 and 0 <= scores.values.min() <= scores.values.max() <= 1:
        raise NotDefined(f"Scores are from 0 to 1 here: choose a number below 1, not {own:g}.")
    return sorted({step * unit for step in steps} | ({own} if own else set()), reverse=True)


def sampling_errors(scores: TopicScores, plan: PlanNumbers) -> AnalysisResult:
    """The error of a sample for each of the first runs."""
    n = len(scores.topics)
    middle = middle_run(scores.values, scores.groups).position
    columns = list(range(len(scores.runs)))[:MOST_CURVES]
    if middle not in columns:
        columns[-1] = middle
    sizes = {size for size in SIZES if size <= BEYOND * n} | {n}
    own_size = own_sizes(scores, plan, most=BEYOND * n) - sizes
    curves = [
        RunErrors(
            scores.runs[column],
            _size_errors(scores.values[:, column], scores.groups, sorted(sizes), sorted(own_size)),
        )
        for column in columns
    ]
    population = planned_queries(scores, scores.values[:, columns], N_SAMPLES)
    nouns = scores.nouns
    if (n_runs := len(scores.runs)) > MOST_CURVES:
        note = f"Of the first {MOST_CURVES} of the {n_runs:,} runs."
        if columns[-1] == middle:
            note = (
                f"Of the first {MOST_CURVES - 1} of the {n_runs:,} runs and {scores.runs[middle]}, "
                "whose scores spread in the middle of all."
            )
        nouns = nouns._replace(notes=[*nouns.notes, note])
    return sampling_result(
        curves,
        nouns,
        population,
        measure=scores.measure,
        middle=columns.index(middle),
        own_size=plan.n,
    )


def _size_errors(
    values: NDArray[np.float64], groups: Groups, *lists_of_sizes: list[int]
) -> list[ErrorQuantiles]:
    """The errors of a run by size; samples of one list of sizes tell nothing of another list's."""
    rows = [
        row
        for sizes in lists_of_sizes
        for row in error_quantiles(
            values, sizes, quantiles=QUANTILES, groups=groups, n_samples=N_SAMPLES
        )
    ]
    return sorted(rows, key=lambda row: row.size)


def planned_queries(
    scores: TopicScores, values: NDArray[np.float64], n_samples: int
) -> PlannedQueries:
    """The queries that samples are of; values : (Q, S) scores of some runs on them."""
    shares = scores.groups.apart.shares(values)
    is_exact = all(TwoValues.of(run_shares) is not None for run_shares in shares.T)
    return PlannedQueries(len(scores.topics), scores.groups.n, scores.unit, n_samples, is_exact)


def middle_with_spread(scores: TopicScores) -> tuple[MiddleBySpread, NDArray[np.float64]]:
    """The run in the middle and its (Q,) scores; raises NotDefined where all are equal."""
    middle = middle_run(scores.values, scores.groups)
    values = scores.values[:, middle.position]
    if np.ptp(values) <= rounding(values):
        raise NotDefined(
            f"{scores.runs[middle.position]}, the run in the middle, has the same score "
            "everywhere, so that its error is not known: choose other runs or another measure."
        )
    return middle, values


def error_distribution(
    scores: TopicScores, plan: PlanNumbers, cost: JudgingCost | None
) -> AnalysisResult:
    """The distribution of the errors at some sizes, for the run in the middle."""
    middle, values = middle_with_spread(scores)
    n, nouns = len(scores.topics), scores.nouns
    if plan.n is not None and plan.n > n:
        note = (
            f"A sample of {plan.n:,} cannot be drawn of {n:,} {scores.topic_noun} once each, and "
            "has no row. “sampling-error” is of others like these too."
        )
        plan, nouns = plan._replace(n=None), nouns._replace(notes=[*nouns.notes, note])
    sizes = sorted({max(1, n // part) for part in PARTS} | own_sizes(scores, plan, most=n))
    return distribution_result(
        error_distributions(values, sizes, groups=scores.groups, n_samples=N_SAMPLES_OF_ONE),
        scores.runs[middle.position],
        middle,
        planned_queries(scores, values[:, None], N_SAMPLES_OF_ONE),
        measure=scores.measure,
        nouns=nouns,
        own_size=plan.n,
        cost=cost,
    )


def error_plan(scores: TopicScores, plan: PlanNumbers) -> ErrorPlan:
    """The topics for each of some errors of a score."""
    middle, values = middle_with_spread(scores)
    errors = steps_with(plan.error, ERRORS, scores)
    of_these, like_these = (
        [
            queries_for_error(
                values, error, of_these=of_these, groups=scores.groups, n_samples=N_SAMPLES
            )
            for error in errors
        ]
        for of_these in (True, False)
    )
    return ErrorPlan(
        scores.runs[middle.position],
        middle,
        errors,
        [size or len(values) for size in of_these],  # never more than there are
        like_these,
        planned_queries(scores, values[:, None], N_SAMPLES),
        scores.measure,
        scores.nouns,
        plan.error,
    )


def difference_plan(scores: TopicScores, plan: PlanNumbers) -> DifferencePlan:
    """The topics for each of some differences of the pair in the middle."""
    pairs = list(combinations(range(len(scores.runs)), 2))
    middle = middle_pair(scores.values, pairs, scores.groups)
    first, second = pairs[middle.position]
    values = scores.values[:, first] - scores.values[:, second]
    if np.ptp(values) <= rounding(scores.values):
        raise NotDefined(
            f"{scores.runs[first]} and {scores.runs[second]}, the pair in the middle, differ by "
            "the same everywhere, so that their spread is not known: choose other runs."
        )
    differences = steps_with(plan.difference, DIFFERENCES, scores)
    powers = list(dict.fromkeys([plan.power or POWERS[0], *POWERS]))
    sizes = [
        [
            queries_for_difference(values, difference, groups=scores.groups, power=power)
            for difference in differences
        ]
        for power in powers
    ]
    shares = scores.groups.shares(values)
    simulated = [
        None
        if row.n_groups is None or row.n_groups > MOST_SIMULATED
        else simulated_power(
            np.sort(shares),
            difference,
            max(row.n_groups, 2),
            rng=np.random.default_rng(seed_of(np.sort(shares)[:, None])),
        )
        for difference, row in zip(differences, sizes[0], strict=True)
    ]
    names = (scores.runs[first], scores.runs[second])
    return DifferencePlan(
        names,
        middle,
        differences,
        powers,
        sizes,
        simulated,
        PlannedQueries(len(scores.topics), scores.groups.n, scores.unit),
        scores.measure,
        scores.nouns,
        plan.difference,
        plan.power,
    )


def _scale(scores: TopicScores) -> float:
    """The unit of errors: 1 for scores from 0 to 1, else the mean size of a score."""
    sizes = np.abs(scores.values)
    return 1.0 if sizes.max() <= 1 else float(f"{sizes.mean():.1g}")
