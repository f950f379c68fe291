"""The chapter on the systems: differences of runs, and how sure they are."""

from metrics.services.analysis.analyses import Analysis, Chapter, Choice

CHAPTER = Chapter(
    "systems",
    "The systems",
    "Which runs differ, how sure their order is, and how many queries it takes.",
)
OF_SCORES = frozenset(
    {Choice.LABELS, Choice.THRESHOLD, Choice.QUERIES, Choice.RUNS, Choice.MEASURE, Choice.MISSING}
)

ANALYSES: list[Analysis] = []
