"""Analysis of variance of the scores of runs, topic by topic."""

from metrics.charts.analyses.systems.variance import variance_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.variance import variance_table
from metrics.services.analysis.analyses import AnalysisRequest, FileRequest
from metrics.services.analysis.systems.topic_scores import (
    TopicScores,
    topic_scores,
    topic_scores_of_file,
)


def variance(request: AnalysisRequest) -> AnalysisResult:
    """The parts of the variance of a measure that runs and queries make."""
    return _result(topic_scores(request))


def variance_of_file(request: FileRequest) -> AnalysisResult:
    """The parts of the variance of a file of topics by runs."""
    return _result(topic_scores_of_file(request))


def _result(scores: TopicScores) -> AnalysisResult:
    table = variance_table(scores.values, groups=scores.groups)
    return variance_result(table, scores.nouns, unit=scores.unit)
