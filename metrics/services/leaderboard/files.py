"""The leaderboard's tables as files, in full precision.

CSV has a line per run and measure, LaTeX a table per direction. Both hold the very numbers that the
page shows, of one moment. Shares are between 0 and 1 in CSV, as trec_eval writes them, and in per
cent in LaTeX, where siunitx rounds the printed numbers and the file keeps all digits.
"""

import csv
import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from annotate.core.files.spreadsheet_cells import safe_cell, timestamp
from annotate.models import Collection
from metrics.core.measures.measures import parse_one
from metrics.services.leaderboard.cells import unit_of
from metrics.services.leaderboard.leaderboard import Leaderboard
from metrics.services.leaderboard.tables import LeaderboardRow, LeaderboardTable
from metrics.services.samples.estimates import EstimateKind

COLUMNS = (
    "collection",
    "direction",
    "query_set",
    "label_source",
    "positive_from",
    "run",
    "system",
    "measure",
    "unit",
    "score",
    "low",
    "high",
    "reference_only",
    "bound_low",
    "bound_high",
    "judged",
    "pseudo_group",
    "letters",
    "n_queries",
    "n_missing",
    "n_with_positive",
    "score_with_positive",
    "n_gallery",
    "gallery_at",
    "computed_at",
    "n_groups",
    "groups_by",
    "icc",
    "deff",
    "on_samples",
    "n_population",
    "is_beyond_people",
    "is_stale",
)
NUMBERS = "S[table-format=3.1, round-mode=places, round-precision=1]"
FACTS = {  # columns and their keys in a cell's facts
    "score": "whole",
    "low": "low",
    "high": "high",
    "reference_only": "reference",
    "bound_low": "least",
    "bound_high": "most",
    "judged": "judged",
    "n_with_positive": "n_defined",
    "score_with_positive": "defined",
    "icc": "icc",
    "deff": "deff",
}
_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    }
)


def as_csv(*, leaderboard: Leaderboard, collection: Collection) -> str:
    """Return all tables of the page as one CSV, best runs first; undefined values are empty."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\r\n", extrasaction="ignore")
    writer.writeheader()
    of_all = {
        "collection": collection.slug,
        "computed_at": timestamp(leaderboard.computed_at),
        "is_stale": "yes" if leaderboard.is_stale else "no",
    }
    for line in lines_of(leaderboard):
        writer.writerow({name: safe_cell(value) for name, value in (of_all | line).items()})
    return stream.getvalue()


def lines_of(leaderboard: Leaderboard) -> Iterator[dict[str, object]]:
    """The lines of all tables, best runs first, by COLUMNS but for those of the whole leaderboard.

    `run_id` tells runs of one name apart.
    """
    for table in leaderboard.tables:
        for row in table.rows:
            yield from _lines(leaderboard, table, row)


def _lines(
    leaderboard: Leaderboard, table: LeaderboardTable, row: LeaderboardRow
) -> Iterator[dict[str, object]]:
    for column, facts, cell in zip(leaderboard.columns, row.facts, row.cells, strict=True):
        cell_facts: dict[str, Any] = facts or {}
        line: dict[str, object] = {
            "direction": table.direction.value,
            "query_set": table.query_set.name,
            "label_source": leaderboard.label_source.key,
            "positive_from": leaderboard.choices.spec.threshold,
            "run": row.run.name,
            "run_id": row.run.pk,
            "system": row.run.system,
            "measure": column.name,
            "unit": "rank" if column.unit == "rank" else "share",
            "pseudo_group": getattr(cell, "group", None),
            "letters": " ".join(getattr(cell, "letters", ())) or None,
            "n_queries": table.n_queries,
            "n_missing": row.n_missing,
            "n_gallery": table.gallery.n if table.gallery else None,
            "gallery_at": timestamp(table.gallery.joined_at) if table.gallery else None,
            "n_groups": table.groups.n_groups if table.groups else None,
            "groups_by": table.groups.grouping if table.groups else None,
            "on_samples": table.kinds.get(column.name),
            "is_beyond_people": table.beyond_text(column.name, cell),
            "n_population": table.groups.n_population if table.groups else None,
        }
        yield line | {name: cell_facts.get(fact) for name, fact in FACTS.items()}


def as_latex(*, leaderboard: Leaderboard, collection: Collection) -> str:
    """Return a LaTeX table per direction, to be set with booktabs and siunitx."""
    head = (
        "% \\usepackage{booktabs} and \\usepackage{siunitx}; round-precision says how many "
        "digits are printed.\n"
    )
    return head + "\n".join(
        _latex_table(leaderboard, table, collection) for table in leaderboard.tables
    )


def _latex_table(leaderboard: Leaderboard, table: LeaderboardTable, collection: Collection) -> str:
    marked_names = {name: f"{name} †" for name in table.of_kind(EstimateKind.NOT_ESTIMABLE)}
    names = " & ".join(
        f"{{{_latex(marked_names.get(column.name, column.name))}}}"
        for column in leaderboard.columns
    )
    rows = []
    for row in table.rows:
        numbers = (
            _number(facts, column.name)
            for facts, column in zip(row.facts, leaderboard.columns, strict=True)
        )
        rows.append(rf"{_latex(row.run.name)} & {' & '.join(numbers)} \\")
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_caption(leaderboard, table, collection)}}}",
        rf"\begin{{tabular}}{{l*{{{len(leaderboard.columns)}}}{{{NUMBERS}}}}}",
        r"\toprule",
        rf"Run & {names} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(leaderboard: Leaderboard, table: LeaderboardTable, collection: Collection) -> str:
    """Describe collection, queries, labels and time, so that the table stands by itself."""
    gallery = f", a gallery of {table.gallery.n:,} {table.targets}" if table.gallery else ""
    if table.gallery and table.gallery.joined_at:
        gallery += f" as of {table.gallery.joined_at:%Y-%m-%d}"
    without = f", {table.without_positive}" if table.without_positive else ""
    moment = f" Computed {timestamp(leaderboard.computed_at)}." if leaderboard.computed_at else ""
    moment += " Labels or settings have changed since." if leaderboard.is_stale else ""
    units = "per cent" if any(column.unit == "%" for column in leaderboard.columns) else "ranks"
    ranks = [column.name for column in leaderboard.columns if column.unit == "rank"]
    except_ranks = f", {', '.join(ranks)} in ranks" if ranks and units == "per cent" else ""
    notes = [table.groups.notes if table.groups else "", table.undrawn_text]
    more = "".join(f" {sentence}" for sentence in notes if sentence)
    text = (
        f"{collection.name}, {table.direction.label.lower()}: query set “{table.query_set.name}”, "
        f"{table.sources_text}{without}{gallery}; {leaderboard.label_source.label}, positive from "
        f"grade {leaderboard.choices.spec.threshold}; in {units}{except_ranks}.{more}{moment}"
    )
    return _latex(text)


def _number(facts: dict[str, Any] | None, measure: str) -> str:
    """Format a score with all its digits.

    A share in per cent, by moving the point, which rounds nothing.
    """
    value = (facts or {}).get("whole")
    if value is None:
        return "{--}"
    number = Decimal(repr(float(value)))
    return f"{number if unit_of(parse_one(measure)) == 'rank' else number.scaleb(2):f}"


def _latex(text: str) -> str:
    """Escape all characters that are special in TeX."""
    return text.translate(_SPECIAL).replace("“", "``").replace("”", "''")
