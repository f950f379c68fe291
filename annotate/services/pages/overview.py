"""Overview of a collection, its first page: figures of its contents."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from annotate.core.phrases import counted
from annotate.models import (
    Annotator,
    Collection,
    Item,
    Judgment,
    Part,
    QuerySetItem,
    ReferenceSet,
    Resolution,
    Role,
    Round,
    Side,
    Work,
)
from annotate.models import QuerySet as ItemSet
from annotate.services.collection.positives import QuerySetPositives, positive_counts
from annotate.services.imports import media_inspection


class Overview(NamedTuple):
    """Figures for leads and researchers."""

    n_queries: int
    n_documents: int
    n_excluded: int
    n_other_splits: int
    kinds: list[tuple[str, int]]
    reference_sets: Sequence[ReferenceSet]
    query_sets: Sequence[ItemSet]
    positives: list[QuerySetPositives]
    imports: QuerySet[Round]
    n_being_read: int
    n_open_pools: int
    n_judgments: int
    n_judged_pairs: int
    n_annotators: int
    doubts: list[str]

    @property
    def being_read_text(self) -> str:
        """The number of files being read, in words; empty if there are none."""
        n = self.n_being_read
        return f"{counted(n, 'file')} {'is' if n == 1 else 'are'} being read." if n else ""


def overview(*, collection: Collection) -> Overview:
    """The figures of one collection, in a fixed number of queries."""
    items = Item.objects.filter(collection=collection).aggregate(
        queries=Count("pk", filter=Q(side=Side.QUERY)),
        documents=Count("pk", filter=Q(side=Side.DOCUMENT)),
        excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
        other=Count("pk", filter=~Q(split="test")),
    )
    kinds = Part.objects.filter(item__collection=collection).order_by("kind").values_list("kind")
    references = list(counted_references(collection=collection))
    sets = list(counted_query_sets(collection=collection))
    return Overview(
        n_queries=items["queries"],
        n_documents=items["documents"],
        n_excluded=items["excluded"],
        n_other_splits=items["other"],
        kinds=[(Part.Kind(kind).label, n) for kind, n in kinds.annotate(Count("pk"))],
        reference_sets=references,
        query_sets=sets,
        positives=positive_counts(
            collection=collection,
            reference_sets=references,
            query_sets=sets,
            n_excluded=items["excluded"],
        ),
        imports=collection.rounds.filter(kind=Round.Kind.IMPORT)
        .annotate(n_labels=Count("counting_judgments"))
        .order_by("name"),
        n_being_read=collection.imports.filter(work__state__in=Work.UNFINISHED).count(),
        n_open_pools=collection.rounds.filter(kind=Round.Kind.POOL, state=Round.State.OPEN).count(),
        n_judgments=Judgment.objects.filter(collection=collection).count(),
        n_judged_pairs=Resolution.objects.filter(collection=collection, n_labels__gt=0).count(),
        n_annotators=collection.memberships.filter(role=Role.ANNOTATOR).count()
        + collection.annotators.filter(origin=Annotator.Origin.SIMULATED).count(),
        doubts=media_inspection.doubts(collection=collection),
    )


def counted_references(*, collection: Collection) -> QuerySet[Any]:
    """The reference sets by name, each with its `n_labels`."""
    return collection.reference_sets.annotate(n_labels=Count("labels")).order_by("name")


def counted_query_sets(*, collection: Collection) -> QuerySet[Any]:
    """The query sets by direction and name, each with its `n_sources`."""
    n_sources = Count("members", filter=Q(members__part=QuerySetItem.Part.SOURCE))
    return collection.query_sets.annotate(n_sources=n_sources).order_by("direction", "name")
