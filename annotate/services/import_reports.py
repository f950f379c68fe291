"""What an import's page says of its file; stored as JSON with the import."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotate.core.formats import FormatError
from annotate.core.tallies import Tallies
from annotate.services.references import Rejected


@dataclass
class ImportReport:
    """What was in a file, what became of it, and what is wrong with it.

    sentences : what was done, for people and logs
    loads : of each thing loaded its figures, unknown ids, repeated lines, doubts; the items of a BEIR folder, then its
        labels
    errors : the first 50 of n_errors, each with file, line, field and message
    """

    sentences: list[str] = field(default_factory=list)
    loads: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    n_errors: int = 0

    def told(self) -> dict[str, Any]:
        """As it is stored."""
        return asdict(self)


def report_of(loads: Sequence[Tallies]) -> ImportReport:
    """The report of what was loaded."""
    return ImportReport(sentences=[str(load) for load in loads], loads=[_told(load) for load in loads])


def report_of_fault(error: Exception) -> ImportReport:
    """The report of a file that was refused, with what was found in it nevertheless."""
    if isinstance(error, Rejected):
        load = error.report if isinstance(error.report, Tallies) else Tallies()
        found = load.unknown_queries or load.unknown_documents or load.repeats.n
        loads = [{**_told(load), "figures": []}] if found else []  # figures say what was stored
        errors = [_error(fault) for fault in error.problems.errors]
        return ImportReport(loads=loads, errors=errors, n_errors=error.problems.n)
    return ImportReport(errors=[_error(error)], n_errors=1)


def _told(load: Tallies) -> dict[str, Any]:
    return {
        "figures": load.figures(),
        "unknown_queries": load.unknown_queries.told(),
        "unknown_documents": load.unknown_documents.told(),
        "repeats": load.repeats.told(),
        "doubts": load.doubts,
    }


def _error(error: Exception) -> dict[str, Any]:
    if isinstance(error, FormatError):
        return {"file": error.file, "line": error.line, "field": error.field, "message": error.message}
    return {"file": "", "line": None, "field": "", "message": str(error)}
