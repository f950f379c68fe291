"""The chapter on the systems: differences of runs, and how sure they are."""

from metrics.core.analyses.systems.variance import variance_table
from metrics.services.analysis.analyses import Analysis, Chapter, Choice, Oracle
from metrics.services.analysis.systems import variance

CHAPTER = Chapter(
    "systems",
    "The systems",
    "Which runs differ, how sure their order is, and how many queries it takes.",
)
OF_SCORES = frozenset(
    {Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS, Choice.MEASURE, Choice.MISSING}
)

ANALYSES: list[Analysis] = [
    Analysis(
        name="anova",
        chapter=CHAPTER,
        question="How much of the variance of scores do topics make, and how much the runs?",
        paper="TRECVID (Hauptmann and Lin), section 4.1, Equation 2",
        definition=(
            "Two-way analysis of variance without interaction: a score of each run on each query. "
            "Shares are of the total sum of squares. Where queries come in groups, a group's share "
            "in the mean over all queries stands for it. Queries that a run misses count 0, or "
            "such runs or queries are left out, as chosen."
        ),
        find=variance.variance,
        function=variance_table,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/systems/test_variance_table.py",
        choices=OF_SCORES,
        measures=("AP",),
        of_scores=variance.variance_of_file,
    ),
]
