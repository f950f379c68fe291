"""The analyses of systems, from the labels and runs of a collection."""

from typing import Any

from metrics.charts.results import AnalysisResult
from metrics.score_files.systems import (
    deciding_topics,
    error_rates,
    normality,
    swap_rates,
    topic_difficulty,
    topics_needed,
    variance,
)
from metrics.score_files.systems.differences import differences_of_scores
from metrics.score_files.systems.pairs import pairs_of_scores
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.shared_values import shared_value
from metrics.services.analysis.systems.topic_scores import topic_scores
from metrics.services.leaderboard.computation import RULES


def variance_of_runs(request: AnalysisRequest) -> AnalysisResult:
    """The parts of the variance of a measure that runs and queries make."""
    return variance.variance_of_scores(topic_scores(request))


def difficulty_of_queries(request: AnalysisRequest) -> AnalysisResult:
    """The queries by difficulty for the chosen runs."""
    return topic_difficulty.difficulty_of_scores(topic_scores(request))


def deciding_queries(request: AnalysisRequest) -> AnalysisResult:
    """The queries that decide between the two best of the chosen runs."""
    return deciding_topics.deciding_of_scores(topic_scores(request))


def normality_of_runs(request: AnalysisRequest) -> AnalysisResult:
    """Test the scores of each run by a measure."""
    return normality.normality_of_scores(topic_scores(request))


def rates_of_pairs(request: AnalysisRequest) -> AnalysisResult:
    """The error rates of all pairs of the chosen runs."""
    return error_rates.rates_of_scores(topic_scores(request))


def needed_queries(request: AnalysisRequest) -> AnalysisResult:
    """The queries that stable scores of the chosen runs need."""
    return topics_needed.needed_of_scores(topic_scores(request))


def swaps_of_pairs(request: AnalysisRequest) -> AnalysisResult:
    """The swap rates of the chosen runs."""
    return swap_rates.swaps_of_scores(topic_scores(request), request.report_progress)


def differences(request: AnalysisRequest) -> AnalysisResult:
    """The order of the chosen runs by a measure, and which do not differ."""
    return differences_of_scores(topic_scores(request), **_test_options(request))


def pairs(request: AnalysisRequest) -> AnalysisResult:
    """The difference of each pair of the chosen runs by a measure."""
    return pairs_of_scores(topic_scores(request), **_test_options(request))


def _test_options(request: AnalysisRequest) -> dict[str, Any]:
    """The options of a test; the two analyses that need a decision share it."""
    return {
        "method": request.spec.scores.method,
        "report_progress": request.report_progress,
        "mark": request.spec.mark,
        "recall": lambda key, compute: shared_value(f"verdicts-{RULES}-{key}", compute),
    }
