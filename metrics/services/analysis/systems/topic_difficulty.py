"""The topics by difficulty, from a collection or a file of scores."""

from metrics.charts.analyses.systems.topic_difficulty import topic_difficulty_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.topic_difficulty import topic_difficulty
from metrics.services.analysis.analyses import AnalysisRequest, FileRequest
from metrics.services.analysis.systems.topic_scores import (
    TopicScores,
    topic_scores,
    topic_scores_of_file,
)
from metrics.services.analysis.systems.topic_tables import topic_table


def difficulty(request: AnalysisRequest) -> AnalysisResult:
    """The queries by difficulty for the chosen runs."""
    return _result(topic_scores(request))


def difficulty_of_file(request: FileRequest) -> AnalysisResult:
    """The topics of a file by difficulty."""
    return _result(topic_scores_of_file(request))


def _result(scores: TopicScores) -> AnalysisResult:
    difficulty_of_topics = topic_difficulty(
        scores.values, smaller_is_better=scores.smaller_is_better, weight=scores.groups.weight
    )
    return topic_difficulty_result(topic_table(scores), difficulty_of_topics)
