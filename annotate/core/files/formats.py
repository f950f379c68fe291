"""Errors and checks shared by readers of uploaded files: FormatError, Problems, ids, numbers.

A reader takes a stream, the file's name and a `Problems`; it yields rows, adds the faults of single
rows to the problems and goes on, and raises FormatError where it cannot go on. `guarded` turns that
last error into a problem too.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

Row = TypeVar("Row")

MISSING = ("", "na", "n/a", "nan", "none", "null")
MAX_SHOWN = 50
MAX_FAULTS = 10_000  # faults: each costs time, and nobody reads them all
MAX_ID_BYTES = 255
MAX_LINES = 5  # line numbers named for one kind of fault, beside the first
# The parts in which messages of one kind differ: everything between the first and last quote, and
# numbers.
_OF_A_LINE = re.compile(r"""["'].*["']|[0-9.,]+""", re.DOTALL)
_PLAIN_ID = re.compile(r"[!-~]{1,255}")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}(\.0{1,6})?")


class FormatError(ValueError):
    """A file that cannot be read in its format, with the position where reading stopped.

    file : the file's name as the user knows it
    line : 1-based line number, None where the fault has no line (an empty file, a broken archive)
    field : the column at fault, "" where the whole line is at fault
    message : the fact and what to do, in the user's words, without the place
    """

    def __init__(self, file: str, line: int | None, field: str, message: str) -> None:
        super().__init__(file, line, field, message)
        self.file = file
        self.line = line
        self.field = field
        self.message = message

    def __str__(self) -> str:
        return self.message if self.line is None else f"Line {self.line}: {self.message}"


class Problems:
    """The faults of a file: the first 50 with their positions, and the number of all."""

    def __init__(self, limit: int = MAX_SHOWN) -> None:
        self.limit = limit
        self.errors: list[FormatError] = []
        self.n = 0

    def add(self, error: FormatError) -> None:
        """Count a fault; keep it if it is among the first."""
        self.n += 1
        if len(self.errors) < self.limit:
            self.errors.append(error)

    def add_or_stop(self, error: FormatError) -> None:
        """Add a fault; raises FormatError, which stops the reader, where the file has too many."""
        self.add(error)
        if self.n >= MAX_FAULTS:
            raise FormatError(
                error.file, error.line, "", "too many lines are at fault; reading stopped here."
            )

    def extend(self, other: "Problems") -> None:
        """Append the faults of another collection."""
        for error in other.errors:
            self.add(error)
        self.n += other.n - len(other.errors)

    def __bool__(self) -> bool:
        return self.n > 0

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The faults as sentences, with the file's name among several, and the number left out."""
        names_files = len({error.file for error in self.errors}) > 1
        sentences = [
            f"{error.file}: {error}" if names_files else str(error) for error in self.errors
        ]
        n_hidden = self.n - len(sentences)
        return sentences + ([f"and {n_hidden:,} more."] if n_hidden else [])


class GroupedProblems(Problems):
    """Faults grouped by kind, with counts and lines: for files where each line may have the same.

    Faults are of one kind where their messages differ by numbers and quoted words alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counter[str] = Counter()
        self._line_numbers: dict[str, list[str]] = {}

    def add(self, error: FormatError) -> None:
        """Count a fault; keep it if it is the first of its kind."""
        self.n += 1
        kind = _kind(error)
        self._counts[kind] += 1
        if self._counts[kind] == 1:
            self.errors.append(error)
        line_numbers = self._line_numbers.setdefault(kind, [])
        if len(line_numbers) <= MAX_LINES and str(error.line) not in line_numbers:
            line_numbers.append(str(error.line))

    def add_or_stop(self, error: FormatError) -> None:
        """Add a fault, and never stop: the whole file is counted."""
        self.add(error)

    def lines(self) -> list[str]:
        """One sentence per kind: its first fault, the number of faults, and the next lines."""
        return [self._sentence(error) for error in self.errors]

    def _sentence(self, error: FormatError) -> str:
        kind = _kind(error)
        if self._counts[kind] == 1:
            return str(error)
        next_lines = ", ".join(self._line_numbers[kind][1:])
        places = f", the next in line {next_lines}" if next_lines else ""
        return f"{error} {self._counts[kind]:,} such faults{places}."


def _kind(error: FormatError) -> str:
    return _OF_A_LINE.sub("", error.message)


class Blanks:
    """Labels with a blank grade ("NA" and the like are blank too): left out, or faults.

    n : number of such labels
    """

    def __init__(self, *, are_left_out: bool = False) -> None:
        self.are_left_out = are_left_out
        self.n = 0

    def fault(self, text: str) -> str:
        """Count a blank grade; return its fault, "" where such labels are left out."""
        self.n += 1
        fact = f"{quoted(text)} is no grade" if text else "is blank"
        return "" if self.are_left_out else f"{fact}; write one, or leave out rows without a grade"


def is_missing(text: str) -> bool:
    """True if a cell stands for a missing value."""
    return text.strip().lower() in MISSING


def guarded(rows: Iterable[Row], problems: Problems) -> Iterator[Row]:
    """Yield the rows; a FormatError ends them and becomes the last problem."""
    try:
        yield from rows
    except FormatError as error:
        problems.add(error)


def add_faults(
    faults: Mapping[str, str], line_number: int, file_name: str, problems: Problems
) -> None:
    """Add a line's faults, a mapping from field to fault, to the problems; "" is no fault."""
    for field, fault in faults.items():
        if fault:
            problems.add_or_stop(FormatError(file_name, line_number, field, f"{field} {fault}."))


def id_fault(text: str) -> str:
    """Return why the text cannot be an id; "" if it can.

    Ids are opaque. Text that could forge a line of an exported file, or look like another id, is
    refused.
    """
    if _PLAIN_ID.fullmatch(text):
        return ""
    if not text.strip():
        return "is blank; every item needs an id"
    if any(character.isspace() for character in text):
        return f"{quoted(text)} contains white space; write ids without it"
    if any(
        character in _BIDI or unicodedata.category(character) in ("Cc", "Cs") for character in text
    ):
        return f"{quoted(text)} contains a control character; remove it"
    if len(text.encode()) > MAX_ID_BYTES:
        return f"{quoted(text)} is longer than {MAX_ID_BYTES} bytes; shorten it"
    return ""


def name_fault(name: str, *, longest: int) -> str:
    """Return why a name does not fit in files, addresses and pages, after "the name"; else ""."""
    fits = 0 < len(name.strip()) <= longest and name.isprintable()
    return "" if fits else f"has 1 to {longest} printable characters"


def text_fault(text: str) -> str:
    """Return why the text cannot be stored; "" if it can."""
    if "\x00" in text:
        return "contains a NUL character; remove it"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "contains half of a surrogate pair; it is no valid Unicode text"
    return ""


def whole_number(text: str) -> int | None:
    """The whole number in a text ("3", "-1", "2.0"); None for anything else, NaN and 2.5 included.

    Blanks and tabs around it do not count; other white space is no part of a number.
    """
    text = text.strip(" \t")
    return int(float(text)) if _WHOLE.fullmatch(text) else None


def finite_number(value: object) -> float | None:
    """The finite number in a text or JSON value; None for anything else, NaN and booleans included.

    Digits are 0 to 9: Python's own reading takes those of every script, underscores and any white
    space too.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not (
        value.isascii() and value.isprintable() and "_" not in value
    ):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def quoted(text: str) -> str:
    """The text as quoted in a message: shortened, without characters that act on a terminal."""
    extract = text if len(text) <= 60 else text[:57] + "..."
    return (
        ascii(extract)
        if any(not character.isprintable() for character in extract)
        else f'"{extract}"'
    )
