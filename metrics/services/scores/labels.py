"""Labels and query sets as arrays, the inputs of scores and qrels.

Forward and reverse share the pairs: in the reverse direction the document is the source.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Max, Q
from numpy.typing import NDArray

from annotate.models import (
    Collection,
    Direction,
    Item,
    QuerySet,
    QuerySetItem,
    ReferenceLabel,
    ReferenceSet,
    Resolution,
)
from annotate.services.collection.duplicates import originals_of
from annotate.services.storage.number_arrays import column, table
from metrics.core.labels.label_sources import (
    Grades,
    LabelSource,
    People,
    no_grades,
    sorted_grades,
)
from metrics.services.scores.propagation import joined, propagated_grades, without_pairs
from pooling.services.runs.storage import SIDES

Ids = NDArray[np.int64]


class EvaluationScope(NamedTuple):
    """The items of a query set that count in evaluation.

    sources : (Q,) ascending keys of its source items, without the excluded ones
    gallery : ascending keys of the only targets that count; None means all
    excluded_items : ascending keys of items that were excluded from evaluation, and of targets of
        another split than test: they are not ranked, and a label of theirs would be a positive that
        no run can find
    """

    direction: Direction
    sources: Ids
    gallery: Ids | None
    excluded_items: Ids

    def counts(self, targets: Ids) -> NDArray[np.bool_]:
        """Return a mask of the targets that count."""
        inside = ~np.isin(targets, self.excluded_items)
        return inside if self.gallery is None else inside & np.isin(targets, self.gallery)


def scope_of(*, query_set: QuerySet) -> EvaluationScope:
    """Read the query set as arrays; three queries at most."""
    members = query_set.members.order_by("item")
    sources = column(members.filter(part=QuerySetItem.Part.SOURCE).values_list("item"))
    gallery = column(members.filter(part=QuerySetItem.Part.GALLERY).values_list("item"))
    direction = Direction(query_set.direction)
    left_out = Item.objects.filter(collection=query_set.collection_id).left_out()
    # Sources are of split test, or they would be in no query set.
    left_out = left_out.filter(Q(excluded_at__isnull=False) | Q(side=SIDES[direction][1]))
    excluded_items = column(left_out.order_by("pk").values_list("pk"))
    return EvaluationScope(
        direction,
        sources[~np.isin(sources, excluded_items)],
        gallery if len(gallery) else None,
        excluded_items,
    )


class Gallery(NamedTuple):
    """The number of targets in a query set's evaluation, and the date of the newest.

    The hash of a score's inputs has the names of the fields in it.

    n : targets that count; at : when the last of them joined, None if that was not recorded
    is_listed : True if the query set lists them; else they are all of its collection
    """

    n: int
    at: datetime | None
    is_listed: bool


def gallery_of(*, query_set: QuerySet, scope: EvaluationScope) -> Gallery:
    """Count the targets at present; one query."""
    side = SIDES[scope.direction][1]
    targets = Item.objects.filter(collection=query_set.collection_id, side=side).in_use()
    if scope.gallery is not None:
        targets = targets.filter(pk__in=scope.gallery.tolist())
    totals = targets.aggregate(n=Count("pk"), at=Max("joined_at"))
    return Gallery(totals["n"], totals["at"], scope.gallery is not None)


def people_grades(
    *, collection: Collection, direction: Direction, sources: Iterable[int] | None = None
) -> Grades:
    """Read people's grades, and those that pairs of duplicates take from their originals.

    sources : only pairs of these source items; None means all
    """
    return people_parts(collection=collection, direction=direction, sources=sources).whole


class PeopleParts(NamedTuple):
    """People's grades by their origin: of a pair itself, or taken from its original's."""

    own: Grades
    propagated: Grades

    @property
    def whole(self) -> Grades:
        """Both; no pair has two."""
        if not len(self.propagated.grade):
            return self.own
        return joined(self.own, self.propagated)


def people_parts(
    *, collection: Collection, direction: Direction, sources: Iterable[int] | None = None
) -> PeopleParts:
    """Read people's grades and propagated ones; two queries, four with duplicates, more of samples.

    sources : only pairs of these source items; None means all
    """
    own_keys = None if sources is None else list(sources)
    originals = originals_of(collection=collection)
    keys = own_keys
    if own_keys is not None and originals:
        keys = [*own_keys, *originals.of(np.array(own_keys, dtype=np.int64)).tolist()]
    own = own_grades(collection=collection, direction=direction, sources=keys)
    if not originals:
        return PeopleParts(own, no_grades())
    propagated = propagated_grades(
        collection=collection, direction=direction, grades=own, originals=originals
    )
    own = without_pairs(own, propagated)
    if own_keys is not None:
        own, propagated = _of_sources(own, own_keys), _of_sources(propagated, own_keys)
    return PeopleParts(own, propagated)


def n_propagated(*, collection: Collection, scope: EvaluationScope | None = None) -> int:
    """Count the pairs with a propagated grade, of a scope or all; one query without duplicates."""
    if not originals_of(collection=collection):
        return 0
    direction = scope.direction if scope else Direction.FORWARD
    grades = people_parts(collection=collection, direction=direction).propagated
    return len(grades.grade if scope is None else within(grades, scope).grade)


def own_grades(
    *, collection: Collection, direction: Direction, sources: Iterable[int] | None = None
) -> Grades:
    """Read the grades of pairs by people's judgments; a disputed or escalated pair has none.

    sources : only pairs of these source items; None means all
    """
    source, target = ends(direction)
    rows = Resolution.objects.filter(collection=collection, grade__isnull=False)
    if sources is not None:
        rows = rows.filter(**{f"pair__{source}__in": list(sources)})
    return sorted_grades(table(rows.values_list(f"pair__{source}", f"pair__{target}", "grade"), 3))


def reference_grades(
    *, collection: Collection, name: str, direction: Direction, sources: Iterable[int] | None = None
) -> Grades:
    """Read the grades of a reference set."""
    source, target = ends(direction)
    rows = ReferenceLabel.objects.filter(
        reference_set__collection=collection, reference_set__name=name
    )
    if sources is not None:
        rows = rows.filter(**{f"{source}__in": list(sources)})
    return sorted_grades(table(rows.values_list(source, target, "grade"), 3))


def labels_of(
    *,
    collection: Collection,
    direction: Direction,
    label_source: LabelSource,
    people: Grades | None = None,
    sources: Iterable[int] | None = None,
) -> Grades:
    """Read the grades of a label source, for all pairs or those of some source items.

    A query per table.
    people : people's grades; None means as the collection's policy resolved them, and propagated
    """
    source_keys = None if sources is None else list(sources)
    if people is None:
        is_read = label_source.has_people
        people = (
            people_grades(collection=collection, direction=direction, sources=source_keys)
            if is_read
            else no_grades()
        )
    references = [
        reference_grades(collection=collection, name=name, direction=direction, sources=source_keys)
        for name in label_source.sets
    ]
    return label_source.grades(people, references)


def set_names(*, collection: Collection) -> list[str]:
    """Return the names of the reference sets that count without being named, the oldest first."""
    sets = ReferenceSet.objects.usual().filter(collection=collection)
    return list(sets.order_by("pk").values_list("name", flat=True))


def truth_source(*, collection: Collection) -> LabelSource | None:
    """Return the source of a rehearsal's known truth; None, without a query, elsewhere."""
    if not collection.is_rehearsal:
        return None
    names = ReferenceSet.objects.known_truth().filter(collection=collection)
    name = names.values_list("name", flat=True).first()
    return LabelSource.of(People.NONE, [name]) if name else None


def nameable_sets(*, collection: Collection) -> list[str]:
    """Return the names that a label source may name: the usual sets, and the known truth."""
    truth = truth_source(collection=collection)
    return [*set_names(collection=collection), *(truth.sets if truth else ())]


def grades_of_set(*, collection: Collection, name: str) -> frozenset[int]:
    """Return the positive grades of the scheme that labels of a reference set have.

    Two queries, and once one for each grade. Raises ReferenceSet.DoesNotExist.
    """
    pk, created_at = ReferenceSet.objects.values_list("pk", "created_at").get(
        collection=collection, name=name
    )
    levels = collection.levels.filter(grade__gt=0).values_list("grade", flat=True)
    return _grades_among(pk, created_at, frozenset(levels))


@lru_cache(maxsize=64)
def _grades_among(reference_set: int, _: datetime, grades: frozenset[int]) -> frozenset[int]:
    """Those of the grades that labels of a set have. Cached, as a set does not change.

    A query for each stops at its first label, where a list of all grades would read millions.
    """
    rows = ReferenceLabel.objects.filter(reference_set=reference_set)
    return frozenset(grade for grade in grades if rows.filter(grade=grade).exists())


def best_grade(*, collection: Collection) -> int:
    """Return the largest grade that a pair could get, at least the threshold of positives."""
    largest = collection.levels.order_by("-grade").values_list("grade", flat=True).first()
    return max(largest or 0, collection.positive_from)


def within(grades: Grades, scope: EvaluationScope) -> Grades:
    """Keep the labels that count in a query set."""
    keep = np.isin(grades.source, scope.sources) & scope.counts(grades.target)
    return Grades(*(values[keep] for values in grades))


def _of_sources(grades: Grades, sources: list[int]) -> Grades:
    keep = np.isin(grades.source, sources)
    return Grades(*(values[keep] for values in grades))


def ends(direction: Direction) -> Sequence[str]:
    """Return the field names of a pair's source and target in a direction."""
    return ("query", "document") if direction == Direction.FORWARD else ("document", "query")
