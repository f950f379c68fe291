"""What about a run's file should make people think twice before they use its numbers, in a few words each."""

from collections.abc import Mapping
from typing import Any

TIED_FROM = 0.5  # share of rows whose score another one has: then ids order more than scores do
UNUSED_FROM = 0.5  # share of rows whose query the collection lacks, or that are of another split or excluded
FEW_ROWS = 10
MISSING_FROM = 0.5  # share of the collection's sources that the file does not name; each counts 0


def doubts(report: Mapping[str, Any], *, sources: str, unknown: str = "") -> list[str]:
    """The doubts about a run, none for most: "12.3 % unknown", "3 rows", "97 % tied", "3 of its 670 queries".

    report : see services.run_reports.RunReport; sources : what its rankings are of, such as "queries"
    unknown : what is said of its unknown rows
    """
    found = [unknown] if unknown else []
    if report.get("has_grades"):
        found.append("grades for scores")
    n_rows, tied = report.get("n_kept", 0) + report.get("n_unknown", 0), report.get("ties", 0)
    if 0 < n_rows <= FEW_ROWS:
        found.append(f"{n_rows:,} row{'s'[: n_rows != 1]}")
    unused = 0 if report.get("matrix") else 1 - n_rows / max(report.get("n_rows", 0), 1)
    if n_rows and unused >= UNUSED_FROM:
        found.append(f"{100 * unused:.0f} % of rows not used")
    if tied >= TIED_FROM:
        found.append(f"{100 * tied:.0f} % tied{' among the best' if report.get('matrix') else ''}")
    named, missing = n_sources(report), report.get("missing", {}).get("n", 0)
    if missing and missing >= MISSING_FROM * (named + missing):
        found.append(f"{named:,} of {named + missing:,} {sources}")
    return found


def n_sources(report: Mapping[str, Any]) -> int:
    """How many of the collection's sources a run's file has a ranking for.

    A run that an older version read did not count them: then those of other splits are among them.
    """
    if report.get("n_met") is not None:
        return int(report["n_met"])
    return max(0, int(report.get("n_queries", 0)) - int(report.get("unknown_sources", {}).get("n", 0)))
