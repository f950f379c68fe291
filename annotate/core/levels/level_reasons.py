"""The reasons that a level offers: shortcomings, each perhaps with details.

A level stores them as JSON, a list of `"name"` or `{"name": "name", "what": ["quantity",
"colour"]}`. A judgment names the chosen ones as `"name"` or `"name/quantity"`: words, so that files
of judgments stay readable by themselves.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MAX_SHORTCOMINGS, MAX_DETAILS = 8, 12  # the number of keys for them
MAX_LENGTH = 40
# separators of reasons in judgments, in files, and in the text that leads type
FORBIDDEN = "/;:,\n"
Stored = str | Mapping[str, Any]


class Reason(NamedTuple):
    """One shortcoming and its details; without details it is chosen as a whole."""

    name: str
    details: tuple[str, ...] = ()


def from_stored(rows: Sequence[Stored]) -> list[Reason]:
    """Parse a level's reasons from their stored form."""
    return [
        Reason(row) if isinstance(row, str) else Reason(row["name"], tuple(row["what"]))
        for row in rows
    ]


def codes(rows: Sequence[Stored]) -> list[str]:
    """The codes that a judgment may name, in the order offered."""
    return [
        code
        for name, details in from_stored(rows)
        for code in ([f"{name}/{detail}" for detail in details] if details else [name])
    ]


def as_stored(reasons: Sequence[Reason]) -> list[Stored]:
    """The reasons' stored form: a plain name for a reason without details."""
    return [{"name": name, "what": list(details)} if details else name for name, details in reasons]


def parse_text(text: str) -> list[Reason]:
    """Parse reasons as leads type them: `colour, action; does not match: quantity, species`.

    Semicolons or line ends separate groups. A group with a colon is one shortcoming with its
    details; without a colon, each name is a reason of its own.
    """
    reasons: list[Reason] = []
    for group in text.replace("\n", ";").split(";"):
        name, colon, details = group.partition(":")
        names = tuple(
            word for word in map(str.strip, (details if colon else group).split(",")) if word
        )
        reasons += [Reason(name.strip(), names)] if colon else [Reason(word) for word in names]
    return reasons


def as_text(rows: Sequence[Stored]) -> str:
    """The text from which `parse_text` reads the same reasons, in the same order."""
    groups: list[str] = []
    joins_last = False
    for name, details in from_stored(rows):
        if details:
            groups.append(f"{name}: {', '.join(details)}")
        elif joins_last:
            groups[-1] += f", {name}"
        else:
            groups.append(name)
        joins_last = not details
    return "; ".join(groups)


def fault(reasons: Sequence[Reason]) -> str:
    """The first fault of a level's reasons, in words; "" if there is none."""
    if len(reasons) > MAX_SHORTCOMINGS:
        return f"offers {len(reasons)} reasons; there is room for {MAX_SHORTCOMINGS}"
    if name_fault := _fault_of_names([reason.name for reason in reasons]):
        return name_fault
    for name, details in reasons:
        if len(details) > MAX_DETAILS:
            return f'offers {len(details)} details of "{name}"; there is room for {MAX_DETAILS}'
        if name_fault := _fault_of_names(details):
            return name_fault
    return ""


def _fault_of_names(names: Sequence[str]) -> str:
    for name in names:
        if not name.strip():
            return "offers a reason without a name"
        if len(name) > MAX_LENGTH:
            return (
                f'offers the reason "{name[:MAX_LENGTH]}…", which is longer than {MAX_LENGTH} '
                "characters"
            )
        if any(sign in name for sign in FORBIDDEN):
            return (
                f'offers the reason "{name}"; leave out {" ".join(FORBIDDEN.strip())} and line '
                "breaks"
            )
    folded_names = [name.casefold() for name in names]
    twice = next(
        (
            name
            for name, key in zip(names, folded_names, strict=True)
            if folded_names.count(key) > 1
        ),
        "",
    )
    return f'offers the reason "{twice}" twice' if twice else ""
