"""The table of items and pairs that leads excluded."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.labels.items import ItemSummary
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.labels.exclusions import ReasonTotal

KINDS = ("query", "document", "pair")
NO_ITEM = ItemSummary("", "")
MOST_REASONS = 5  # that a note names

COLUMNS = [
    Column("kind", "Excluded"),
    Column("query", "Query"),
    Column("query_content", "Content"),
    Column("document", "Document"),
    Column("document_content", "Content"),
    Column("reason", "Reason"),
    Column("at", "When", is_moment=True),
    Column("n_labels", "Labels"),
]


class ExcludedRow(NamedTuple):
    """An excluded item, or a pair with both of its items.

    at : the moment, as files have it; n_labels : the labels of its pairs
    """

    kind: str
    query: ItemSummary
    document: ItemSummary
    reason: str
    at: str
    n_labels: int


def exclusions_result(
    rows: Sequence[ExcludedRow],
    totals: Sequence[ReasonTotal],
    *,
    n_of_kind: Mapping[str, int],
    n_labels: int,
) -> AnalysisResult:
    """A row for each excluded item and pair; of one or more.

    totals : by reason, the most frequent first; n_of_kind : all items and pairs, excluded or not
    n_labels : the labels that all exclusions take out of the numbers, each once
    """
    n_excluded = {kind: sum(row.kind == kind for row in rows) for kind in KINDS}
    parts = [counted(n, kind) for kind, n in n_excluded.items() if n]
    # a reason of items and of pairs is one
    n_by_reason, spelling = Counter[str](), dict[str, str]()
    for total in totals:
        key = " ".join(total.reason.casefold().split())
        n_by_reason[key] += total.n
        spelling.setdefault(key, total.reason)
    (first, n_first), *further = n_by_reason.most_common()
    is_most = bool(further) and n_first > further[0][1]
    why = f", most often for “{spelling[first]}” ({n_first:,})" if is_most else ""
    n_further = len(totals) - MOST_REASONS
    notes = [
        f"{counted(n_labels, 'label')} of these items and pairs "
        f"{'is in no score; it stays' if n_labels == 1 else 'are in no score; they stay'} in the "
        "log and in the dashboard's agreement. A label of two exclusions is in both of their rows.",
        "By reason: "
        + "; ".join(
            f"“{total.reason}” {counted(total.n, total.kind)}" for total in totals[:MOST_REASONS]
        )
        + (f"; {counted(n_further, 'further reason')}." if n_further > 0 else "."),
    ]
    cells: list[list[Cell]] = [
        [row.kind, *row.query, *row.document, row.reason, row.at, row.n_labels] for row in rows
    ]
    return AnalysisResult(
        headline=(f"{_list(parts)} {'is' if len(rows) == 1 else 'are'} excluded{why}"),
        reading=(
            "A row for each item and each pair that a lead excluded, the newest first, with the "
            "reason that the lead gave. With an item go all of its pairs, which have no rows of "
            "their own. Labels: those of the pair, or of all pairs of the item, that would count."
        ),
        extent=f"{_list([counted(n_of_kind[kind], kind) for kind in KINDS])} in all",
        columns=COLUMNS,
        rows=cells,
        notes=notes,
    )


def _list(words: Sequence[str]) -> str:
    """Words with commas, and "and" before the last."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
