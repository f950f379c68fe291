"""What the lead is told of clips and recordings: which could not be read, and which do not play everywhere."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from annotate.core.playing import limit_of, what

NAMED = 3  # items that a sentence names
_ADVICE = {"video": "an MP4 (H.264, AAC)", "audio": "an MP3 or an M4A (AAC)"}
_NOUNS = {"video": ("clip", "clips"), "audio": ("recording", "recordings")}


class TypedParts(NamedTuple):
    """Parts of a kind (video or audio) whose sources are of the same types.

    types : of the sources in their order; "" where nobody knows, None for a file that could not be read
    n, ids : how many parts, and the ids of some of their items
    """

    kind: str
    types: tuple[str | None, ...]
    n: int
    ids: tuple[str, ...] = ()


class Fault(NamedTuple):
    """What is wrong with parts of one kind.

    what, where : what they are and where they do not play; both "" where a file could not be read
    has_others : whether others of their files could be read
    """

    kind: str
    what: str = ""
    where: str = ""
    has_others: bool = False


class Doubt(NamedTuple):
    """A fault that n of all `of` parts of its kind have, and the ids of some of their items."""

    fault: Fault
    n: int
    of: int
    ids: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self._not_played if self.fault.what else self._not_read} {self._named}".strip()

    @property
    def _begin(self) -> str:
        return f"{self.n:,} of {self.of:,} {_NOUNS[self.fault.kind][self.of != 1]}"

    @property
    def _not_played(self) -> str:
        # "play" and "have" of many, "plays" and "has" of one
        where, are, they = self.fault.where, "are", "they"
        if self.n == 1:
            verb, _, rest = where.partition(" ")
            where, are, they = f"{ {'play': 'plays', 'do': 'does', 'have': 'has'}[verb] } {rest}", "is", "it"
        return f"{self._begin} {are} {self.fault.what}: {they} {where}. {self._advice}"

    @property
    def _not_read(self) -> str:
        why = "missing, empty, cut short, damaged or not what"
        if self.fault.has_others:
            have = "has" if self.n == 1 else "have"
            return f"{self._begin} {have} a file beside others that could not be read: it is {why} its name says."
        whose = f"its file is {why} its name says" if self.n == 1 else f"their files are {why} their names say"
        return f"{self._begin} could not be read: {whose}. {self._advice}"

    @property
    def _advice(self) -> str:
        return f"Add {_ADVICE[self.fault.kind]} beside {'it' if self.n == 1 else 'them'}."

    @property
    def _named(self) -> str:
        listed = ", ".join(self.ids)
        if not listed or len(self.ids) < self.n:
            return listed and f"Among them: {listed}."
        return f"It belongs to {listed}." if self.n == 1 else f"They belong to {listed}."


def doubts(parts: Iterable[TypedParts]) -> list[Doubt]:
    """What is wrong with which parts: first what could not be read, then what does not play; the most parts first."""
    of: Counter[str] = Counter()
    n_parts: Counter[Fault] = Counter()
    ids: dict[Fault, dict[str, None]] = {}
    for group in parts:
        of[group.kind] += group.n
        for fault in _faults(group):
            n_parts[fault] += group.n
            ids.setdefault(fault, {}).update(dict.fromkeys(group.ids))
    ordered = sorted(n_parts.items(), key=lambda row: (bool(row[0].what), -row[1], row[0]))
    return [Doubt(fault, n, of[fault.kind], tuple(ids[fault])[:NAMED]) for fault, n in ordered]


def _faults(group: TypedParts) -> list[Fault]:
    """What is wrong with a group of parts.

    They do not play where some browser plays none of the sources that could be read; what is told is the source that
    plays in the most. Of parts with a source that nobody knows that is not told.
    """
    mimes = [mime for mime in group.types if mime is not None]
    faults = [Fault(group.kind, has_others=bool(mimes))] if len(mimes) < len(group.types) else []
    limits = [(limit, mime) for mime in mimes if mime and (limit := limit_of(mime))]
    if limits and len(limits) == len(mimes) and frozenset.intersection(*(limit.browsers for limit, _ in limits)):
        limit, mime = min(limits, key=lambda each: len(each[0].browsers))
        faults.append(Fault(group.kind, what(mime), limit.where))
    return faults
