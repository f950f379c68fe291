"""Groups of items from files: how many items carry one, and changes by a later file."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Q, QuerySet

from annotate.models import Collection, Item, Side

_SET = """
    UPDATE annotate_item SET "group" = new_group."group"
    FROM unnest(%s::bigint[], %s::text[]) AS new_group(item_id, "group")
    WHERE annotate_item.id = new_group.item_id
"""


class GroupCounts(NamedTuple):
    """Number of items of each side that carry a group of the upload; as text, with what follows."""

    n_queries: int
    n_documents: int

    def __str__(self) -> str:
        if not any(self):
            return (
                "No query and no document carries a group of the upload: "
                "by the column, each query stands by itself."
            )
        sides = ((self.n_queries, "query", "queries"), (self.n_documents, "document", "documents"))
        counts = " and ".join(
            f"{n:,} {singular if n == 1 else plural}" for n, singular, plural in sides if n
        )
        carry = "carries" if sum(self) == 1 else "carry"
        return f"{counts} {carry} a group of the upload; what has none stands by itself."


def count_groups(*, collection: Collection) -> GroupCounts:
    """Count the items of a collection that carry a group."""
    items = Item.objects.filter(collection=collection).exclude(group="")
    sides = {"n_queries": Side.QUERY, "n_documents": Side.DOCUMENT}
    return GroupCounts(
        **items.aggregate(
            **{name: Count("pk", filter=Q(side=side)) for name, side in sides.items()}
        )
    )


def awaits_groups(*, collection: Collection) -> bool:
    """True if no query carries a group yet and the collection goes by its reference labels.

    Where queries carry groups already, a lead chose to go by the labels nevertheless.
    """
    goes_by_labels = collection.query_groups == Collection.Grouping.REFERENCE
    return goes_by_labels and not _grouped_queries(collection).exists()


def go_by_column(*, collection: Collection) -> bool:
    """Group queries by the upload, if a query carries a group; return whether they are now.

    The caller notifies metrics. Groups of documents alone leave captions with the documents they
    belong to.
    """
    if not _grouped_queries(collection).exists():
        return False
    collection.query_groups = Collection.Grouping.COLUMN
    collection.save(update_fields=["query_groups"])
    return True


def _grouped_queries(collection: Collection) -> QuerySet[Item]:
    return Item.objects.filter(collection=collection, side=Side.QUERY).exclude(group="")


def update_groups(groups: Iterable[tuple[int, str, str]]) -> int:
    """Store the groups of a file that differ from the stored ones; return how many.

    groups : key of an item, its stored group, and its new one; "" there leaves the stored one
    """
    new_groups = {
        key: group for key, stored_group, group in groups if group not in ("", stored_group)
    }
    if new_groups:
        with connection.cursor() as cursor:
            cursor.execute(_SET, [list(new_groups), list(new_groups.values())])
    return len(new_groups)
