"""The chapter on the pool: what it favours, and how alike its runs are."""

from metrics.services.analysis.analyses import Analysis, Chapter, Choice

CHAPTER = Chapter(
    "pool",
    "The pool",
    "What the pool favours, how alike its runs are, and what to judge next.",
)
OF_SCORES = frozenset(
    {Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS, Choice.MEASURE}
)

ANALYSES: list[Analysis] = []
