"""The collection of a release: its sides, guidelines, policies, reference sets and query sets."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Model, Q

from annotate.models import Collection, Item, Part, QuerySet, QuerySetItem, ReferenceSet, Side
from metrics.core.releases.manifest import (
    QuerySetEntry,
    ReferenceSetEntry,
    ReleasedCollection,
    SideEntry,
)

NOT_RELEASED = frozenset({"id", "collection_id", "by_id"})  # of guidelines and policies


def collection_entry(*, collection: Collection) -> ReleasedCollection:
    """The collection itself; no query."""
    return ReleasedCollection(
        slug=collection.slug,
        name=collection.name,
        description=collection.description,
        measurement=collection.measurement,
        positive_from=collection.positive_from,
        is_rehearsal=collection.is_rehearsal,
        query_groups=collection.query_groups,
    )


def side_entries(*, collection: Collection) -> tuple[SideEntry, ...]:
    """Both sides, the query side first, with the items of every split; two queries."""
    items = Item.objects.filter(collection=collection).values("side")
    counts = items.annotate(
        n_items=Count("pk"),
        n_excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
        n_duplicates=Count("as_duplicate"),
    ).values_list("side", "n_items", "n_excluded", "n_duplicates")
    counts_by_side = {side: numbers for side, *numbers in counts}
    parts = Part.objects.filter(item__collection=collection).order_by().values("kind")
    part_counts = parts.annotate(side=F("item__side"), n=Count("pk"))
    n_parts = {(side, kind): n for side, kind, n in part_counts.values_list("side", "kind", "n")}
    entries = []
    for side in (Side.QUERY, Side.DOCUMENT):
        n_items, n_excluded, n_duplicates = counts_by_side.get(str(side), (0, 0, 0))
        entries.append(
            SideEntry(
                side=str(side),
                n_items=n_items,
                n_excluded=n_excluded,
                n_duplicates=n_duplicates,
                n_parts={
                    kind: n_parts[side, kind]
                    for kind in Part.Kind.values
                    if (side, kind) in n_parts
                },
            )
        )
    return tuple(entries)


def guideline_versions(*, collection: Collection) -> tuple[dict[str, Any], ...]:
    """The versions of the guidelines as JSON, the oldest first, without who wrote them."""
    return tuple(_as_json(row) for row in collection.guidelines.order_by("version"))


def policy_versions(*, collection: Collection) -> tuple[dict[str, Any], ...]:
    """The versions of the policy as JSON, the oldest first, without who wrote them.

    Shares are text, as stored: "0.1000".
    """
    return tuple(_as_json(row) for row in collection.policies.order_by("version"))


def reference_set_entries(*, collection: Collection) -> tuple[ReferenceSetEntry, ...]:
    """The reference sets, the oldest first; one query."""
    is_positive = Q(labels__grade__gte=collection.positive_from)
    rows = ReferenceSet.objects.usual().filter(collection=collection).order_by("pk")
    counts = rows.annotate(n_labels=Count("labels"), n_positive=Count("labels", filter=is_positive))
    return tuple(
        ReferenceSetEntry(name=row.name, n_labels=row.n_labels, n_positive=row.n_positive)
        for row in counts
    )


def query_set_entries(
    *, collection: Collection, files: Mapping[int, str]
) -> tuple[QuerySetEntry, ...]:
    """The query sets, the oldest first, with the members that count in evaluation; one query.

    files : the path of each one's members by its key; empty for one without
    """
    in_use = Q(members__item__excluded_at=None, members__item__split="test")
    gallery = Q(members__part=QuerySetItem.Part.GALLERY)
    rows = QuerySet.objects.filter(collection=collection).order_by("pk")
    counts = rows.annotate(
        n_sources=Count("members", filter=Q(members__part=QuerySetItem.Part.SOURCE) & in_use),
        n_listed=Count("members", filter=gallery),
        n_gallery=Count("members", filter=gallery & in_use),
    )
    return tuple(
        QuerySetEntry(
            name=row.name,
            direction=row.direction,
            n_sources=row.n_sources,
            n_gallery=row.n_gallery if row.n_listed else None,
            file=files.get(row.pk, ""),
        )
        for row in counts
    )


def _as_json(row: Model) -> dict[str, Any]:
    names = [field.attname for field in row._meta.concrete_fields]
    return {name: _json_value(getattr(row, name)) for name in names if name not in NOT_RELEASED}


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
