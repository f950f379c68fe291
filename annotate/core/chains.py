"""What one annotator said of one pair, over time: a chain of labels of which the last counts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


class Said(NamedTuple):
    """One label of a chain: the key of its level and when it was given, if anybody knows."""

    level: int
    at: datetime | None


class Key(NamedTuple):
    """Whose label on which pair: the chain a label belongs to."""

    annotator: int
    pair: int


@dataclass
class Chain:
    """What is stored of one chain: the labels in order and the judgment at its end."""

    said: list[Said]
    last: int


class New(NamedTuple):
    """A label to store, and its place in its chain from 1 on."""

    key: Key
    place: int
    said: Said


def overlap(stored: Sequence[Said], said: Sequence[Said]) -> int:
    """How many of a file's first labels are the last stored ones; a label without a time equals one with any."""
    for n in range(min(len(stored), len(said)), 0, -1):
        ends = zip(stored[-n:], said[:n], strict=True)
        if all(old.level == new.level and new.at in (None, old.at) for old, new in ends):
            return n
    return 0


def waves(new: Sequence[New]) -> list[list[New]]:
    """The labels in rounds of at most one a chain: a later one needs the key of the one it supersedes."""
    found: list[list[New]] = []
    n_of_key: dict[Key, int] = defaultdict(int)
    for label in new:
        wave = n_of_key[label.key]
        n_of_key[label.key] += 1
        if wave == len(found):
            found.append([])
        found[wave].append(label)
    return found
