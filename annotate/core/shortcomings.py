"""The reasons a level offers: shortcomings, and of each perhaps what falls short.

A level keeps them as JSON, a list of `"name"` or `{"name": "name", "what": ["quantity", "colour"]}`. A judgment names
what was chosen as `"name"` or `"name/quantity"`: words, so that files of judgments stay readable by themselves.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MAX_SHORTCOMINGS, MAX_WHAT = 8, 12  # as many as there are keys for
LONGEST = 40
FORBIDDEN = "/;:,\n"  # what parts the reasons of a judgment, of a file, or of the text that leads type
Stored = str | Mapping[str, Any]


class Reason(NamedTuple):
    """One shortcoming, and what can fall short; nothing more to choose where `what` is empty."""

    name: str
    what: tuple[str, ...] = ()


def offered(stored: Sequence[Stored]) -> list[Reason]:
    """A level's reasons as it keeps them."""
    return [Reason(row) if isinstance(row, str) else Reason(row["name"], tuple(row["what"])) for row in stored]


def codes(stored: Sequence[Stored]) -> list[str]:
    """What a judgment may name, in the order offered."""
    return [
        code for name, what in offered(stored) for code in ([f"{name}/{detail}" for detail in what] if what else [name])
    ]


def kept(reasons: Sequence[Reason]) -> list[Stored]:
    """Reasons as a level keeps them: plain names where there is nothing more to choose."""
    return [{"name": name, "what": list(what)} if what else name for name, what in reasons]


def typed(text: str) -> list[Reason]:
    """Reasons as leads type them: `colour, action; does not match: quantity, species`.

    Semicolons or lines part the groups. A group with a colon is one shortcoming and what falls short; without, each
    name is a reason of its own.
    """
    found: list[Reason] = []
    for group in text.replace("\n", ";").split(";"):
        name, colon, rest = group.partition(":")
        names = tuple(word for word in map(str.strip, (rest if colon else group).split(",")) if word)
        found += [Reason(name.strip(), names)] if colon else [Reason(word) for word in names]
    return found


def as_typed(stored: Sequence[Stored]) -> str:
    """The text that `typed` reads the same reasons from, in the same order."""
    groups: list[str] = []
    joins = False
    for name, what in offered(stored):
        if what:
            groups.append(f"{name}: {', '.join(what)}")
        elif joins:
            groups[-1] += f", {name}"
        else:
            groups.append(name)
        joins = not what
    return "; ".join(groups)


def fault(reasons: Sequence[Reason]) -> str:
    """What is wrong with the reasons of a level, in words; "" where nothing is."""
    if len(reasons) > MAX_SHORTCOMINGS:
        return f"offers {len(reasons)} reasons; there is room for {MAX_SHORTCOMINGS}"
    if wrong := _fault_of_names([reason.name for reason in reasons]):
        return wrong
    for name, what in reasons:
        if len(what) > MAX_WHAT:
            return f'offers {len(what)} details of "{name}"; there is room for {MAX_WHAT}'
        if wrong := _fault_of_names(what):
            return wrong
    return ""


def _fault_of_names(names: Sequence[str]) -> str:
    for name in names:
        if not name.strip():
            return "offers a reason without a name"
        if len(name) > LONGEST:
            return f'offers the reason "{name[:LONGEST]}…", which is longer than {LONGEST} characters'
        if any(sign in name for sign in FORBIDDEN):
            return f'offers the reason "{name}"; leave out {" ".join(FORBIDDEN.strip())} and line breaks'
    folded = [name.casefold() for name in names]
    twice = next((name for name, key in zip(names, folded, strict=True) if folded.count(key) > 1), "")
    return f'offers the reason "{twice}" twice' if twice else ""
