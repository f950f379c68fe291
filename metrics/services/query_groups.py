"""Which queries belong together, such as the captions of one video: intervals and tests draw them as a whole.

By the reference labels a source belongs to the one target to which the oldest set with a positive grade for it gives
the largest one; where there are two such targets, or none, the source stands by itself. So captions of one
video are a group, topics with many relevant documents are not.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection, Direction, Item, Part, ReferenceSet
from metrics.core.drawn import Draw
from metrics.core.groups import Groups, are_lopsided
from metrics.services.labels import Ids, ends
from pooling.models import PoolSource
from pooling.services.run_storage import SIDES

FEW = 30  # groups: fewer tell little of how far other ones would differ
FEW_QUERIES = 25  # that stand by themselves: likewise
_KINDS = {Part.Kind.VIDEO: "videos", Part.Kind.IMAGE: "images", Part.Kind.AUDIO: "recordings"}
_LINKED = """
    WITH best AS (
        SELECT {source}_id AS source, {target}_id AS target,
               rank() OVER (PARTITION BY {source}_id ORDER BY reference_set_id, grade DESC) AS place
        FROM annotate_referencelabel WHERE reference_set_id = ANY(%s) AND grade >= %s)
    SELECT source, min(target) FROM best WHERE place = 1 GROUP BY source HAVING count(*) = 1 ORDER BY source
"""


class GroupFacts(NamedTuple):
    """How a page tells of groups: "27,763 captions of 670 videos".

    grouping : a value of Collection.Grouping; n_groups : as many as queries where each stands by itself
    pool : that drew the queries, of n_population; None where no pool did
    n_drawn : how many it drew, of which these may be a part
    n_effective : as how many groups of one size they count; None where nobody wrote it down
    """

    grouping: str
    n_queries: int
    n_groups: int
    queries: str
    groups: str
    pool: str = ""
    n_population: int | None = None
    n_drawn: int | None = None
    n_effective: float | None = None

    @property
    def target(self) -> str:
        """What a mean over drawn queries is of; empty of those that nobody drew."""
        if self.n_population is None:
            return ""
        if self.is_part:
            return (
                f"They are some of {self.n_drawn:,} that were drawn of {self.n_population:,} for pool “{self.pool}”: "
                "each stands for what its stratum holds."
            )
        drawn = f"The {self.queries} were drawn of {self.n_population:,} for pool “{self.pool}”"
        return f"{drawn}, and a score estimates the mean over all of those: each stands for what its stratum holds."

    @property
    def is_part(self) -> bool:
        """Whether they are only some of those that a pool drew."""
        return self.n_drawn is not None and self.n_queries < self.n_drawn

    @property
    def are_single(self) -> bool:
        """Whether each query stands by itself."""
        return self.n_groups == self.n_queries

    @property
    def are_one(self) -> bool:
        """Whether all queries are of one group, so that nothing can be said of another one."""
        return self.n_groups == 1 and not self.are_single

    @property
    def drawn(self) -> str:
        """What is drawn, tossed and analysed as a whole."""
        return self.queries if self.are_single else self.groups

    @property
    def choice(self) -> str:
        """What is said of how they came about; empty where nobody needs to know: the usual way, and all stand alone."""
        if self.grouping == Collection.Grouping.NONE:
            return f"Each of the {self.queries} is taken by itself, as chosen in Settings."
        if self.grouping == Collection.Grouping.COLUMN and self.are_single:
            return f"None of the {self.queries} shares a group of the upload with another: each is taken by itself."
        if self.grouping == Collection.Grouping.COLUMN:
            return f"Which {self.queries} belong together is said by the column “group” of the upload."
        if self.are_single:
            return ""
        return f"Which {self.queries} belong together is said by the reference labels."

    @property
    def caution(self) -> str:
        """What is said of few groups, or queries that stand by themselves, as many as they count; empty of many."""
        counted = self.n_groups if self.n_effective is None else self.n_effective
        if self.n_groups < 2 or counted >= (FEW_QUERIES if self.are_single else FEW):
            return ""
        if self.are_single:
            return self._few_queries(counted)
        size = f"The {self.n_groups:,} {self.groups} differ so much in size that they count as about {counted:.0f}"
        if are_lopsided(self.n_groups, counted):
            return f"{size}: there are no such intervals, and tests other than randomization are too sure."
        if self.n_groups < FEW and counted >= self.n_groups / 2:
            return f"With {self.n_groups} {self.groups} such intervals and tests are rough."
        return f"{size}: intervals and tests other than randomization are too sure."

    def _few_queries(self, counted: float) -> str:
        if are_lopsided(self.n_queries, counted):
            return f"A few {self.queries} stand for nearly all, which count as {counted:.0f}: there are no intervals."
        if self.n_queries < FEW_QUERIES:
            return f"With {self.n_queries} {self.queries} intervals are rough."
        return f"Some {self.queries} stand for many, so that all count as about {counted:.0f}: intervals are rough."

    @property
    def notes(self) -> str:
        """All that is said beside the numbers; empty where nothing is."""
        return " ".join(filter(None, (self.target, self.choice, self.caution)))

    @property
    def text(self) -> str:
        """The numbers of both, or of queries alone where each stands by itself."""
        queries = f"{self.n_queries:,} {self.queries if self.n_queries != 1 else _one(self.queries)}"
        if self.are_single:
            return queries
        return f"{queries} of {self.n_groups:,} {self.groups if self.n_groups != 1 else _one(self.groups)}"


class _Links(NamedTuple):
    """(N,) sources, ascending, that belong to one target each, and (N,) that target."""

    source: Ids
    target: Ids


def groups_of(*, collection: Collection, direction: Direction, sources: Ids, whole: Ids | None = None) -> Groups:
    """The groups of ascending source items, by what the collection chose; three queries at most.

    Items that a pool drew by strata have the weights with which they stand for all that it drew them of.
    whole : the query set of which the items are a part; None where they are all of it
    """
    sample = _sample(collection, direction, sources if whole is None else whole)
    weight = sample.weights_of(sources) if sample else None
    return Groups.of(_keys(collection, direction, sources), weight=weight)


class _Sample(NamedTuple):
    """The pool whose draw a query set is, and of how many it drew.

    item : ascending; weight : 1 / the chance of each; stratum : (Q,) of which each was drawn
    """

    pool: str
    n_population: int
    item: Ids
    weight: NDArray[np.float64]
    stratum: Ids

    def weights_of(self, sources: Ids) -> NDArray[np.float64]:
        """(Q,) of some of the items."""
        return self.weight[np.searchsorted(self.item, sources)]


def _sample(collection: Collection, direction: Direction, whole: Ids) -> _Sample | None:
    """The oldest pool that drew just these items, but for excluded ones, of more; None where none did. One query."""
    rows = PoolSource.objects.filter(pool__collection=collection, item__side=SIDES[direction][0]).order_by("item")
    draws: dict[tuple[int, str], list[tuple[int, int, float, bool]]] = {}
    columns = ("pool", "pool__name", "item", "stratum", "inclusion_probability", "item__excluded_at")
    for pk, name, item, stratum, chance, excluded_at in rows.values_list(*columns):
        draws.setdefault((pk, name), []).append((item, stratum, chance, excluded_at is None))
    for (_, name), drawn in sorted(draws.items()):
        items, strata = np.array([row[:2] for row in drawn if row[3]], dtype=np.int64).reshape(-1, 2).T
        weight = np.array([1 / chance for *_, chance, counts in drawn if counts])
        if len(items) and weight.max() > 1 and np.array_equal(items, whole):
            return _Sample(name, round(sum(1 / chance for *_, chance, _ in drawn)), items, weight, strata)
    return None


def draw_of(*, collection: Collection, direction: Direction, sources: Ids) -> Draw | None:
    """How a pool drew just these ascending items by strata; None where none did. One query.

    A stratum is as large as its drawn items stand for, without what was excluded since.
    """
    sample = _sample(collection, direction, sources)
    if sample is None:
        return None
    stratum = np.unique(sample.stratum, return_inverse=True)[1].ravel()
    return Draw(stratum, np.bincount(stratum, weights=sample.weight))


def facts_of(*, collection: Collection, direction: Direction, sources: Ids, whole: Ids | None = None) -> GroupFacts:
    """What a page says of the groups of ascending source items; five queries at most. whole : as in `groups_of`"""
    keys = _keys(collection, direction, sources)
    n_groups = len(np.unique(keys))
    queries, groups = ("queries", "documents") if direction == Direction.FORWARD else ("documents", "queries")
    if collection.query_groups == Collection.Grouping.COLUMN:
        groups = "groups"
    elif n_groups < len(sources):
        shown = _kinds(keys[keys > 0])
        groups = _KINDS.get(shown.pop(), groups) if len(shown) == 1 else groups
        if direction == Direction.FORWARD and groups in _KINDS.values() and _kinds(sources) == {Part.Kind.TEXT}:
            queries = "captions"
    sample = _sample(collection, direction, sources if whole is None else whole)
    drawn = (sample.pool, sample.n_population, len(sample.item)) if sample else ()
    n_effective = Groups.of(keys, weight=sample.weights_of(sources) if sample else None).n_effective
    return GroupFacts(collection.query_groups, len(sources), n_groups, queries, groups, *drawn, n_effective=n_effective)


def _kinds(items: Ids) -> set[str]:
    """What the first parts of some items are."""
    parts = Part.objects.filter(item__in=np.unique(items).tolist(), position=0)
    return set(parts.values_list("kind", flat=True).distinct())


def names_of(*, collection: Collection, direction: Direction, sources: Ids) -> list[str]:
    """The group of each of ascending source items, as files name it: "document:v7", "group:indoor" or "query:q3".

    Of a source that stands by itself the group is the source. Four queries at most.
    """
    keys = _keys(collection, direction, sources)
    by_column = collection.query_groups == Collection.Grouping.COLUMN
    items = Item.objects.filter(pk__in=np.unique(np.abs(keys if not by_column else sources)).tolist())
    known = {
        pk: (side, external_id, group)
        for pk, side, external_id, group in items.values_list("pk", "side", "external_id", "group")
    }
    names = []
    for source, key in zip(sources.tolist(), keys.tolist(), strict=True):
        side, external_id, group = known[source if by_column else abs(key)]
        names.append(f"group:{group}" if by_column and key > 0 else f"{side}:{external_id}")
    return names


def facts_from(value: dict[str, Any] | None) -> GroupFacts | None:
    """What `facts_of` said, from JSON; None where nothing was written down."""
    return GroupFacts(**value) if value else None


def _one(noun: str) -> str:
    return "query" if noun == "queries" else noun.removesuffix("s")


def _keys(collection: Collection, direction: Direction, sources: Ids) -> Ids:
    """(Q,) a key a group: above 0 what a source is linked to or named with, its own key below 0 where it is alone."""
    if collection.query_groups == Collection.Grouping.REFERENCE:
        return _linked_keys(collection, direction, sources)
    keys = -sources
    if collection.query_groups == Collection.Grouping.COLUMN:
        named = Item.objects.filter(pk__in=sources.tolist()).exclude(group="").order_by("pk")
        rows = list(named.values_list("pk", "group"))
        number = {group: place for place, group in enumerate(dict.fromkeys(group for _, group in rows), start=1)}
        keys[np.searchsorted(sources, [pk for pk, _ in rows])] = [number[group] for _, group in rows]
    return keys


def _linked_keys(collection: Collection, direction: Direction, sources: Ids) -> Ids:
    sets = ReferenceSet.objects.filter(collection=collection).order_by("pk").values_list("pk", "created_at")
    links = _links(tuple(sets), collection.positive_from, direction)
    if not len(links.source):
        return -sources
    place = np.minimum(np.searchsorted(links.source, sources), len(links.source) - 1)
    return np.where(links.source[place] == sources, links.target[place], -sources)


@lru_cache(maxsize=16)
def _links(sets: Sequence[tuple[int, datetime]], positive_from: int, direction: Direction) -> _Links:
    """What the labels of reference sets link; kept, as a set does not change once it is loaded."""
    source, target = ends(direction)
    with connection.cursor() as cursor:
        cursor.execute(_LINKED.format(source=source, target=target), [[pk for pk, _ in sets], positive_from])
        rows = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
    return _Links(rows[:, 0], rows[:, 1])
