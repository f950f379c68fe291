"""Reports on run files, which pages show; stored as JSON with the run."""

from dataclasses import dataclass, field
from typing import TypedDict

N_NAMED_IDS = 20  # ids that are named; the others are counted


class StoredFault(TypedDict):
    """One fault of a file as stored: its line, None where it has none, its column, what to do."""

    line: int | None
    field: str
    message: str


def stored_fault(message: str, *, line: int | None = None, field: str = "") -> StoredFault:
    """Make a fault to be stored."""
    return StoredFault(line=line, field=field, message=message)


@dataclass
class UnmatchedIds:
    """Ids that only a run or only its collection has: their number, and the first of them."""

    n: int = 0
    first: list[str] = field(default_factory=list)


@dataclass
class RunReport:
    """Content of a run's file, and the fate of its rows.

    n_kept : rows that are measured, of n_rows
    n_unknown : rows of known sources whose target the collection lacks; they keep their ranks, as
        unjudged ones
    n_turned : unknown sources that the collection has as targets: the direction, or the columns,
        may be swapped
    n_dropped : other rows of known sources: an item is excluded or not of split test, and ranks
        close over it
    ties : share of rows whose score equals another's in the same ranking
    n_misranked : neighbours in canonical order whose rank column says otherwise
    missing : source items of the collection without a ranking in the run; n_met : source items with
        one
    has_ranks : whether it has a column of ranks; None if an older version read it
    has_grades : its scores are few whole numbers without ranks, as grades are: it may be a file of
        labels
    matrix : rows and columns of a similarity matrix, whose cells are counted in place of rows;
        empty for other files
    """

    n_rows: int = 0
    n_kept: int = 0
    n_unknown: int = 0
    n_dropped: int = 0
    n_turned: int = 0
    n_queries: int = 0
    n_met: int | None = None
    shallowest: int = 0
    median_depth: float = 0
    deepest: int = 0
    ties: float = 0
    n_misranked: int = 0
    unknown_sources: UnmatchedIds = field(default_factory=UnmatchedIds)
    unknown_targets: UnmatchedIds = field(default_factory=UnmatchedIds)
    missing: UnmatchedIds = field(default_factory=UnmatchedIds)
    has_ranks: bool | None = None
    has_grades: bool = False
    matrix: list[int] = field(default_factory=list)
    errors: list[StoredFault] = field(default_factory=list)
    n_errors: int = 0
