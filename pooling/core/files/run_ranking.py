"""Whole queries of a run file in the canonical order, checked, and the figures for its report."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, Problems, id_fault, quoted
from pooling.core.files.text.runs import (
    SCORE_TYPES,
    CanonicalOrder,
    ReadRun,
    RunFile,
    order_rows,
    repeats,
)

BY_RANK = "rank"
NO_RANKS = "The file gives no ranks; choose float32 to order by score."
_LAST_PLAIN = 126  # "~"


class RunFigures(NamedTuple):
    """Figures of a run for its report.

    ties : share of rows whose score equals another's in the same ranking, in [0, 1]
    misranked : neighbours in canonical order whose rank column says otherwise
    """

    rows: int
    queries: int
    shallowest: int
    median_depth: float
    deepest: int
    ties: float
    misranked: int


class FigureTally:
    """The figures of a run whose queries come a few at a time."""

    def __init__(self) -> None:
        self._depths: list[NDArray[np.int32]] = []
        self._n_tied = self._n_misranked = 0

    def add(self, order: CanonicalOrder) -> None:
        """Count some queries."""
        self._depths.append(np.diff(order.indptr).astype(np.int32))
        self._n_tied += order.n_tied
        self._n_misranked += order.n_misranked

    def figures(self) -> RunFigures:
        """The figures of all queries; there must be one."""
        depth = np.concatenate(self._depths)
        n_rows = int(depth.sum(dtype=np.int64))
        return RunFigures(
            rows=n_rows,
            queries=len(depth),
            shallowest=int(depth.min()),
            median_depth=float(np.median(depth)),
            deepest=int(depth.max()),
            ties=self._n_tied / n_rows,
            misranked=self._n_misranked,
        )


def rank(batch: ReadRun, *, score_type: str, name: str, problems: Problems) -> CanonicalOrder:
    """The canonical order of whole queries.

    A document twice in one ranking becomes a problem that names both lines.

    score_type : "float32" or "float64" compares scores so, "rank" trusts the rank column instead
    Raises FormatError where too much is at fault.
    """
    run = batch.run
    for row, first_row in repeats(run.query, run.docs):
        query, document = run.queries[run.query[row]].decode(), run.docs[row].decode()
        message = (
            f"document {quoted(document)} of query {quoted(query)} stands already in line "
            f"{batch.line[first_row]}."
        )
        problems.add_or_stop(FormatError(name, int(batch.line[row]), "document", message))
    by_rank = score_type == BY_RANK
    return order_rows(run, score_type=SCORE_TYPES[0] if by_rank else score_type, use_ranks=by_rank)


class OddIds:
    """Finds strings that cannot be ids, and makes a problem of each once."""

    def __init__(self, name: str, problems: Problems) -> None:
        self._name, self._problems = name, problems
        self._reported: set[tuple[str, bytes]] = set()

    def refuse(self, field: str, ids: NDArray[np.bytes_], line: NDArray[np.int64]) -> None:
        """Check some ids; line : the line of each. Raises FormatError if too many are at fault."""
        # Readers part fields at white space and refuse control characters: plain ASCII is lawful.
        plain = ids.view(np.uint8).reshape(len(ids), ids.dtype.itemsize) <= _LAST_PLAIN
        rows = np.flatnonzero(~plain.all(axis=1))
        first = np.unique(ids[rows], return_index=True)[1]
        for at in np.sort(first).tolist():
            raw = bytes(ids[rows[at]])
            fault = id_fault(raw.decode(errors="replace"))
            if fault and (field, raw) not in self._reported:
                self._reported.add((field, raw))
                message = f"the {field} id {fault}."
                self._problems.add_or_stop(
                    FormatError(self._name, int(line[rows[at]]), field, message)
                )


class FewScores:
    """Tells whether all scores of a run are few small whole numbers without ranks, as of labels."""

    MOST, LARGEST = 5, 10

    def __init__(self) -> None:
        self._scores: set[float] = set()
        self._may_be = True

    def add(self, run: RunFile) -> None:
        """Check the scores of these rows too."""
        if self._may_be and len(run.scores):
            self._scores.update(np.unique(run.scores)[: self.MOST + 1].tolist())
            few = len(self._scores) <= self.MOST and all(
                0 <= score <= self.LARGEST for score in self._scores
            )
            self._may_be = (
                few and all(score.is_integer() for score in self._scores) and not run.ranks.any()
            )

    @property
    def are_grades(self) -> bool:
        """True if there were scores, and all of them could be grades."""
        return self._may_be and bool(self._scores)
