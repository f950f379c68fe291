"""The chapter on the systems: differences of runs, and how sure they are."""

from metrics.core.analyses.systems.deciding_topics import deciding_topics as topics_that_decide
from metrics.core.analyses.systems.differences import pair_differences, system_differences
from metrics.core.analyses.systems.error_rates import error_rates as rates_of_pairs
from metrics.core.analyses.systems.normality import normality_table
from metrics.core.analyses.systems.swap_rates import swap_rates as rates_of_swaps
from metrics.core.analyses.systems.topic_difficulty import topic_difficulty as difficulty_of_topics
from metrics.core.analyses.systems.variance import variance_table
from metrics.core.comparisons.generalizability import generalizability
from metrics.score_files.register import SCORE_ANALYSES
from metrics.services.analysis.analyses import Analysis, Chapter, Oracle
from metrics.services.analysis.item_columns import SOURCE, ItemColumn
from metrics.services.analysis.systems import systems

CHAPTER = Chapter(
    "systems",
    "The systems",
    "Which runs differ, how sure their order is, and how many queries it takes.",
)
TOPIC = ItemColumn("topic", SOURCE)

ANALYSES: list[Analysis] = [
    Analysis.of_scores_too(
        SCORE_ANALYSES["anova"],
        chapter=CHAPTER,
        find=systems.variance_of_runs,
        function=variance_table,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/systems/test_variance_table.py",
        measures=("AP",),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["topic-difficulty"],
        chapter=CHAPTER,
        find=systems.difficulty_of_queries,
        function=difficulty_of_topics,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/systems/test_topic_difficulty.py",
        measures=("AP",),
        item_columns=(TOPIC,),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["deciding-topics"],
        chapter=CHAPTER,
        find=systems.deciding_queries,
        function=topics_that_decide,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/systems/test_deciding_topics.py",
        measures=("AP",),
        item_columns=(TOPIC,),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["normality"],
        chapter=CHAPTER,
        find=systems.normality_of_runs,
        function=normality_table,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/systems/test_normality_table.py",
        measures=("AP",),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["error-rates"],
        chapter=CHAPTER,
        find=systems.rates_of_pairs,
        function=rates_of_pairs,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/systems/test_error_rates.py",
        measures=("AP",),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["differences"],
        chapter=CHAPTER,
        find=systems.differences,
        function=system_differences,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/systems/test_system_differences.py",
        measures=("AP",),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["pairwise-differences"],
        chapter=CHAPTER,
        find=systems.pairs,
        function=pair_differences,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/systems/test_system_differences.py",
        measures=("AP",),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["topics-needed"],
        chapter=CHAPTER,
        find=systems.needed_queries,
        function=generalizability,
        oracle=Oracle.PUBLISHED,
        test="tests/metrics/core/comparisons/test_generalizability.py",
        measures=("AP",),
    ),
    Analysis.of_scores_too(
        SCORE_ANALYSES["swap-rates"],
        chapter=CHAPTER,
        find=systems.swaps_of_pairs,
        function=rates_of_swaps,
        oracle=Oracle.RECOUNT,
        test="tests/metrics/core/analyses/systems/test_swap_rates.py",
        measures=("AP",),
    ),
]
