"""Pools of some listed queries: they become a query set of the name of the pool."""

from collections.abc import Sequence

from annotate.models import Collection, QuerySet
from annotate.services.collection.query_sets import (
    BadQuerySetName,
    QuerySetExists,
    narrow_query_set,
)
from pooling.forms.pools import direction_of
from pooling.models import Run
from pooling.services.pools.checks import PoolError


def listed_query_set(
    collection: Collection,
    name: str,
    runs: Sequence[Run],
    query_set: QuerySet | None,
    only: Sequence[int],
) -> QuerySet:
    """Store the listed queries as a query set, with the gallery of the one that was chosen.

    only : keys of source items. Raises PoolError if the name cannot be a query set's.
    """
    try:
        return narrow_query_set(
            collection=collection,
            direction=direction_of(runs, query_set),
            name=name,
            sources=only,
            within=query_set,
        )
    except (BadQuerySetName, QuerySetExists) as error:
        raise PoolError("name", f"The listed queries become a query set: {error}") from error
