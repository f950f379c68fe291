"""Tests of whether the scores of runs are normal."""

from metrics.charts.analyses.systems.normality import normality_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.systems.normality import FEWEST, normality_table
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.score_files.requests import FileRequest, NotDefined
from metrics.score_files.systems.topic_scores import (
    TopicScores,
    topic_scores_of_file,
)


def normality_of_file(request: FileRequest) -> AnalysisResult:
    """Test the scores of each run of a file of topics by runs."""
    return normality_of_scores(topic_scores_of_file(request))


def normality_of_scores(scores: TopicScores) -> AnalysisResult:
    """Tests of whether the scores of each run are normal; raises NotDefined for few."""
    if scores.groups.n < FEWEST:
        raise NotDefined(
            f"A test of normality takes {FEWEST} {scores.unit} or more; there are "
            f"{scores.groups.n}."
        )
    return normality_result(
        normality_table(scores.values, groups=scores.groups),
        scores.runs,
        scores.nouns,
        unit=scores.unit,
        are_zero_one=are_zero_one(scores.values),
    )
