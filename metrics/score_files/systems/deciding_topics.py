"""The topics that decide between the two best runs."""

import numpy as np

from metrics.charts.analyses.systems.deciding_topics import deciding_topics_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.deciding_topics import deciding_topics
from metrics.core.statistics.intervals import mean_intervals
from metrics.core.statistics.rounding import means_for_order
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)
from metrics.score_files.systems.topic_tables import topic_table


def deciding_of_file(request: FileRequest) -> AnalysisResult:
    """The topics of a file that decide between its two best runs."""
    return deciding_of_scores(topic_scores_of_file(request))


def deciding_of_scores(scores: TopicScores) -> AnalysisResult:
    """The topics that decide between the two best runs."""
    larger_better = scores.larger_better
    means = means_for_order(larger_better, scores.groups)
    first, second = np.argsort(-means, kind="stable")[:2].tolist()
    topics = deciding_topics(larger_better, first=first, second=second, weight=scores.groups.weight)
    (interval,) = mean_intervals(topics.difference[None, :], are_shares=False, groups=scores.groups)
    return deciding_topics_result(
        topic_table(scores),
        topics,
        leader=scores.runs[first],
        second=scores.runs[second],
        interval=interval,
    )
