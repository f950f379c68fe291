"""Generalizability of the scores of runs, from a collection or a file of scores."""

from metrics.charts.analyses.systems.topics_needed import topics_needed_result
from metrics.charts.results import AnalysisResult
from metrics.core.comparisons.generalizability import generalizability, mean_squares
from metrics.core.statistics.rounding import rounding_of_shares
from metrics.services.analysis.analyses import AnalysisRequest, FileRequest
from metrics.services.analysis.systems.topic_scores import (
    TopicScores,
    topic_scores,
    topic_scores_of_file,
)
from metrics.services.analysis.systems.topic_tables import topic_table, units


def needed(request: AnalysisRequest) -> AnalysisResult:
    """The queries that stable scores of the chosen runs need."""
    return _result(topic_scores(request))


def needed_of_file(request: FileRequest) -> AnalysisResult:
    """The topics that stable scores of the runs of a file need."""
    return _result(topic_scores_of_file(request))


def _result(scores: TopicScores) -> AnalysisResult:
    least = rounding_of_shares(scores.values, scores.groups)
    study = generalizability(mean_squares(units(scores), least=least))
    return topics_needed_result(topic_table(scores), study)
