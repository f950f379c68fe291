"""What the readers of uploaded files share: the error that names the line, the collected errors, what an id may be.

A reader takes a stream, the file's name and a `Problems`; it yields rows, adds what is wrong with single rows to the
problems and goes on, and raises FormatError where it cannot go on. `guarded` turns that last error into a problem too.
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
TOO_MANY = 10_000  # faults: each costs time, and nobody reads them all
MAX_ID_BYTES = 255
MAX_PLACES = 5  # lines that are named of one kind of fault, beside the first
# What differs between messages of one kind: from the first quote to the last, whatever is quoted, and numbers.
_OF_A_LINE = re.compile(r"""["'].*["']|[0-9.,]+""", re.DOTALL)
_PLAIN_ID = re.compile(r"[!-~]{1,255}")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}(\.0{1,6})?")


class FormatError(ValueError):
    """A file that cannot be read as what it claims to be, with the place where reading stopped.

    file : the file's name as the user knows it
    line : 1-based line number, None where the fault has no line (an empty file, a broken archive)
    field : the column at fault, "" where the whole line is
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
    """What is wrong with a file: the first 50 faults with their places, and how many there are in all."""

    def __init__(self, limit: int = MAX_SHOWN) -> None:
        self.limit = limit
        self.errors: list[FormatError] = []
        self.n = 0

    def add(self, error: FormatError) -> None:
        """Count a fault; keep it if it is among the first."""
        self.n += 1
        if len(self.errors) < self.limit:
            self.errors.append(error)

    def note(self, error: FormatError) -> None:
        """Add a fault of a reader that goes on; raises FormatError where the file has little else."""
        self.add(error)
        if self.n >= TOO_MANY:
            raise FormatError(error.file, error.line, "", "too many lines are at fault; reading stopped here.")

    def take(self, others: "Problems") -> None:
        """Count and keep the faults of others behind these."""
        for error in others.errors:
            self.add(error)
        self.n += others.n - len(others.errors)

    def __bool__(self) -> bool:
        return self.n > 0

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The faults as sentences, the file named where there are several, and how many are not shown."""
        several = len({error.file for error in self.errors}) > 1
        shown = [f"{error.file}: {error}" if several else str(error) for error in self.errors]
        left = self.n - len(shown)
        return shown + ([f"and {left:,} more."] if left else [])


class KindsOfFault(Problems):
    """Each kind of fault once, with how often it occurs and where: for files in which every line may have the same.

    Faults are of one kind where their messages differ by numbers and quoted words alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counter[str] = Counter()
        self._places: dict[str, list[str]] = {}

    def add(self, error: FormatError) -> None:
        """Count a fault; keep it if it is the first of its kind."""
        self.n += 1
        kind = _kind(error)
        self._counts[kind] += 1
        if self._counts[kind] == 1:
            self.errors.append(error)
        places = self._places.setdefault(kind, [])
        if len(places) <= MAX_PLACES and str(error.line) not in places:
            places.append(str(error.line))

    def note(self, error: FormatError) -> None:
        """Add a fault; the whole file is counted."""
        self.add(error)

    def lines(self) -> list[str]:
        """A sentence a kind: its first fault, how many there are, and the lines of the next ones."""
        return [self._told(error) for error in self.errors]

    def _told(self, error: FormatError) -> str:
        kind = _kind(error)
        if self._counts[kind] == 1:
            return str(error)
        later = ", ".join(self._places[kind][1:])
        return f"{error} {self._counts[kind]:,} such faults{', the next in line ' if later else ''}{later}."


def _kind(error: FormatError) -> str:
    return _OF_A_LINE.sub("", error.message)


class Blanks:
    """Labels whose grade a file leaves blank ("NA" and the like are blank too): left out, or faults.

    n : how many there were
    """

    def __init__(self, *, are_left_out: bool = False) -> None:
        self.are_left_out = are_left_out
        self.n = 0

    def fault(self, text: str) -> str:
        """Count one; what is wrong with it, "" where it is left out."""
        self.n += 1
        fact = f"{shown(text)} is no grade" if text else "is blank"
        return "" if self.are_left_out else f"{fact}; write one, or leave out rows without a grade"


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value."""
    return text.strip().lower() in MISSING


def guarded(rows: Iterable[Row], problems: Problems) -> Iterator[Row]:
    """The rows, until they end or a FormatError ends them, which becomes the last problem."""
    try:
        yield from rows
    except FormatError as error:
        problems.add(error)


def add_faults(faults: Mapping[str, str], number: int, name: str, problems: Problems) -> None:
    """Add what is wrong with a line's fields, given by the fields' names; "" is no fault."""
    for field, fault in faults.items():
        if fault:
            problems.note(FormatError(name, number, field, f"{field} {fault}."))


def id_fault(text: str) -> str:
    """Why this text cannot be an id; "" when it can.

    Ids are opaque. What could forge a line of an exported file, or look like another id, is refused.
    """
    if _PLAIN_ID.fullmatch(text):
        return ""
    if not text.strip():
        return "is blank; every item needs an id"
    if any(character.isspace() for character in text):
        return f"{shown(text)} contains white space; write ids without it"
    if any(character in _BIDI or unicodedata.category(character) in ("Cc", "Cs") for character in text):
        return f"{shown(text)} contains a control character; remove it"
    if len(text.encode()) > MAX_ID_BYTES:
        return f"{shown(text)} is longer than {MAX_ID_BYTES} bytes; shorten it"
    return ""


def name_fault(name: str, *, longest: int) -> str:
    """Why this cannot be a name that stands in files, addresses and pages, after "the name"; "" when it can."""
    fits = 0 < len(name.strip()) <= longest and name.isprintable()
    return "" if fits else f"has 1 to {longest} printable characters"


def text_fault(text: str) -> str:
    """Why this text cannot be stored; "" when it can."""
    if "\x00" in text:
        return "contains a NUL character; remove it"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "contains half of a surrogate pair; it is no valid Unicode text"
    return ""


def whole_number(text: str) -> int | None:
    """The whole number a text says ("3", "-1", "2.0"); None for anything else, NaN and 2.5 included.

    Blanks and tabs around it do not count; other white space is no part of a number.
    """
    text = text.strip(" \t")
    return int(float(text)) if _WHOLE.fullmatch(text) else None


def finite_number(value: object) -> float | None:
    """The finite number a text or JSON value says; None for anything else, NaN and truth values included.

    Digits are 0 to 9: Python's own reading takes those of every script, underscores and any white space too.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not (value.isascii() and value.isprintable() and "_" not in value):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def shown(text: str) -> str:
    """A text of the file as it is quoted in a message: short, and without anything that acts on a terminal."""
    short = text if len(text) <= 60 else text[:57] + "..."
    return ascii(short) if any(not character.isprintable() for character in short) else f'"{short}"'
