"""The order of runs by two measures or more, and by two label sources or more."""

from dataclasses import replace

from metrics.charts.analyses.measures.correlations import correlations_result
from metrics.charts.analyses.measures.run_orders import rank_changes_result, scatter_result
from metrics.charts.analyses.measures.run_scores import RunScores
from metrics.charts.results import AnalysisResult
from metrics.core.labels.label_sources import LabelSource, People
from metrics.services.analysis.analyses import AnalysisRequest, FileRequest, NotDefined
from metrics.services.analysis.inputs import direction_inputs, name_of, nouns_of, runs_of
from metrics.services.analysis.measures.means import (
    measured_runs,
    missing_notes,
    sample_notes,
    scores_by_measure,
    scores_of_file,
)

MOST_SETS = 5  # of reference sets with a column of their own


def correlations(request: AnalysisRequest) -> AnalysisResult:
    """The rank correlation of every two measures over the runs."""
    return correlations_result(scores_by_measure(request))


def correlations_of_file(request: FileRequest) -> AnalysisResult:
    """The rank correlation of every two columns of a file over its runs."""
    return correlations_result(scores_of_file(request.table, n_measures=None))


def scatter(request: AnalysisRequest) -> AnalysisResult:
    """The runs by one measure against another one."""
    return scatter_result(scores_by_measure(request))


def scatter_of_file(request: FileRequest) -> AnalysisResult:
    """The runs of a file by its first column against its second."""
    return scatter_result(scores_of_file(request.table, n_measures=2))


def changes_by_measure(request: AnalysisRequest) -> AnalysisResult:
    """The rank of each run by each measure."""
    return rank_changes_result(scores_by_measure(request), of="measures")


def changes_of_file(request: FileRequest) -> AnalysisResult:
    """The rank of each run of a file by each column."""
    return rank_changes_result(scores_of_file(request.table, n_measures=None), of="measures")


def changes_by_labels(request: AnalysisRequest) -> AnalysisResult:
    """The rank of each run by each reference set, by people, and by the chosen label source."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=2)
    source = LabelSource.parse(inputs.spec.label_source)
    parts = [LabelSource.of(People.NONE, [name]) for name in source.sets[:MOST_SETS]]
    if source.has_people:
        parts.append(LabelSource.of(People.ONLY))
    sources = list(dict.fromkeys([*parts, source]))
    if len(sources) < 2:
        raise NotDefined(
            "It takes two label sources: choose people with a reference set, or two reference sets."
        )
    columns, keys, by_source, notes = [], [], [], []
    for label_source in sources:
        spec = replace(request.spec.scores, label_source=label_source.key)
        part_inputs = direction_inputs(request._replace(spec=replace(request.spec, scores=spec)))
        measured = measured_runs(part_inputs, runs)
        notes += [
            f"{label_source.label}: {note}"
            for note in sample_notes(inputs.measures, measured.kinds)
        ]
        if not measured.kinds[0].is_estimable:
            continue
        columns.append(label_source.label)
        keys.append(label_source.key)
        by_source.append(measured.means[0])
    if len(columns) < 2:
        raise NotDefined(
            f"{inputs.measures[0].name} counts as irrelevant what a sample did not draw: choose "
            "P@k, RBP, AP or nDCG, which are estimated."
        )
    nouns = nouns_of(inputs)
    if left_out := source.sets[MOST_SETS:]:
        names = ", ".join(f"“{name}”" for name in left_out)
        notes.append(f"Not shown by themselves: {names}.")
    scores = RunScores(
        runs=[name_of(run) for run in runs],
        columns=columns,
        keys=keys,
        means=[list(means) for means in zip(*by_source, strict=True)],
        smaller_is_better=[inputs.measures[0].entry.smaller_is_better] * len(columns),
        extent=nouns.extent,
        notes=[*nouns.notes, *notes, *missing_notes(runs, measured.n_missing, nouns.queries)],
    )
    return rank_changes_result(scores, of="label sources")
