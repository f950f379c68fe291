"""The conclusions on the chosen runs under other label sets, from the database."""

from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from metrics.charts.analyses.pool.conclusions import SetKind, SetWords, conclusions_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.conclusions import conclusions
from metrics.core.analyses.pool.label_sets import differing_labels, extreme_scores, moved_scores
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.measures.bounds import has_bounds
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import (
    direction_inputs,
    exact_values,
    names_of,
    nouns_of,
    runs_of,
    with_sample_note,
)
from metrics.services.analysis.measures.means import missing_notes
from metrics.services.analysis.pool.label_sets import label_sets
from metrics.services.analysis.run_ranks import ranked_tables

WITH_BOUNDS = "table"  # the kind of a spec whose inputs have the pairs without a label


def conclusions_under_other_labels(request: AnalysisRequest) -> AnalysisResult:
    """The order and the differences of the chosen runs under the label sets beside the chosen."""
    scores = replace(request.spec.scores, kind=WITH_BOUNDS)
    inputs = direction_inputs(request._replace(spec=replace(request.spec, scores=scores)))
    runs = runs_of(request, least=2)
    (measure,) = inputs.measures
    if not measure.is_mean:
        raise NotDefined(f"{measure.name} is a median; differences are of means.")
    if inputs.groups.n < 2:
        raise NotDefined(
            f"All {inputs.group_facts.queries} are of one group: how others would differ is not "
            "known."
        )
    if not len(inputs.labels.whole.grade):
        raise NotDefined("None of these queries has a label from the chosen labels.")
    if inputs.undrawn:  # refuses what an estimate stands for
        exact_values(inputs, runs, measure)
    sets = label_sets(inputs)
    n_queries, n_runs = len(inputs.scope.sources), len(runs)
    base = np.zeros((n_queries, n_runs))
    ends = np.zeros((2, n_queries, n_runs))
    moves, n_missing = [], []
    for number, run in enumerate(runs):
        (rankings,) = ranked_tables(inputs, run, [sets.pairs])
        n_missing.append(int(np.count_nonzero(rankings.depth == 0)))
        of_base, *others = moved_scores(
            rankings, sets.query, sets.base, [other.labels for other in sets.others], measure
        )
        base[:, number] = of_base.values
        moves.append(others)
        if has_bounds(measure):
            ends[:, :, number] = extreme_scores(
                rankings,
                sets.query,
                sets.base,
                sets.is_open,
                measure,
                best_grade=inputs.best_grade,
            )
        request.report_progress(number + 1, n_runs, "runs")
    if not np.isfinite(base).all():
        raise NotDefined(
            f"{measure.name} has no finite value for some of the queries: choose another one."
        )

    def scores_under(position: int) -> NDArray[np.float64]:
        values = base.copy()
        for number, of_run in enumerate(moves):
            values[of_run[position].queries, number] = of_run[position].values
        return values

    is_smaller = measure.entry.smaller_is_better
    names = ("lowest", "highest") if has_bounds(measure) else ()
    outcome = conclusions(
        base,
        chain(map(scores_under, range(len(sets.others))), ends[: len(names)]),
        groups=inputs.groups,
        smaller_is_better=is_smaller,
    )
    named_sets = [
        SetWords(
            other.kind,
            other.name,
            other.n_left_out,
            int(np.count_nonzero(differing_labels(sets.base, other.labels))),
        )
        for other in sets.others
    ]
    named_sets += [SetWords(SetKind.UNLABELLED, f"the {name} scores") for name in names]
    nouns = with_sample_note(nouns_of(inputs), inputs)
    notes = [*nouns.notes, *sets.notes, *missing_notes(runs, n_missing, nouns.queries)]
    if not names:
        notes.append(f"{measure.name} has no bounds: what nobody labelled stays without a label.")
    if are_zero_one(base):
        notes.append(
            f"Scores by {measure.name} are 0 or 1, and Tukey's HSD was made for scores that are "
            "near normal: rely on randomized Tukey for the chosen labels."
        )
    return conclusions_result(
        outcome,
        named_sets,
        runs=names_of(runs),
        measure=measure.name,
        n_groups=inputs.groups.n,
        nouns=nouns._replace(notes=notes),
    )
