"""Systems by protocols: one table of both directions, as papers print it."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted, enumeration
from metrics.charts.analyses.measures.both_directions import (
    FEWEST,
    RSUM_NOTE,
    SystemTable,
    direction_columns,
)
from metrics.charts.analyses.measures.folds import ENDS as FOLD_ENDS
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.measures.both_directions import SystemFolds, SystemMeans
from metrics.core.labels.protocols import ProtocolFit

AnyTable = SystemTable[SystemMeans] | SystemTable[SystemFolds]


class ProtocolTable(NamedTuple):
    """The systems by one protocol."""

    fit: ProtocolFit
    table: AnyTable

    @property
    def first_measure(self) -> str:
        """The protocol and its first measure that is defined, in words."""
        return f"{self.fit.protocol.title} {self.table.name}"


def protocols_result(tables: Sequence[ProtocolTable], *, notes: Sequence[str]) -> AnalysisResult:
    """A row for each system, the best by the first protocol first.

    tables : one or more, of the same systems
    """
    order = [row.system for row in tables[0].table.in_order]
    parts: list[list[Column]] = []
    cells: dict[str, list[Cell]] = {system: [system] for system in order}
    for fit, table in tables:
        title, key = fit.protocol.title, fit.protocol.name
        ends = FOLD_ENDS if fit.protocol.n_folds else {"low": "from", "high": "to"}
        columns = [
            Column(f"{key}_{column.key}", f"{title} {column.title}", column.digits)
            for name in table.names
            for column in direction_columns(name, ends)
        ]
        has_rsum = any(row.means.rsum is not None for row in table.rows)
        parts.append([*columns, *([Column(f"{key}_rsum", f"{title} RSUM", 1)] if has_rsum else [])])
        for row in table.rows:
            cells[row.system] += [cell for means in row.means.by_measure for cell in means.numbers]
            cells[row.system] += [row.means.rsum] if has_rsum else []
    lines = [f"{fit.text} Over {table.extent}." for fit, table in tables]
    has_rsums = any(column.key.endswith("_rsum") for part in parts for column in part)
    return AnalysisResult(
        headline=_headline(tables),
        reading=(
            "Each protocol has its measures in both directions, as means over the queries with "
            "the ends of their 95 % intervals, or as means over folds with the smallest and the "
            "largest fold, and the mean of the two directions, which count alike. What a "
            "protocol's reference set does not list counts as irrelevant. Numbers of different "
            "protocols are of different labels or queries: of these only the orders of the systems "
            "can be compared."
        ),
        extent=f"{counted(len(order), 'system')} by {counted(len(tables), 'protocol')}",
        columns=[Column("system", "System"), *(column for part in parts for column in part)],
        rows=[cells[system] for system in order],
        notes=[*lines, *([RSUM_NOTE] if has_rsums else []), *notes],
        run_names=tables[0].table.run_names,
    )


def _headline(tables: Sequence[ProtocolTable]) -> str:
    """The best system by each protocol; a sentence that claims nothing where one is not clear."""
    n_systems = len(tables[0].table.rows)
    are_clear = all(table.is_clear and min(table.n_queries) >= FEWEST for _, table in tables)
    if n_systems < 2 or not are_clear:
        titles = enumeration([fit.protocol.title for fit, _ in tables])
        return f"{counted(n_systems, 'system')} by {titles}"
    best = {row.first_measure: row.table.in_order[0].system for row in tables}
    if len(set(best.values())) == 1 and len(tables) > 1:
        (system,) = set(best.values())
        return (
            f"{system} has the best mean of both directions of {n_systems:,} systems by each of "
            f"{', '.join(best)}"
        )
    by_measure = ", ".join(f"{system} by {measure}" for measure, system in best.items())
    return f"Best of {n_systems:,} systems by the mean of both directions: {by_measure}"
