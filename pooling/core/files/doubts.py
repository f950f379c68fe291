"""Doubts about a run's file that people should know before they use it, in a few words each."""

from collections.abc import Mapping
from typing import Any

from annotate.core.phrases import counted

TIED_FROM = 0.5  # share of rows whose score another row has: then ids order more than scores do
# share of rows whose query the collection lacks, or that are of another split or excluded
UNUSED_FROM = 0.5
FEW_ROWS = 10
MISSING_FROM = 0.5  # share of the collection's sources that the file does not name; each counts 0


def doubts(report: Mapping[str, Any], *, sources: str, unknown: str = "") -> list[str]:
    """The doubts about a run, none for most.

    "12.3 % unknown", "3 rows", "97 % tied", "3 of its 670 queries".

    report : see services.runs.reports.RunReport; sources : what its rankings are of, such as
        "queries"
    unknown : text about its unknown rows
    """
    texts = [unknown] if unknown else []
    if report.get("has_grades"):
        texts.append("grades for scores")
    n_rows, tied_share = report.get("n_kept", 0) + report.get("n_unknown", 0), report.get("ties", 0)
    if 0 < n_rows <= FEW_ROWS:
        texts.append(counted(n_rows, "row"))
    unused_share = 0 if report.get("matrix") else 1 - n_rows / max(report.get("n_rows", 0), 1)
    if n_rows and unused_share >= UNUSED_FROM:
        texts.append(f"{100 * unused_share:.0f} % of rows not used")
    if tied_share >= TIED_FROM:
        texts.append(
            f"{100 * tied_share:.0f} % tied{' among the best' if report.get('matrix') else ''}"
        )
    n_named, n_missing = n_sources(report), report.get("missing", {}).get("n", 0)
    if n_missing and n_missing >= MISSING_FROM * (n_named + n_missing):
        texts.append(f"{n_named:,} of {n_named + n_missing:,} {sources}")
    return texts


def n_sources(report: Mapping[str, Any]) -> int:
    """Number of the collection's sources that a run's file has a ranking for.

    A run that an older version read did not count them: then those of other splits are among them.
    """
    if report.get("n_met") is not None:
        return int(report["n_met"])
    return max(
        0, int(report.get("n_queries", 0)) - int(report.get("unknown_sources", {}).get("n", 0))
    )
