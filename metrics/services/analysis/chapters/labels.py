"""The chapter on the labels: how many there are, how well they agree, and where they come from."""

from metrics.services.analysis.analyses import Analysis, Chapter

CHAPTER = Chapter(
    "labels",
    "The labels",
    "How many there are, how well people agree, and what each source of positives contributes.",
)

ANALYSES: list[Analysis] = []
