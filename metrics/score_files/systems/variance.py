"""Analysis of variance of the scores of runs, topic by topic."""

from metrics.charts.analyses.systems.variance import variance_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.variance import variance_table
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)


def variance_of_file(request: FileRequest) -> AnalysisResult:
    """The parts of the variance of a file of topics by runs."""
    return variance_of_scores(topic_scores_of_file(request))


def variance_of_scores(scores: TopicScores) -> AnalysisResult:
    """The parts of the variance that runs and topics make."""
    table = variance_table(scores.values, groups=scores.groups)
    return variance_result(table, scores.nouns, unit=scores.unit)
