"""The order of runs by two measures or more, and by two label sources or more."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from metrics.charts.analyses.measures.correlations import correlations_result
from metrics.charts.analyses.measures.run_orders import rank_changes_result, scatter_result
from metrics.charts.analyses.measures.run_scores import RunScores
from metrics.charts.decision_notes import missed_text
from metrics.charts.results import AnalysisResult
from metrics.core.labels.label_sources import Grades, LabelSource
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    names_of,
    no_positive_notes,
    nouns_of,
    parts_of,
    pooled_note,
    runs_of,
)
from metrics.services.analysis.measures.means import (
    measured_runs,
    missing_notes,
    sample_notes,
    scores_by_measure,
)
from metrics.services.leaderboard.choice_values import DirectionInputs


def correlations(request: AnalysisRequest) -> AnalysisResult:
    """The rank correlation of every two measures over the runs."""
    return correlations_result(scores_by_measure(request))


def scatter(request: AnalysisRequest) -> AnalysisResult:
    """The runs by one measure against another one."""
    return scatter_result(scores_by_measure(request))


def changes_by_measure(request: AnalysisRequest) -> AnalysisResult:
    """The rank of each run by each measure."""
    return rank_changes_result(scores_by_measure(request), of="measures")


def changes_by_labels(request: AnalysisRequest) -> AnalysisResult:
    """The rank of each run by each reference set, by people, and by the chosen label source."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=2)
    source = LabelSource.parse(inputs.spec.label_source)
    parts = parts_of(source)
    sources = list(dict.fromkeys([*parts.sources, source]))
    if len(sources) < 2:
        raise NotDefined(
            "It takes two label sources: choose people with a reference set, or two reference sets."
        )
    by_source, tables, sentences = {}, {}, []
    for label_source in sources:
        source_inputs = _inputs_by(request, label_source)
        tables[label_source] = source_inputs.labels.whole
        measured = by_source[label_source] = measured_runs(source_inputs, runs)
        of_samples = sample_notes(inputs.measures, measured.kinds)
        sentences += [f"{label_source.label}: {note}" for note in of_samples]
        if inputs.measures[0] in measured.defined(inputs.measures):
            sentences += no_positive_notes([source_inputs], inputs.measures[:1])
    columns = [key for key, measured in by_source.items() if measured.kinds[0].is_estimable]
    if len(columns) < 2:
        raise NotDefined(
            f"{inputs.measures[0].name} counts as irrelevant what a sample did not draw: choose "
            "P@k, RBP, AP or nDCG, which are estimated."
        )
    nouns = nouns_of(inputs)
    means = [by_source[label_source].means[0] for label_source in columns]
    scores = RunScores(
        runs=names_of(runs),
        columns=[label_source.label for label_source in columns],
        keys=[label_source.key for label_source in columns],
        means=[list(of_run) for of_run in zip(*means, strict=True)],
        smaller_is_better=[inputs.measures[0].entry.smaller_is_better] * len(columns),
        extent=nouns.extent,
        notes=[
            *nouns.notes,
            pooled_note(runs),
            *same_label_notes(tables),
            *sentences,
            *parts.notes,
            *missing_notes(
                runs,
                by_source[source].n_missing,
                nouns.queries,
                outcome=f"count {missed_text(inputs.measures[:1])}",
            ),
        ],
    )
    return rank_changes_result(scores, of="label sources")


def same_label_notes(tables: dict[LabelSource, Grades]) -> list[str]:
    """A sentence on each two label sources with the same labels, whose orders cannot differ."""
    return [
        f"The labels of these two are the same on these queries, and so is the order: "
        f"{first.label}; {second.label}."
        for first, second in combinations(tables, 2)
        if all(map(np.array_equal, tables[first], tables[second]))
    ]


def _inputs_by(request: AnalysisRequest, label_source: LabelSource) -> DirectionInputs:
    """The inputs with the labels of another source."""
    spec = replace(request.spec.scores, label_source=label_source.key)
    return direction_inputs(request._replace(spec=replace(request.spec, scores=spec)))
