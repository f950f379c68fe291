"""Tables on stdout: aligned for people, with tabs for programs; or JSON."""

import json
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from datetime import datetime

Cell = str | int | float | bool | datetime | Sequence[str] | None
N_DIGITS = 4  # of a fraction, for people


def cell_text(value: Cell, *, for_people: bool) -> str:
    """The text of a cell; what is unknown is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{N_DIGITS}f}" if for_people else repr(value)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC" if for_people else value.isoformat()
    if isinstance(value, str | int):
        # a tab or an end of line in a name would make another column or row
        return " ".join(str(value).split())
    return ", ".join(value)


def print_table(rows: Sequence[Mapping[str, Cell]]) -> None:
    """Print rows under the names of their columns, which all of them have."""
    if not rows:
        return
    for_people = sys.stdout.isatty()
    titles = list(rows[0])
    lines = [[cell_text(row[title], for_people=for_people) for title in titles] for row in rows]
    if not for_people:
        print("\n".join("\t".join(line) for line in [titles, *lines]))
        return
    widths = [max(map(len, column)) for column in zip(titles, *lines, strict=True)]
    numeric = [
        all(
            isinstance(row[title], int | float | None) and not isinstance(row[title], bool)
            for row in rows
        )
        for title in titles
    ]
    for line in [titles, *lines]:
        cells = [
            text.rjust(width) if is_number else text.ljust(width)
            for text, width, is_number in zip(line, widths, numeric, strict=True)
        ]
        print("  ".join(cells).rstrip())


def show(options: Namespace, answer: object, rows: Sequence[Mapping[str, Cell]]) -> None:
    """Print an answer of the API as it is with --json, else rows of it."""
    if options.json:
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        print_table(rows)
