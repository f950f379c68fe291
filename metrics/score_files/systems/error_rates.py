"""Error rates of retrieval experiments."""

from metrics.charts.analyses.systems.error_rates import error_rates_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.error_rates import error_rates
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)
from metrics.score_files.systems.topic_tables import topic_table, units

SIZES = (5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000)
LARGEST_ANYWAY = 100


def rates_of_file(request: FileRequest) -> AnalysisResult:
    """The error rates of all pairs of the runs of a file."""
    return rates_of_scores(topic_scores_of_file(request))


def rates_of_scores(scores: TopicScores) -> AnalysisResult:
    """The error rates of all pairs of runs."""
    values = units(scores)
    largest = max(LARGEST_ANYWAY, 2 * len(values))
    sizes = sorted({*(size for size in SIZES if size <= largest), len(values)})
    return error_rates_result(topic_table(scores), error_rates(values, sizes=sizes))
