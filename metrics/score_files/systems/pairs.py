"""The difference of each pair of runs."""

from metrics.charts.analyses.systems.pairs import pairs_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.differences import pair_differences
from metrics.score_files.requests import (
    FileRequest,
    NotDefined,
    ReportProgress,
    ignore_progress,
)
from metrics.score_files.systems.differences import (
    Recall,
    computed_anew,
    decided,
    names_of,
    with_notes,
)
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)

MOST_RUNS = 200  # whose pairs make a table


def pairs_of_file(request: FileRequest) -> AnalysisResult:
    """The difference of each pair of runs of a file of topics by runs."""
    return pairs_of_scores(topic_scores_of_file(request), request.method)


def pairs_of_scores(
    scores: TopicScores,
    method: str,
    report_progress: ReportProgress = ignore_progress,
    *,
    mark: str = "",
    recall: Recall = computed_anew,
) -> AnalysisResult:
    """The difference of each pair of runs; raises NotDefined for many."""
    if len(scores.runs) > MOST_RUNS:
        raise NotDefined(
            f"{len(scores.runs):,} runs make too many pairs for a table: choose {MOST_RUNS} or "
            "fewer."
        )
    outcome = decided(scores, method, report_progress, recall)
    return pairs_result(
        outcome,
        pair_differences(scores.values, outcome.verdicts, groups=scores.groups),
        names_of(scores, mark),
        with_notes(scores, outcome, method),
    )
