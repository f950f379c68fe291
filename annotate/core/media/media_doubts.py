"""Warnings about clips and recordings: some could not be read, some do not play everywhere."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from annotate.core.media.browser_support import format_names, playback_limit

NAMED = 3  # items that a sentence names
_ADVICE = {"video": "an MP4 (H.264, AAC)", "audio": "an MP3 or an M4A (AAC)"}
_NOUNS = {"video": ("clip", "clips"), "audio": ("recording", "recordings")}


class TypedParts(NamedTuple):
    """Parts of one kind (video or audio) whose sources have the same types.

    types : of the sources, in order; "" where unknown, None for a file that could not be read
    n, ids : number of parts, and the ids of some of their items
    """

    kind: str
    types: tuple[str | None, ...]
    n: int
    ids: tuple[str, ...] = ()


class MediaFault(NamedTuple):
    """A fault of parts of one kind.

    format_names, limit : the parts' formats, and where they do not play; both "" where a file could
        not be read
    has_others : whether others of their files could be read
    """

    kind: str
    format_names: str = ""
    limit: str = ""
    has_others: bool = False


class Doubt(NamedTuple):
    """A fault of n of the n_of_kind parts of its kind, and the ids of some of their items."""

    fault: MediaFault
    n: int
    n_of_kind: int
    ids: tuple[str, ...]

    def __str__(self) -> str:
        sentence = self._playback_sentence if self.fault.format_names else self._damage_sentence
        return f"{sentence} {self._examples_sentence}".strip()

    @property
    def _count_phrase(self) -> str:
        return f"{self.n:,} of {self.n_of_kind:,} {_NOUNS[self.fault.kind][self.n_of_kind != 1]}"

    @property
    def _playback_sentence(self) -> str:
        # "play" and "have" of many, "plays" and "has" of one
        limit, copula, pronoun = self.fault.limit, "are", "they"
        if self.n == 1:
            verb, _, words = limit.partition(" ")
            singular_verb = {"play": "plays", "do": "does", "have": "has"}[verb]
            limit, copula, pronoun = f"{singular_verb} {words}", "is", "it"
        return (
            f"{self._count_phrase} {copula} {self.fault.format_names}: {pronoun} {limit}. "
            f"{self._advice_sentence}"
        )

    @property
    def _damage_sentence(self) -> str:
        reason = "missing, empty, cut short, damaged or not what"
        if self.fault.has_others:
            verb = "has" if self.n == 1 else "have"
            return (
                f"{self._count_phrase} {verb} a file beside others that could not be read: it is "
                f"{reason} its name says."
            )
        file_clause = (
            f"its file is {reason} its name says"
            if self.n == 1
            else f"their files are {reason} their names say"
        )
        return f"{self._count_phrase} could not be read: {file_clause}. {self._advice_sentence}"

    @property
    def _advice_sentence(self) -> str:
        return f"Add {_ADVICE[self.fault.kind]} beside {'it' if self.n == 1 else 'them'}."

    @property
    def _examples_sentence(self) -> str:
        names = ", ".join(self.ids)
        if not names or len(self.ids) < self.n:
            return names and f"Among them: {names}."
        return f"It belongs to {names}." if self.n == 1 else f"They belong to {names}."


def doubts(parts: Iterable[TypedParts]) -> list[Doubt]:
    """The faults of parts: first unreadable files, then limited playback; most parts first."""
    n_parts_of_kind: Counter[str] = Counter()
    n_parts_with: Counter[MediaFault] = Counter()
    ids: dict[MediaFault, dict[str, None]] = {}
    for typed_parts in parts:
        n_parts_of_kind[typed_parts.kind] += typed_parts.n
        for fault in _faults(typed_parts):
            n_parts_with[fault] += typed_parts.n
            ids.setdefault(fault, {}).update(dict.fromkeys(typed_parts.ids))
    fault_counts = sorted(
        n_parts_with.items(), key=lambda row: (bool(row[0].format_names), -row[1], row[0])
    )
    return [
        Doubt(fault, n, n_parts_of_kind[fault.kind], tuple(ids[fault])[:NAMED])
        for fault, n in fault_counts
    ]


def _faults(typed_parts: TypedParts) -> list[MediaFault]:
    """The faults of a group of parts.

    Playback is limited where some browser plays none of the readable sources; the fault names the
    source that plays in most browsers. Parts with a source of unknown type have no such fault.
    """
    mimes = [mime for mime in typed_parts.types if mime is not None]
    faults = (
        [MediaFault(typed_parts.kind, has_others=bool(mimes))]
        if len(mimes) < len(typed_parts.types)
        else []
    )
    limits = [(limit, mime) for mime in mimes if mime and (limit := playback_limit(mime))]
    if (
        limits
        and len(limits) == len(mimes)
        and frozenset.intersection(*(limit.browsers for limit, _ in limits))
    ):
        limit, mime = min(limits, key=lambda limited_type: len(limited_type[0].browsers))
        faults.append(MediaFault(typed_parts.kind, format_names(mime), limit.where))
    return faults
