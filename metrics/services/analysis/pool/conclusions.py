"""The conclusions on the chosen runs under other label sets, from the database."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.charts.analyses.pool.conclusions import conclusions_result
from metrics.charts.analyses.pool.label_set_words import MeasureWords, SetKind, SetWords
from metrics.charts.decision_notes import missed_text
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.conclusions import Conclusions, conclusions
from metrics.core.analyses.pool.label_sets import (
    LabelSet,
    MovedScores,
    extreme_scores,
    grade_moves,
    moved_scores,
)
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.measures.bounds import has_bounds
from metrics.core.statistics.rounding import rounding_of_sums
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    names_of,
    no_positive_notes,
    nouns_of,
    refuse_estimates,
    runs_of,
    with_sample_note,
)
from metrics.services.analysis.measures.means import missing_notes
from metrics.services.analysis.pool.graded_pairs import NamedSet
from metrics.services.analysis.pool.label_sets import LabelSets, label_sets
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard.choice_values import DirectionInputs
from pooling.models import Run

WITH_BOUNDS = "table"  # the kind of a spec whose inputs have the pairs without a label
BOUNDS = ("lowest", "highest")


class SetScores(NamedTuple):
    """Scores of S runs on Q queries under many label sets.

    base : (Q, S) under the chosen one; moves : of each run, by label set, what it moves
    ends : (2, Q, S) the least and the most that labels of all could give; zeros without bounds
    n_missing : of each run the queries that it does not answer
    """

    base: NDArray[np.float64]
    moves: list[list[MovedScores]]
    ends: NDArray[np.float64]
    n_missing: list[int]

    def under(self, position: int) -> NDArray[np.float64]:
        """(Q, S) the scores under one of the label sets."""
        values = self.base.copy()
        for number, of_run in enumerate(self.moves):
            values[of_run[position].queries, number] = of_run[position].values
        return values


def conclusions_under_other_labels(request: AnalysisRequest) -> AnalysisResult:
    """The order and the differences of the chosen runs under the label sets beside the chosen."""
    with_bounds = replace(request.spec.scores, kind=WITH_BOUNDS)
    inputs = direction_inputs(request._replace(spec=replace(request.spec, scores=with_bounds)))
    runs = runs_of(request, least=2)
    (measure,) = inputs.measures
    if not measure.is_mean:
        raise NotDefined(f"{measure.name} is a median; differences are of means.")
    if inputs.groups.n < 2:
        queries = inputs.group_facts.queries
        raise NotDefined(f"All {queries} are of one group: how others would differ is not known.")
    if not len(inputs.labels.whole.grade):
        raise NotDefined("None of these queries has a label from the chosen labels.")
    refuse_estimates(inputs, runs)
    sets = label_sets(inputs)
    scores = scores_under_sets(request, inputs, runs, sets)
    names = BOUNDS if has_bounds(measure) else ()
    n_further, n_sets = len(sets.further), len(sets.further) + len(sets.earlier)
    bounds = scores.ends[: len(names)]
    outcome = comparison_of(inputs, scores, chain(map(scores.under, range(n_further)), bounds))
    earlier = comparison_of(inputs, scores, map(scores.under, range(n_further, n_sets)))
    nouns = with_sample_note(nouns_of(inputs), inputs)
    notes = [*nouns.notes, *sets.notes, *no_positive_notes([inputs], [measure])]
    notes += missing_notes(
        runs, scores.n_missing, nouns.queries, outcome=f"count {missed_text([measure])}"
    )
    if not names:
        notes.append(f"{measure.name} has no bounds: what nobody labelled stays without a label.")
    is_two_valued = are_zero_one(scores.base)
    if is_two_valued:
        notes.append(
            f"Scores by {measure.name} are 0 or 1, and Tukey's HSD was made for scores that are "
            "near normal: rely on randomized Tukey for the chosen labels."
        )
    return conclusions_result(
        outcome,
        [
            *words_of(sets.base, sets.further),
            *words_of_bounds(names, scores),
            *words_of(sets.base, sets.earlier),
        ],
        earlier=earlier.of_sets,
        runs=names_of(runs),
        measure=MeasureWords(measure.name, is_two_valued),
        n_groups=inputs.groups.n,
        unit=nouns.queries if inputs.groups.are_single else f"groups of {nouns.queries}",
        nouns=nouns._replace(notes=notes),
    )


def words_of_bounds(names: Sequence[str], scores: SetScores) -> list[SetWords]:
    """The bounds by these names in words."""
    return [
        SetWords(
            SetKind.UNLABELLED,
            f"the {name} scores",
            has_base_scores=bool(np.abs(ends - scores.base).max() <= rounding_of_sums(scores.base)),
        )
        for name, ends in zip(names, scores.ends[: len(names)], strict=True)
    ]


def comparison_of(
    inputs: DirectionInputs, scores: SetScores, tables: Iterable[NDArray[np.float64]]
) -> Conclusions:
    """Compare scores (Q, S) under other label sets, one at a time, with those of the base."""
    (measure,) = inputs.measures
    return conclusions(
        scores.base,
        tables,
        groups=inputs.groups,
        smaller_is_better=measure.entry.smaller_is_better,
    )


def words_of(base: LabelSet, sets: Sequence[NamedSet]) -> list[SetWords]:
    """Label sets in words, with the pairs that have other grades than under the base."""
    return [
        SetWords(
            part.kind,
            part.name,
            part.n_left_out,
            grade_moves(base, part.labels, part.is_lost),
        )
        for part in sets
    ]


def scores_under_sets(
    request: AnalysisRequest, inputs: DirectionInputs, runs: Sequence[Run], sets: LabelSets
) -> SetScores:
    """Score the runs one by one under each label set; raises NotDefined for a value not finite."""
    (measure,) = inputs.measures
    n_queries, n_runs = len(inputs.scope.sources), len(runs)
    scores = SetScores(np.zeros((n_queries, n_runs)), [], np.zeros((2, n_queries, n_runs)), [])
    tables = [part.labels for part in (*sets.further, *sets.earlier)]
    for number, run in enumerate(runs):
        (rankings,) = ranked_tables(inputs, run, [sets.pairs])
        scores.n_missing.append(int(np.count_nonzero(rankings.depth == 0)))
        of_base, *moves = moved_scores(rankings, sets.query, sets.base, tables, measure)
        scores.base[:, number] = of_base.values
        scores.moves.append(moves)
        if has_bounds(measure):
            scores.ends[:, :, number] = extreme_scores(
                rankings,
                sets.query,
                sets.base,
                sets.is_open,
                measure,
                best_grade=inputs.best_grade,
            )
        request.report_progress(number + 1, n_runs, "runs")
    if not np.isfinite(scores.base).all():
        raise NotDefined(
            f"{measure.name} has no finite value for some of the queries: choose another one."
        )
    return scores
