"""Markdown that no name can break: texts of people are escaped, and tables stay tables."""

import re
from collections.abc import Iterable, Sequence

from metrics.core.releases.plain_text import one_line

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "`": "&#96;"}
# `_` inside a word marks nothing; a word of `#` begins or ends a heading
_MARKUP = re.compile(r"[\\*\[\]~$]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#")
_OPENING = re.compile(r"^(?=[=-]+$|[+-](?: |$))")  # of a rule, a list
_NUMBERED = re.compile(r"^(\d+)([.)])(?= |$)")  # of a numbered list


def inline(text: str) -> str:
    """Return a text as Markdown that shows it as it is, on one line, wherever it stands.

    Pipes, backticks and angle brackets become entities, which no reader takes for markup; the
    other marks get a backslash (CommonMark 0.31, 2.4 and 2.5; pipes in tables: GFM 4.10).
    """
    line = _MARKUP.sub(lambda match: f"\\{match[0]}", one_line(text))
    line = re.sub("[&<>|`]", lambda match: _ENTITIES[match[0]], line)
    return _NUMBERED.sub(r"\1\\\2", _OPENING.sub(r"\\", line))


def sentence(text: str) -> str:
    """Return a text of people as a sentence: a capital first, a full stop last; "" if blank."""
    line = one_line(text)
    end = "" if line.endswith((".", "!", "?")) else "."
    return inline(f"{line[0].upper()}{line[1:]}{end}") if line else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    """Return a table of texts as they are; its last columns, `numbers` many, are set right."""
    rules = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    lines = [[inline(cell) for cell in cells] for cells in (heads, *rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (lines[0], rules, *lines[1:]))


def bullets(lines: Iterable[str]) -> str:
    """Return a list of lines that are Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def fence(language: str, text: str) -> str:
    """Return a block of code; a line of backticks in it is indented, so that it ends nothing."""
    code = re.sub(r"^( {0,3}`{3})", r"    \1", text.strip("\n"), flags=re.MULTILINE)
    return f"```{language}\n{code}\n```"


def section(title: str, *paragraphs: str, level: int = 2) -> str:
    """Return a heading and its paragraphs, which are Markdown; empty ones are left out."""
    return "\n\n".join([f"{'#' * level} {title}", *filter(None, paragraphs)])
