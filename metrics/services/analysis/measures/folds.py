"""Means over folds of a collection: query sets whose names differ in a number at the end."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotate.core.phrases import count_of, counted
from annotate.models import Direction, QuerySet
from metrics.charts.analyses.measures.both_directions import SystemRow, SystemTable
from metrics.charts.analyses.measures.folds import folds_result
from metrics.charts.decision_notes import missed_text
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.measures.both_directions import SystemFolds, fold_means
from metrics.core.labels.protocols import NUMBERED
from metrics.core.measures.measures import Measure
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs, name_of, no_positive_notes, nouns_of
from metrics.services.analysis.measures.means import missing_notes, undefined_notes
from metrics.services.analysis.measures.system_runs import (
    MeasuredSystems,
    SystemRuns,
    measured_systems,
    system_runs,
)
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.samples.pools import nothing_undrawn
from metrics.services.scores import labels
from metrics.services.scores.labels import EvaluationScope
from pooling.services.runs.storage import SIDES

MOST_FOLDS = 20
HOW = (
    "Folds are query sets of both directions whose names differ in the number at their end, such "
    "as “fold 1” to “fold 5”: load a list of queries and a list of documents under each name, and "
    "choose one of them"
)


class Fold(NamedTuple):
    """A fold: its query sets of both directions."""

    forward: QuerySet
    reverse: QuerySet


class FoldInputs(NamedTuple):
    """The inputs of one direction: of all folds together, and of each with its own targets."""

    whole: DirectionInputs
    by_fold: list[DirectionInputs]


def folds(request: AnalysisRequest) -> AnalysisResult:
    """Each system's means over the folds, in both directions."""
    fold_sets = folds_of(request)
    pairs, notes = system_runs(request)
    chosen_name, names = request.spec.scores.query_set, [fold.forward.name for fold in fold_sets]
    if chosen_name not in names:
        folds_text = f"“{names[0]}” to “{names[-1]}”"
        notes = [f"“{chosen_name}” is no fold; the folds here are {folds_text}.", *notes]
    return folds_result(fold_table(request, fold_sets, pairs, notes), n_folds=len(fold_sets))


def fold_table(
    request: AnalysisRequest,
    rows: Sequence[Fold],
    pairs: Sequence[SystemRuns],
    notes: Sequence[str],
) -> SystemTable[SystemFolds]:
    """Average systems over folds, in both directions.

    notes : sentences on the systems, to which those on queries, labels and runs are added
    Raises NotDefined where folds share queries or have none, and where no mean is defined.
    """
    scopes = [[labels.scope_of(query_set=query_set) for query_set in fold] for fold in rows]
    two = [
        _inputs_by_fold(request, [fold[side] for fold in rows], scopes, side=side)
        for side in range(2)
    ]
    by_fold = [
        measured_systems(pairs, forward, reverse)
        for forward, reverse in zip(two[0].by_fold, two[1].by_fold, strict=True)
    ]
    measures = by_fold[0].measures
    names = [measure.name for measure in measures]
    extents, sentences, reasons = [], list(notes), []
    for side, inputs in enumerate(two):
        nouns = nouns_of(inputs.whole)
        extents.append(nouns.extent)
        sentences += no_positive_notes(inputs.by_fold, measures)
        parts = [(fold.inputs[side], fold.measured[side]) for fold in by_fold]
        reasons += undefined_notes(by_fold[0].runs[side], parts, measures)
        sentences += [*nouns.notes, *_depth_notes(by_fold, side=side, queries=nouns.queries)]
    sentences += scale_notes(measures)
    table = SystemTable(
        rows=[
            SystemRow(*row[:3], fold_means(names, [fold.rows[number].means for fold in by_fold]))
            for number, row in enumerate(by_fold[0].rows)
        ],
        names=names,
        smaller_is_better=[measure.entry.smaller_is_better for measure in measures],
        n_queries=(
            min(fold.n_queries[0] for fold in by_fold),
            min(fold.n_queries[1] for fold in by_fold),
        ),
        extent=" and ".join(extents),
        notes=list(dict.fromkeys([*reasons, *sentences])),
    )
    if table.is_blank:
        raise NotDefined(" ".join(reasons))
    return table


def scale_notes(measures: Sequence[Measure]) -> list[str]:
    """A sentence on measures whose scale ends at the largest grade of each fold; or none."""
    names = [row.name for row in measures if dict(row.parameters).get("max_grade") == 0]
    if not names:
        return []
    return [f"The largest grade of each fold's labels is the scale there of {', '.join(names)}."]


def folds_of(request: AnalysisRequest) -> list[Fold]:
    """Read the folds by their numbers: those of the chosen query set, or the only ones there are.

    Raises NotDefined where the chosen query set is none of two folds, and others are none or many.
    """
    direction = request.spec.direction
    by_name: dict[str, dict[str, QuerySet]] = {}
    for query_set in QuerySet.objects.filter(collection=request.collection):
        by_name.setdefault(query_set.name, {})[query_set.direction] = query_set
    number_by_name = _numbers_of_folds(
        [name for name, sets in by_name.items() if direction in sets],
        request.spec.scores.query_set,
    )
    if not number_by_name:
        direction_inputs(request)  # has a sentence of its own where there are no queries
        chosen_name = request.spec.scores.query_set
        raise NotDefined(f"The query set “{chosen_name}” is not one of two folds or more. {HOW}.")
    if len(number_by_name) > MOST_FOLDS:
        raise NotDefined(f"{len(number_by_name):,} folds are too many: {MOST_FOLDS} at most.")
    names = sorted(number_by_name, key=lambda name: (number_by_name[name], name))
    incomplete_names = [f"“{name}”" for name in names if len(by_name[name]) < len(Direction)]
    if incomplete_names:
        raise NotDefined(
            f"There are query sets of both directions for each fold but {incomplete_names[0]}. "
            f"{HOW}."
        )
    return [
        Fold(by_name[name][Direction.FORWARD], by_name[name][Direction.REVERSE]) for name in names
    ]


def _numbers_of_folds(names: Sequence[str], chosen_name: str) -> dict[str, int]:
    """The number of each fold by its name; of none where the choice leaves open which are meant."""
    numbers_by_stem: dict[str, dict[str, int]] = {}
    for name in names:
        if match := NUMBERED.fullmatch(name):
            numbers_by_stem.setdefault(match[1], {})[name] = int(match[2])
    groups = [numbers for numbers in numbers_by_stem.values() if len(numbers) > 1]
    chosen_groups = [numbers for numbers in groups if chosen_name in numbers]
    if chosen_groups or NUMBERED.fullmatch(chosen_name) or len(groups) != 1:
        groups = chosen_groups
    return groups[0] if groups else {}


def _inputs_by_fold(
    request: AnalysisRequest,
    query_sets: Sequence[QuerySet],
    scopes: Sequence[Sequence[EvaluationScope]],
    *,
    side: int,
) -> FoldInputs:
    """Read queries and labels of all folds at once, and divide them.

    scopes : of each fold, forward and reverse; side : 0 for forward, 1 for reverse
    A fold's targets are those that its query set lists, else its sources of the other direction.
    Raises NotDefined where folds share a source, have none, or a sample left pairs of theirs out.
    """
    sources = np.concatenate([two[side].sources for two in scopes])
    direction = Direction(query_sets[0].direction)
    if n_shared := len(sources) - len(np.unique(sources)):
        sources_text = counted(n_shared, SIDES[direction][0])
        raise NotDefined(f"The folds share {sources_text}; each belongs to one fold.")
    whole = choice_values.direction_inputs(
        collection=request.collection,
        spec=request.spec.scores,
        query_set=query_sets[0],
        scope=scopes[0][side]._replace(sources=np.sort(sources), gallery=None),
    )
    by_fold = []
    for query_set, two in zip(query_sets, scopes, strict=True):
        own = two[side]
        targets = two[1 - side].sources if own.gallery is None else own.gallery
        part = choice_values.restricted(whole, np.isin(whole.scope.sources, own.sources))
        scope = part.scope._replace(gallery=targets)
        if not len(scope.sources):
            raise NotDefined(f"The fold “{query_set.name}” has no {direction.sources} left.")
        if whole.undrawn.is_unknown or len(labels.within(whole.undrawn.pairs, scope).source):
            raise NotDefined(
                "A sample did not draw all pairs of these folds: their means count as irrelevant "
                "what nobody labelled, and need labels without a sample."
            )
        fold_labels = part.labels._replace(
            whole=labels.within(whole.labels.whole, scope), reference=None
        )
        by_fold.append(
            part._replace(
                query_set=query_set, scope=scope, labels=fold_labels, undrawn=nothing_undrawn()
            )
        )
    return FoldInputs(whole, by_fold)


def _depth_notes(by_fold: Sequence[MeasuredSystems], *, side: int, queries: str) -> list[str]:
    """Sentences on runs that miss queries of the folds, or do not rank all targets of theirs."""
    runs = by_fold[0].runs[side]
    n_missing = np.sum([fold.measured[side].n_missing for fold in by_fold], axis=0)
    outcome = f"count {missed_text(by_fold[0].measures)}"
    notes = missing_notes(runs, n_missing.tolist(), queries, outcome=outcome)
    n_cut = np.zeros(len(runs), dtype=np.int64)
    for fold in by_fold:
        scope = fold.inputs[side].scope
        targets = np.zeros(0, dtype=np.int64) if scope.gallery is None else scope.gallery
        n_targets = np.count_nonzero(scope.counts(targets))
        n_cut += [
            np.count_nonzero((depth > 0) & (depth < n_targets))
            for depth in fold.measured[side].depths
        ]
    names = [
        f"{name_of(run)} ({count_of(n, queries)})"
        for run, n in zip(runs, n_cut.tolist(), strict=True)
        if n
    ]
    if names:
        notes.append(
            "Rankings that lack some targets of their fold, as of a run that was cut at a depth; "
            f"a positive among those counts as not found: {', '.join(names)}."
        )
    return notes
