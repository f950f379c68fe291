"""What items belong to, as files say it: how many say so, and what a later file says otherwise."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Q, QuerySet

from annotate.models import Collection, Item, Side

_SET = """
    UPDATE annotate_item SET "group" = named."group"
    FROM unnest(%s::bigint[], %s::text[]) AS named(item, "group") WHERE annotate_item.id = named.item
"""


class Grouped(NamedTuple):
    """How many items of each side carry a group of the upload, and in words what that means."""

    n_queries: int
    n_documents: int

    def __str__(self) -> str:
        if not any(self):
            return "No query and no document carries a group of the upload: by the column, each query stands by itself."
        sides = ((self.n_queries, "query", "queries"), (self.n_documents, "document", "documents"))
        named = " and ".join(f"{n:,} {one if n == 1 else several}" for n, one, several in sides if n)
        carry = "carries" if sum(self) == 1 else "carry"
        return f"{named} {carry} a group of the upload; what has none stands by itself."


def grouped(*, collection: Collection) -> Grouped:
    """How many items of a collection carry a group."""
    items = Item.objects.filter(collection=collection).exclude(group="")
    sides = {"n_queries": Side.QUERY, "n_documents": Side.DOCUMENT}
    return Grouped(**items.aggregate(**{name: Count("pk", filter=Q(side=side)) for name, side in sides.items()}))


def awaits_groups(*, collection: Collection) -> bool:
    """Whether no query carries a group yet and the collection goes by its reference labels.

    Where queries carry groups already, a lead chose to go by the labels nevertheless.
    """
    goes_by_labels = collection.query_groups == Collection.Grouping.REFERENCE
    return goes_by_labels and not _grouped_queries(collection).exists()


def go_by_column(*, collection: Collection) -> bool:
    """Let intervals and tests follow the groups of the upload, if a query carries one; returns whether they do now.

    Whoever calls this tells metrics. Groups of documents alone leave captions with the documents they belong to.
    """
    if not _grouped_queries(collection).exists():
        return False
    collection.query_groups = Collection.Grouping.COLUMN
    collection.save(update_fields=["query_groups"])
    return True


def _grouped_queries(collection: Collection) -> QuerySet[Item]:
    return Item.objects.filter(collection=collection, side=Side.QUERY).exclude(group="")


def regroup(groups: Iterable[tuple[int, str, str]]) -> int:
    """Set groups that a file has otherwise than they are stored; returns how many.

    groups : key of an item, its group as stored, and as the file has it; "" there leaves what is stored
    """
    changed = {key: group for key, stored, group in groups if group not in ("", stored)}
    if changed:
        with connection.cursor() as cursor:
            cursor.execute(_SET, [list(changed), list(changed.values())])
    return len(changed)
