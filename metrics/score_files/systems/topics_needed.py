"""Generalizability of the scores of runs."""

from metrics.charts.analyses.systems.topics_needed import topics_needed_result
from metrics.charts.results import AnalysisResult
from metrics.core.comparisons.generalizability import generalizability, mean_squares
from metrics.core.statistics.rounding import rounding_of_shares
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)
from metrics.score_files.systems.topic_tables import topic_table, units


def needed_of_file(request: FileRequest) -> AnalysisResult:
    """The topics that stable scores of the runs of a file need."""
    return needed_of_scores(topic_scores_of_file(request))


def needed_of_scores(scores: TopicScores) -> AnalysisResult:
    """The topics that stable scores need."""
    least = rounding_of_shares(scores.values, scores.groups)
    study = generalizability(mean_squares(units(scores), least=least))
    return topics_needed_result(topic_table(scores), study)
