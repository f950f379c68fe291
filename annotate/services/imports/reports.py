"""Report of an import for its page; stored as JSON with the import."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotate.core.files.file_tallies import FileTallies
from annotate.core.files.formats import FormatError
from annotate.services.collection.references import FileRejected


@dataclass
class ImportReport:
    """Contents of a file, the result of loading it, and its faults.

    sentences : the result in words, for people and logs
    loads : figures, unknown ids, repeated lines and doubts of each load; of a BEIR folder the
        items, then the labels
    errors : the first 50 of n_errors, each with file, line, field and message
    """

    sentences: list[str] = field(default_factory=list)
    loads: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    n_errors: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the report as it is stored."""
        return asdict(self)


def report_of(loads: Sequence[FileTallies]) -> ImportReport:
    """Return the report of a load that succeeded."""
    return ImportReport(
        sentences=[str(load) for load in loads], loads=[_as_json(load) for load in loads]
    )


def report_of_fault(error: Exception) -> ImportReport:
    """Return the report of a file that was refused, with the findings in it nevertheless."""
    if isinstance(error, FileRejected):
        load = error.report if isinstance(error.report, FileTallies) else FileTallies()
        has_findings = load.unknown_queries or load.unknown_documents or load.repeats.n
        # figures are of stored rows
        loads = [{**_as_json(load), "figures": []}] if has_findings else []
        errors = [_error(fault) for fault in error.problems.errors]
        return ImportReport(loads=loads, errors=errors, n_errors=error.problems.n)
    return ImportReport(errors=[_error(error)], n_errors=1)


def _as_json(load: FileTallies) -> dict[str, Any]:
    return {
        "figures": load.figures(),
        "unknown_queries": load.unknown_queries.as_report(),
        "unknown_documents": load.unknown_documents.as_report(),
        "repeats": load.repeats.as_report(),
        "doubts": load.doubts,
    }


def _error(error: Exception) -> dict[str, Any]:
    if isinstance(error, FormatError):
        return {
            "file": error.file,
            "line": error.line,
            "field": error.field,
            "message": error.message,
        }
    return {"file": "", "line": None, "field": "", "message": str(error)}
