"""Protocols by name: published ways to compare systems, and what a collection has for each.

A protocol fixes the labels, the queries of both directions and the measures, so that two papers
that name it compare their systems alike.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotate.core.phrases import counted, enumeration
from metrics.core.labels.label_sources import LabelSource, People

PLAUSIBLE_SETS = ("plausible", "pmrp")  # words of labels that were made of classes
# words of labels that were made of a collection's own later
LATER_SETS = ("cxc", "eccv", *PLAUSIBLE_SETS)
NUMBERED = re.compile(r"(.*?)([0-9]+)")  # the name of a fold: what folds share, and its number


class EvaluationProtocol(NamedTuple):
    """A published way to compare systems in both directions.

    subject : a word of the names of its collections or their reference sets; "" for any
    set_words : words of the name of its reference set, the likeliest first
    query_words : words of the name of its query sets, the likeliest first
    is_of_named_queries : True if no other query set will do
    n_folds : query sets over which it averages; 0 without folds
    n_published : sources of its two directions, of one fold of folds, the fewer first
    source : who published it
    grades : those that the positive labels of its set must have, ascending, its threshold the last;
        empty where that is the collection's
    """

    name: str
    title: str
    subject: str
    set_words: tuple[str, ...]
    query_words: tuple[str, ...]
    is_of_named_queries: bool
    n_folds: int
    measures: tuple[str, ...]
    n_published: tuple[int, int]
    source: str
    grades: tuple[int, ...] = ()


_RECALLS = ("C@1", "C@5", "C@10")
_TABLES = "ECCV Caption (Chun et al. 2022), Tables 4, D.2 and D.3"
PROTOCOLS = (
    EvaluationProtocol(
        name="coco-1k",
        title="COCO 1K",
        subject="coco",
        set_words=("original", "coco"),
        query_words=("1k", "fold"),
        is_of_named_queries=False,
        n_folds=5,
        measures=_RECALLS,
        n_published=(1_000, 5_000),
        source=_TABLES,
    ),
    EvaluationProtocol(
        name="coco-5k",
        title="COCO 5K",
        subject="coco",
        set_words=("original", "coco"),
        query_words=("5k",),
        is_of_named_queries=False,
        n_folds=0,
        measures=_RECALLS,
        n_published=(5_000, 25_000),
        source=_TABLES,
    ),
    EvaluationProtocol(
        name="cxc",
        title="CxC",
        subject="",
        set_words=("cxc",),
        query_words=("cxc", "5k"),
        is_of_named_queries=False,
        n_folds=0,
        measures=("C@1",),
        n_published=(5_000, 25_000),
        source=_TABLES,
    ),
    EvaluationProtocol(
        name="eccv-caption",
        title="ECCV Caption",
        subject="",
        set_words=("eccv",),
        query_words=("eccv",),
        is_of_named_queries=True,
        n_folds=0,
        measures=("mAP@R", "Rprec", "C@1"),
        n_published=(1_261, 1_332),
        source=_TABLES,
    ),
    EvaluationProtocol(
        name="pmrp",
        title="Plausible matches",
        subject="",
        set_words=PLAUSIBLE_SETS,
        query_words=("5k",),
        is_of_named_queries=False,
        n_folds=0,
        measures=("PMRP", "PMRP_mean"),
        n_published=(5_000, 25_000),
        source=f"PCME (Chun et al. 2021) and {_TABLES}",
        grades=(1, 2, 3),
    ),
)


class ProtocolFit(NamedTuple):
    """The choices of a protocol in a collection, or the reason why it has none.

    label_source : its key; query_set : its name in both directions, of folds the first one's
    threshold : the grade from which a pair is positive: the collection's, or the protocol's own
    gap : what is missing, in words; empty where nothing is
    """

    protocol: EvaluationProtocol
    label_source: str
    query_set: str
    threshold: int
    gap: str

    @property
    def label(self) -> str:
        """The title, with the number of folds."""
        n = self.protocol.n_folds
        return f"{self.protocol.title} ({n} folds)" if n else self.protocol.title

    @property
    def text(self) -> str:
        """The labels, queries and measures that it fixes, in words."""
        protocol = self.protocol
        measures = enumeration(protocol.measures)
        queries = f"the query sets “{self.query_set}” of both directions"
        if protocol.n_folds:
            queries = (
                f"{protocol.n_folds} folds of both directions, “{self.query_set}” the first of them"
            )
        labels = LabelSource.parse(self.label_source).sets_text
        return (
            f"Protocol {protocol.title}, of {protocol.source}: {measures} with {labels} alone, "
            f"positive from grade {self.threshold}, on {queries}."
        )

    @property
    def published_text(self) -> str:
        """The number of sources that published numbers are of."""
        fewer, more = self.protocol.n_published
        return f"{fewer:,} and {more:,}{' in each fold' if self.protocol.n_folds else ''}"


def fit_of(
    protocol: EvaluationProtocol,
    *,
    collection: str,
    sets: Sequence[str],
    query_sets: Sequence[str],
    usual: str,
    threshold: int,
) -> ProtocolFit:
    """Fit a protocol to a collection by names; words are found in them whatever their case.

    collection : its name; sets : names of its reference sets, the oldest first
    query_sets : names that have queries in both directions; usual : the one that is taken where
        none has a word of the protocol, if it is among them
    threshold : the grade from which the collection calls a pair positive
    """
    if protocol.subject and not _first_with([protocol.subject], [collection, *sets]):
        gap = f"neither the collection nor a reference set has “{protocol.subject}” in its name"
        return ProtocolFit(protocol, "", "", threshold, gap)
    other_words = [word for word in LATER_SETS if word not in protocol.set_words]
    if protocol.set_words == PLAUSIBLE_SETS:
        other_words = []  # made of classes, whatever else its name has
    own_sets = [name for name in sets if not _first_with(other_words, [name])]
    set_name = _first_with(protocol.set_words, own_sets)
    if not set_name:
        words = " or ".join(f"“{word}”" for word in protocol.set_words)
        return ProtocolFit(protocol, "", "", threshold, f"no reference set has {words} in its name")
    if protocol.n_folds:
        query_set = _first_fold(protocol, query_sets)
        words = " or ".join(f"“{word}”" for word in protocol.query_words)
        gap = (
            f"no {protocol.n_folds} query sets of both directions with {words} in their names "
            "differ in a number at the end"
        )
    else:
        query_set = _first_with(protocol.query_words, query_sets)
        gap = f"no query set of both directions has “{protocol.query_words[0]}” in its name"
        if not query_set and not protocol.is_of_named_queries:
            query_set = usual if usual in query_sets else ""
            gap = f"the query set “{usual}” is not of both directions"
    if not query_set:
        return ProtocolFit(protocol, "", "", threshold, gap)
    source = LabelSource.of(People.NONE, [set_name])
    own_threshold = max(protocol.grades, default=threshold)
    return ProtocolFit(protocol, source.key, query_set, own_threshold, "")


def fit_of_grades(fit: ProtocolFit, grades: Iterable[int]) -> ProtocolFit:
    """The fit; with a gap where its set lacks a grade that the protocol takes, or has another.

    A missing grade would make a measure 0, or the same as another one, without a word.
    fit : without a gap; grades : those of the positive labels of its reference set
    """
    set_grades, protocol = sorted(grades), fit.protocol
    if not protocol.grades or set_grades == list(protocol.grades):
        return fit
    has = "none"
    if set_grades:
        numbers = ", ".join(map(str, set_grades))
        has = f"positive labels of {counted(len(set_grades), 'grade')} ({numbers})"
    zetas = ", ".join(map(str, range(len(protocol.grades))))
    takes = ", ".join(map(str, reversed(protocol.grades)))
    gap = (
        f"{LabelSource.parse(fit.label_source).sets_text} has {has}, and zeta {zetas} take "
        f"the grades {takes}: load the set that the command “plausible” prints with "
        f"--zetas {len(protocol.grades)}, into a scheme that has these grades"
    )
    return ProtocolFit(protocol, "", "", fit.threshold, gap)


def _first_with(words: Sequence[str], names: Sequence[str]) -> str:
    """The first name with the first word that any has; empty without."""
    for word in words:
        for name in names:
            if word.casefold() in name.casefold():
                return name
    return ""


def _first_fold(protocol: EvaluationProtocol, query_sets: Sequence[str]) -> str:
    """The fold with the smallest number, of as many as the protocol has; empty without."""
    numbers: dict[str, dict[int, str]] = {}
    for name in query_sets:
        if match := NUMBERED.fullmatch(name):
            numbers.setdefault(match[1], {})[int(match[2])] = name
    stems = [stem for stem, folds in numbers.items() if len(folds) == protocol.n_folds]
    stem = _first_with(protocol.query_words, stems)
    return numbers[stem][min(numbers[stem])] if stem else ""
