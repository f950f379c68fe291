"""The chapter on the pool: what it favours, and how alike its runs are."""

from metrics.core.analyses.pool.run_likeness import run_likeness
from metrics.services.analysis.analyses import Analysis, Chapter, Choice, Oracle
from metrics.services.analysis.pool import run_likeness as likeness

CHAPTER = Chapter(
    "pool",
    "The pool",
    "What the pool favours, how alike its runs are, and what to judge next.",
)
OF_SCORES = frozenset(
    {Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS, Choice.MEASURE}
)

ANALYSES = [
    Analysis(
        name="run-likeness",
        chapter=CHAPTER,
        question="Which runs return the same targets?",
        paper="FIRE, Table 3",
        definition=(
            "Of each two runs, over the queries that both answer, each counting once: the share of "
            "the first 10 that both hold, with a 95 % interval by groups of queries (Wilson's, "
            "with an effective number of queries); rank-biased overlap, extrapolated, with p = .9; "
            "Kendall's tau over the targets that both hold, where they hold two; and the mean rank "
            "of one run's best target in the other. Rankings are read to rank 50, to 20 or 10 of "
            "very many runs and queries, and in their stored order, in which equal scores have an "
            "order too; targets below an excluded one move up. No label is read."
        ),
        find=likeness.likeness_of_runs,
        function=run_likeness,
        oracle=Oracle.PACKAGE,
        test="tests/metrics/core/analyses/pool/test_run_likeness.py",
        choices=frozenset({Choice.QUERIES, Choice.RUNS}),
    ),
]
