"""Groups of queries, such as the captions of one video: intervals and tests draw whole groups.

By the reference labels a source belongs to the one target with the largest grade in the oldest set
that has a positive grade for it; if there are two such targets, or none, the source stands by
itself. So captions of one video are a group, topics with many relevant documents are not.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.phrases import count_of
from annotate.models import Collection, Direction, Item, Part, ReferenceSet
from annotate.services.storage.number_arrays import array_literal
from metrics.core.statistics.groups import Groups, are_lopsided
from metrics.core.statistics.stratified_means import StratifiedDraw
from metrics.services.scores.labels import Ids, ends
from pooling.models import PoolSource
from pooling.services.runs.storage import SIDES

FEW = 30  # groups: fewer tell little of how far other ones would differ
FEW_QUERIES = 25  # that stand by themselves: likewise
_KINDS: dict[str, str] = {
    Part.Kind.VIDEO: "videos",
    Part.Kind.IMAGE: "images",
    Part.Kind.AUDIO: "recordings",
}
_LINKED = """
    WITH best AS (
        SELECT {source}_id AS source, {target}_id AS target, rank() OVER (
               PARTITION BY {source}_id ORDER BY reference_set_id, grade DESC) AS position
        FROM annotate_referencelabel WHERE reference_set_id = ANY(%s) AND grade >= %s)
    SELECT source, min(target) FROM best WHERE position = 1
    GROUP BY source HAVING count(*) = 1 ORDER BY source
"""


class GroupFacts(NamedTuple):
    """The numbers and nouns of groups, for pages: "27,763 captions of 670 videos".

    grouping : a value of Collection.Grouping; n_groups : equal to n_queries if each stands by
        itself
    pool : the name of the pool that drew the queries from n_population; None if no pool did
    n_drawn : how many it drew, of which these may be a part
    n_effective : the equivalent number of groups of one size; None if it was not recorded
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
        """A sentence on the population of drawn queries; empty if no pool drew them."""
        if self.n_population is None:
            return ""
        if self.is_part:
            return (
                f"They are some of {self.n_drawn:,} that were drawn of {self.n_population:,} for "
                f"pool “{self.pool}”: each stands for what its stratum holds."
            )
        origin = f"The {self.queries} were drawn of {self.n_population:,} for pool “{self.pool}”"
        return (
            f"{origin}, and a score estimates the mean over all of those: each stands for what "
            "its stratum holds."
        )

    @property
    def is_part(self) -> bool:
        """True if they are only some of those that a pool drew."""
        return self.n_drawn is not None and self.n_queries < self.n_drawn

    @property
    def are_single(self) -> bool:
        """True if each query stands by itself."""
        return self.n_groups == self.n_queries

    @property
    def are_one(self) -> bool:
        """True if all queries are of one group, so that nothing can be inferred about another."""
        return self.n_groups == 1 and not self.are_single

    @property
    def sampling_units(self) -> str:
        """The noun for the units that are drawn, tossed and analysed as a whole."""
        return self.queries if self.are_single else self.groups

    @property
    def choice(self) -> str:
        """A sentence on the origin of the groups; empty for the usual one if all stand alone."""
        if self.grouping == Collection.Grouping.NONE:
            return f"Each of the {self.queries} is taken by itself, as chosen in Settings."
        if self.grouping == Collection.Grouping.COLUMN and self.are_single:
            return (
                f"None of the {self.queries} shares a group of the upload with another: each is "
                "taken by itself."
            )
        if self.grouping == Collection.Grouping.COLUMN:
            return (
                f"Which {self.queries} belong together is said by the column “group” of the upload."
            )
        if self.are_single:
            return ""
        return f"Which {self.queries} belong together is said by the reference labels."

    @property
    def caution(self) -> str:
        """A warning of few effective groups, or few queries by themselves; empty for many."""
        n_effective = self.n_groups if self.n_effective is None else self.n_effective
        if self.n_groups < 2 or n_effective >= (FEW_QUERIES if self.are_single else FEW):
            return ""
        if self.are_single:
            return self._few_queries(n_effective)
        size = (
            f"The {self.n_groups:,} {self.groups} differ so much in size that they count as about "
            f"{n_effective:.0f}"
        )
        if are_lopsided(self.n_groups, n_effective):
            return (
                f"{size}: there are no such intervals, and tests other than randomization are too "
                "sure."
            )
        if self.n_groups < FEW and n_effective >= self.n_groups / 2:
            return f"With {self.n_groups} {self.groups} such intervals and tests are rough."
        return f"{size}: intervals and tests other than randomization are too sure."

    def _few_queries(self, n_effective: float) -> str:
        if are_lopsided(self.n_queries, n_effective):
            return (
                f"A few {self.queries} stand for nearly all, which count as {n_effective:.0f}: "
                "there are no intervals."
            )
        if self.n_queries < FEW_QUERIES:
            return f"With {self.n_queries} {self.queries} intervals are rough."
        return (
            f"Some {self.queries} stand for many, so that all count as about {n_effective:.0f}: "
            "intervals are rough."
        )

    @property
    def notes(self) -> str:
        """All sentences beside the numbers; may be empty."""
        return " ".join(filter(None, (self.target, self.choice, self.caution)))

    @property
    def text(self) -> str:
        """The numbers of queries and groups, or of queries alone if each stands by itself."""
        queries = count_of(self.n_queries, self.queries)
        return (
            queries if self.are_single else f"{queries} of {count_of(self.n_groups, self.groups)}"
        )


class _Links(NamedTuple):
    """(N,) sources, ascending, that belong to one target each, and (N,) their targets."""

    source: Ids
    target: Ids


def groups_of(
    *, collection: Collection, direction: Direction, sources: Ids, whole: Ids | None = None
) -> Groups:
    """Group ascending source items by the collection's choice; three queries at most.

    Items that a pool drew by strata have the weights with which they stand for its population.
    whole : the query set of which the items are a part; None if they are all of it
    """
    sample = _sample(collection, direction, sources if whole is None else whole)
    weight = sample.weights_of(sources) if sample else None
    return Groups.of(_keys(collection, direction, sources), weight=weight)


class _SamplePool(NamedTuple):
    """The pool that drew a query set, and the size of its population.

    item : ascending; weight : 1 / the chance of each; stratum : (Q,) from which each was drawn
    """

    pool: str
    n_population: int
    item: Ids
    weight: NDArray[np.float64]
    stratum: Ids

    def weights_of(self, sources: Ids) -> NDArray[np.float64]:
        """(Q,) weights of some of the items."""
        return self.weight[np.searchsorted(self.item, sources)]


def _sample(collection: Collection, direction: Direction, whole: Ids) -> _SamplePool | None:
    """Find the oldest pool that drew just these items, but for excluded ones, from more.

    One query.
    """
    rows = PoolSource.objects.filter(
        pool__collection=collection, item__side=SIDES[direction][0]
    ).order_by("item")
    draws: dict[tuple[int, str], list[tuple[int, int, float, bool]]] = {}
    columns = (
        "pool",
        "pool__name",
        "item",
        "stratum",
        "inclusion_probability",
        "item__excluded_at",
    )
    for pk, name, item, stratum, chance, excluded_at in rows.values_list(*columns):
        draws.setdefault((pk, name), []).append((item, stratum, chance, excluded_at is None))
    for (_, name), pool_rows in sorted(draws.items()):
        items, strata = (
            np.array([row[:2] for row in pool_rows if row[3]], dtype=np.int64).reshape(-1, 2).T
        )
        weight = np.array([1 / chance for *_, chance, counts in pool_rows if counts])
        if len(items) and weight.max() > 1 and np.array_equal(items, whole):
            return _SamplePool(
                name, round(sum(1 / chance for *_, chance, _ in pool_rows)), items, weight, strata
            )
    return None


def draw_of(*, collection: Collection, direction: Direction, sources: Ids) -> StratifiedDraw | None:
    """Return the draw by strata of just these ascending items; None if no pool drew them.

    One query.
    The size of a stratum is the sum of its drawn items' weights, without items excluded since.
    """
    sample = _sample(collection, direction, sources)
    if sample is None:
        return None
    stratum = np.unique(sample.stratum, return_inverse=True)[1].ravel()
    sizes = np.asarray(np.bincount(stratum, weights=sample.weight), dtype=np.float64)
    return StratifiedDraw(stratum, sizes)


def facts_of(
    *, collection: Collection, direction: Direction, sources: Ids, whole: Ids | None = None
) -> GroupFacts:
    """Return the numbers and nouns of the groups of ascending source items; five queries at most.

    whole : as in `groups_of`
    """
    keys = _keys(collection, direction, sources)
    n_groups = len(np.unique(keys))
    queries, groups = direction.sources, direction.targets
    if collection.query_groups == Collection.Grouping.COLUMN:
        groups = "groups"
    elif n_groups < len(sources):
        kinds = _kinds(keys[keys > 0])
        groups = _KINDS.get(kinds.pop(), groups) if len(kinds) == 1 else groups
        if (
            direction == Direction.FORWARD
            and groups in _KINDS.values()
            and _kinds(sources) == {Part.Kind.TEXT}
        ):
            queries = "captions"
    sample = _sample(collection, direction, sources if whole is None else whole)
    weight = sample.weights_of(sources) if sample else None
    return GroupFacts(
        grouping=collection.query_groups,
        n_queries=len(sources),
        n_groups=n_groups,
        queries=queries,
        groups=groups,
        pool=sample.pool if sample else "",
        n_population=sample.n_population if sample else None,
        n_drawn=len(sample.item) if sample else None,
        n_effective=Groups.of(keys, weight=weight).n_effective,
    )


def _kinds(items: Ids) -> set[str]:
    """Return the kinds of the items' first parts."""
    with connection.cursor() as cursor:  # a parameter for each item takes longer than the query
        cursor.execute(
            "SELECT DISTINCT kind FROM annotate_part WHERE position = 0 AND "
            "item_id = ANY(%s::bigint[])",
            [array_literal(np.unique(items))],
        )
        return {kind for (kind,) in cursor.fetchall()}


def names_of(*, collection: Collection, direction: Direction, sources: Ids) -> list[str]:
    """Name each source's group for files, in order: "document:v7", "group:indoor" or "query:q3".

    A source that stands by itself is its own group. Four queries at most.
    """
    keys = _keys(collection, direction, sources)
    by_column = collection.query_groups == Collection.Grouping.COLUMN
    items = Item.objects.filter(
        pk__in=np.unique(np.abs(keys if not by_column else sources)).tolist()
    )
    items_by_key = {
        pk: (side, external_id, group)
        for pk, side, external_id, group in items.values_list("pk", "side", "external_id", "group")
    }
    names = []
    for source, key in zip(sources.tolist(), keys.tolist(), strict=True):
        side, external_id, group = items_by_key[source if by_column else abs(key)]
        names.append(f"group:{group}" if by_column and key > 0 else f"{side}:{external_id}")
    return names


def facts_from(value: dict[str, Any] | None) -> GroupFacts | None:
    """Rebuild the result of `facts_of` from JSON; None if there is none."""
    return GroupFacts(**value) if value else None


def _keys(collection: Collection, direction: Direction, sources: Ids) -> Ids:
    """(Q,) key of each source's group: above 0 a target or named group, below 0 a lone source."""
    if collection.query_groups == Collection.Grouping.REFERENCE:
        return _linked_keys(collection, direction, sources)
    keys = -sources
    if collection.query_groups == Collection.Grouping.COLUMN:
        named_items = Item.objects.filter(pk__in=sources.tolist()).exclude(group="").order_by("pk")
        rows = list(named_items.values_list("pk", "group"))
        number_of = {
            group: index
            for index, group in enumerate(dict.fromkeys(group for _, group in rows), start=1)
        }
        keys[np.searchsorted(sources, [pk for pk, _ in rows])] = [
            number_of[group] for _, group in rows
        ]
    return keys


def _linked_keys(collection: Collection, direction: Direction, sources: Ids) -> Ids:
    sets = (
        ReferenceSet.objects.usual()
        .filter(collection=collection)
        .order_by("pk")
        .values_list("pk", "created_at")
    )
    links = _best_targets(tuple(sets), collection.positive_from, direction)
    if not len(links.source):
        return -sources
    position = np.minimum(np.searchsorted(links.source, sources), len(links.source) - 1)
    return np.where(links.source[position] == sources, links.target[position], -sources)


@lru_cache(maxsize=16)
def _best_targets(
    sets: Sequence[tuple[int, datetime]], positive_from: int, direction: Direction
) -> _Links:
    """Read each source's best positive target, where the reference sets have exactly one.

    Cached, as a set does not change once it is loaded.
    """
    source, target = ends(direction)
    with connection.cursor() as cursor:
        cursor.execute(
            _LINKED.format(source=source, target=target), [[pk for pk, _ in sets], positive_from]
        )
        rows = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
    return _Links(rows[:, 0], rows[:, 1])
