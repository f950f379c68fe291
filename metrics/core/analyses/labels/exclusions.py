"""Items of each side and pairs that leads excluded, by reason."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class Excluded(NamedTuple):
    """An excluded item or pair: its kind ("query", "document", "pair"), the reason, its labels."""

    kind: str
    reason: str
    n_labels: int


class ReasonTotal(NamedTuple):
    """The n exclusions of a kind for a reason, as one of them spells it."""

    kind: str
    reason: str
    n: int
    n_labels: int


def exclusions_by_reason(exclusions: Iterable[Excluded]) -> list[ReasonTotal]:
    """Count exclusions by kind and reason, the most frequent first, then by kind and reason.

    Reasons that differ in case and white space alone are one, spelled as it first occurs. A label
    of two exclusions is in both.
    """
    n, n_labels = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    spelling: dict[tuple[str, str], str] = {}
    for exclusion in exclusions:
        key = exclusion.kind, " ".join(exclusion.reason.casefold().split())
        spelling.setdefault(key, exclusion.reason)
        n[key] += 1
        n_labels[key] += exclusion.n_labels
    totals = [ReasonTotal(key[0], spelling[key], n[key], n_labels[key]) for key in n]
    return sorted(totals, key=lambda total: (-total.n, total.kind, total.reason))
