"""Measured swap rates of pairs of runs."""

from metrics.charts.analyses.systems.swap_rates import swap_rates_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.swap_rates import swap_rates
from metrics.score_files.requests import (
    FileRequest,
    NotDefined,
    ReportProgress,
    ignore_progress,
)
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)
from metrics.score_files.systems.topic_tables import topic_table, units

PARTS = (8, 4, 2)  # a set is one of so many parts of the topics


def measured_of_file(request: FileRequest) -> AnalysisResult:
    """The swap rates of the runs of a file."""
    return swaps_of_scores(topic_scores_of_file(request))


def swaps_of_scores(
    scores: TopicScores, report_progress: ReportProgress = ignore_progress
) -> AnalysisResult:
    """The swap rates of pairs of runs; raises NotDefined for few topics."""
    values, table = units(scores), topic_table(scores)
    if len(values) < 4:
        raise NotDefined(
            f"It takes four {table.unit}, for two sets of two; there are {len(values)}."
        )
    sizes = sorted({max(2, len(values) // part) for part in PARTS})
    rates = []
    for number, size in enumerate(sizes):

        def report(n_done: int, total: int, n_before: int = number) -> None:
            report_progress(n_before * total + n_done, len(sizes) * total, "resamples")

        rates.append(swap_rates(values, size=size, report=report))
    return swap_rates_result(table, rates)
