"""The topics by difficulty."""

from metrics.charts.analyses.systems.topic_difficulty import topic_difficulty_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.topic_difficulty import topic_difficulty
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)
from metrics.score_files.systems.topic_tables import topic_table


def difficulty_of_file(request: FileRequest) -> AnalysisResult:
    """The topics of a file by difficulty."""
    return difficulty_of_scores(topic_scores_of_file(request))


def difficulty_of_scores(scores: TopicScores) -> AnalysisResult:
    """The topics by difficulty."""
    difficulty_of_topics = topic_difficulty(
        scores.values, smaller_is_better=scores.smaller_is_better, weight=scores.groups.weight
    )
    return topic_difficulty_result(topic_table(scores), difficulty_of_topics)
