"""The difference of each pair of runs, from the database or a file."""

from metrics.charts.analyses.systems.pairs import pairs_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.differences import pair_differences
from metrics.services.analysis.analyses import (
    AnalysisRequest,
    FileRequest,
    NotDefined,
    ReportProgress,
    ignore_progress,
)
from metrics.services.analysis.systems.differences import decided, names_of, with_notes
from metrics.services.analysis.systems.topic_scores import (
    TopicScores,
    topic_scores,
    topic_scores_of_file,
)

MOST_RUNS = 200  # whose pairs make a table


def pairs(request: AnalysisRequest) -> AnalysisResult:
    """The difference of each pair of the chosen runs by a measure."""
    spec = request.spec
    return _result(topic_scores(request), spec.scores.method, request.report_progress, spec.mark)


def pairs_of_file(request: FileRequest) -> AnalysisResult:
    """The difference of each pair of runs of a file of topics by runs."""
    return _result(topic_scores_of_file(request), request.method, ignore_progress)


def _result(
    scores: TopicScores, method: str, report_progress: ReportProgress, mark: str = ""
) -> AnalysisResult:
    if len(scores.runs) > MOST_RUNS:
        raise NotDefined(
            f"{len(scores.runs):,} runs make too many pairs for a table: choose {MOST_RUNS} or "
            "fewer."
        )
    outcome = decided(scores, method, report_progress)
    return pairs_result(
        outcome,
        pair_differences(scores.values, outcome.verdicts, groups=scores.groups),
        names_of(scores, mark),
        with_notes(scores, outcome, method),
    )
