"""The chapter on plans: numbers of queries for an error or a difference, and what they cost."""

from annotate.models import Role
from metrics.core.analyses.planner.error_distributions import error_distributions
from metrics.core.statistics.sample_sizes import (
    error_quantiles,
    queries_for_difference,
    queries_for_error,
)
from metrics.score_files.register import SCORE_ANALYSES
from metrics.services.analysis.analyses import Analysis, Chapter, NextPage, Oracle
from metrics.services.analysis.planner import sample_sizes

CHAPTER = Chapter(
    "planner",
    "The planner",
    "How many queries to judge: for the error of a score, and to see a difference of two runs.",
)
TEST = "tests/metrics/core/statistics/test_sample_sizes.py"
POOL_A_SAMPLE = NextPage(
    "Pool such a sample", "pooling:pool-new", frozenset({Role.RESEARCHER}), begins_work=True
)

ANALYSES = [
    Analysis.of_scores_too(
        SCORE_ANALYSES["sampling-error"],
        chapter=CHAPTER,
        find=sample_sizes.sampling_errors,
        function=error_quantiles,
        oracle=Oracle.RECOUNT,
        test=TEST,
        measures=("C@1",),
        next_page=POOL_A_SAMPLE,
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["error-distribution"],
        chapter=CHAPTER,
        find=sample_sizes.error_distribution,
        function=error_distributions,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/planner/test_error_distributions.py",
        measures=("C@1",),
        next_page=POOL_A_SAMPLE,
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["queries-for-error"],
        chapter=CHAPTER,
        find=sample_sizes.for_error,
        function=queries_for_error,
        oracle=Oracle.RECOUNT,
        test=TEST,
        measures=("C@1",),
        next_page=POOL_A_SAMPLE,
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["queries-for-difference"],
        chapter=CHAPTER,
        find=sample_sizes.for_difference,
        function=queries_for_difference,
        oracle=Oracle.PACKAGE,
        test=TEST,
        measures=("C@1",),
        next_page=POOL_A_SAMPLE,
    ),
]
