"""Curves of runs over their ranks: precision by recall, ROC, and counts of right and wrong."""

from typing import NamedTuple

from metrics.charts.analyses.measures.rank_curves import (
    RunCounts,
    RunCurve,
    confusion_result,
    precision_recall_result,
    roc_result,
)
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.measures.rank_curves import (
    area_under_roc,
    confusion_counts,
    precision_by_recall,
)
from metrics.core.measures.ranking import PositiveRanks, positives
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    name_of,
    nouns_of,
    runs_of,
    with_sample_note,
)
from metrics.services.analysis.measures.means import missing_notes
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from pooling.models import Run

MOST_CURVES = 7  # runs that can be told apart
DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)


class RankedRuns(NamedTuple):
    """The ranks of the positives of some runs, and of what they are.

    n_targets : that a query could rank; notes : of the runs and their unjudged targets
    """

    inputs: DirectionInputs
    runs: list[Run]
    ranks: list[PositiveRanks]
    n_targets: int
    nouns: Nouns


def precision_recall(request: AnalysisRequest) -> AnalysisResult:
    """The eleven-point curve of precision by recall of each run."""
    ranked_runs = _ranked_runs(request)
    curves = [
        RunCurve(name_of(run), precision_by_recall(ranks, groups=ranked_runs.inputs.groups))
        for run, ranks in zip(ranked_runs.runs, ranked_runs.ranks, strict=True)
    ]
    return precision_recall_result(curves, ranked_runs.nouns)


def roc(request: AnalysisRequest) -> AnalysisResult:
    """The share of positives by the share of negatives within each depth, of each run."""
    ranked_runs = _ranked_runs(request, of_known_targets=True)
    return roc_result(_run_counts(ranked_runs), ranked_runs.n_targets, ranked_runs.nouns)


def confusion(request: AnalysisRequest) -> AnalysisResult:
    """True and false positives and negatives at each depth, of each run."""
    ranked_runs = _ranked_runs(request, of_known_targets=True)
    return confusion_result(_run_counts(ranked_runs), ranked_runs.n_targets, ranked_runs.nouns)


def _run_counts(ranked_runs: RankedRuns) -> list[RunCounts]:
    groups, n_targets = ranked_runs.inputs.groups, ranked_runs.n_targets
    rows = []
    for run, ranks in zip(ranked_runs.runs, ranked_runs.ranks, strict=True):
        deepest = int(ranks.depth.max(initial=1))
        depths = sorted({depth for depth in DEPTHS if depth < deepest} | {deepest})
        counts = confusion_counts(ranks, n_targets=n_targets, depths=depths, groups=groups)
        areas = area_under_roc(ranks, n_targets=n_targets, groups=groups)
        rows.append(RunCounts(name_of(run), counts, areas))
    return rows


def _ranked_runs(request: AnalysisRequest, *, of_known_targets: bool = False) -> RankedRuns:
    """Read the ranks of the positives; raises NotDefined without a run or a positive.

    of_known_targets : leave out runs that rank targets that the collection does not know: these
        keep their ranks, so how many of its own targets stand before them is not known
    """
    inputs = direction_inputs(request)
    runs = runs_of(request, least=1)
    if not (inputs.labels.whole.grade >= inputs.spec.threshold).any():
        raise NotDefined("No query has a positive by these labels yet.")
    notes = []
    if of_known_targets and inputs.scope.gallery is None and any(run.n_unknown for run in runs):
        names = ", ".join(name_of(run) for run in runs if run.n_unknown)
        notes.append(f"Left out, as they rank targets that the collection does not know: {names}.")
        runs = [run for run in runs if not run.n_unknown]
        if not runs:
            raise NotDefined(
                f"All of these runs rank targets that the collection does not know ({names}): "
                "choose a query set that lists its targets."
            )
    tables = [ranked_tables(inputs, run, [inputs.labels.whole])[0] for run in runs]
    ranks = [positives(table, inputs.spec.threshold) for table in tables]
    gallery = labels.gallery_of(query_set=inputs.query_set, scope=inputs.scope)
    nouns = with_sample_note(nouns_of(inputs), inputs)
    n_missing = [int((row.depth == 0).sum()) for row in ranks]
    gaps = missing_notes(runs, n_missing, nouns.queries, outcome="count 0")
    notes = [*nouns.notes, *notes, *gaps]
    if shares := [
        # a matrix is looked at down to the best of each row when it is read
        f"{run.tied_per_cent} of the {'best ' if run.report.get('matrix') else ''}targets of "
        f"{name_of(run)}"
        for run in runs
        if run.tied_share
    ]:
        notes.append(
            "Targets that share their score with another of the same ranking stand in the order "
            f"of their ids: {', '.join(shares)}."
        )
    return RankedRuns(inputs, runs, ranks, gallery.n, nouns._replace(notes=notes))
