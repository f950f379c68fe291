"""Labels and queries of a leaderboard that is not the usual one: other people's grades, what is open, some queries."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef
from django.db.models import QuerySet as Rows
from numpy.typing import NDArray

from annotate.models import Collection, Direction, Pair, Part, RoundPair, Seat
from metrics.core.label_sources import Grades, LabelSource, no_grades, ordered
from metrics.services import labels
from metrics.services.inputs import WANTING
from metrics.services.labels import Ids, Scope
from metrics.services.leaderboard_wanted import FIRST, Wanted
from pooling.core.selections import Pairs, is_in


class Known(NamedTuple):
    """The labels of one direction that count in its scope.

    whole : of the label source that is asked for
    reference : of its reference sets alone, None where it has none
    unjudged : the pairs of the pools to which `whole` gives no label, each of grade 0; none for a comparison of two
        runs, which has no bounds
    """

    whole: Grades
    reference: Grades | None
    unjudged: Grades


def people_of(*, collection: Collection, direction: Direction, people: str) -> Grades:
    """People's grades: as resolved, each pair's first label, or one person's.

    The first label is that of the seat with the lowest number: seats are handed out in that order.
    """
    if not people:
        return labels.people_grades(collection=collection, direction=direction)
    source, target = labels.ends(direction)
    seats = Seat.objects.filter(collection=collection, purpose__in=Seat.COUNTING, judgment__isnull=False)
    columns = f"pair__{source}", f"pair__{target}", "judgment__level__grade"
    if people == FIRST:
        rows: Rows[Any, Any] = seats.order_by("pair", "number", "pk").distinct("pair").values_list(*columns)
    else:
        rows = (
            seats.filter(annotator=int(people)).order_by("pair", "number", "pk").distinct("pair").values_list(*columns)
        )
    return ordered(labels.table(rows, 3))


def known_labels(*, collection: Collection, wanted: Wanted, scope: Scope) -> tuple[Scope, Known]:
    """The part of the scope that is asked for, and the labels that count there."""
    people = people_of(collection=collection, direction=scope.direction, people=wanted.people)
    source = LabelSource.parse(wanted.label_source)
    told = {"collection": collection, "direction": scope.direction}
    reference = labels.labels_of(**told, label_source=source.reference) if source.reference else None
    scope = _part_of(scope, wanted, people)
    whole = labels.within(source.grades(people, [] if reference is None else [reference]), scope)
    alone = labels.within(reference, scope) if reference is not None and source.has_people else None
    has_bounds = wanted.kind != "comparison"
    return scope, Known(whole, alone, _unjudged(collection, scope, whole) if has_bounds else no_grades())


def _unjudged(collection: Collection, scope: Scope, labelled: Grades) -> Grades:
    """The pairs that some pool wants, or a file of judgments brought, and that have no label; one query.

    A closed pool may be opened again, and goes on wanting its pairs. Those that only retired runs hold, or that a lead
    excluded, are dropped: no pool wants them.
    """
    source, target = labels.ends(scope.direction)
    wishes = RoundPair.objects.filter(pair=OuterRef("pk"), round__kind__in=WANTING, dropped_at=None)
    pairs = labels.table(Pair.objects.filter(Exists(wishes), collection=collection).values_list(source, target), 2)
    pooled = labels.within(ordered(np.insert(pairs, 2, 0, axis=1)), scope)
    keep = ~is_in(pooled.source, pooled.target, Pairs(labelled.source, labelled.target))
    return Grades(*(values[keep] for values in pooled))


def _part_of(scope: Scope, wanted: Wanted, people: Grades) -> Scope:
    keep = np.ones(len(scope.sources), dtype=bool)
    if wanted.judged_only:
        keep &= np.isin(scope.sources, people.source[scope.counts(people.target)])
    shortest, longest = wanted.words
    if shortest is not None or longest is not None:
        n_words = _words(scope.sources)
        keep &= (n_words >= max(1, shortest or 0)) & (
            n_words <= (longest if longest is not None else n_words.max(initial=0))
        )
    return scope._replace(sources=scope.sources[keep])


def _words(sources: Ids) -> NDArray[np.int64]:
    """(Q,) words of each source's text, white space between them; 0 where it has no text."""
    n_words = np.zeros(len(sources), dtype=np.int64)
    for start in range(0, len(sources), 20_000):
        some = sources[start : start + 20_000]
        for item, text in texts_of(some.tolist()):
            n_words[start + int(np.searchsorted(some, item))] += len(text.split())
    return n_words


def texts_of(items: list[int]) -> Iterator[tuple[int, str]]:
    """The items' parts of text, each with its item's key."""
    parts = Part.objects.filter(item__in=items, kind=Part.Kind.TEXT).order_by("-position")
    return parts.values_list("item_id", "text").iterator(chunk_size=20_000)
