"""The items of a query set as a release has them in a file."""

from collections.abc import Iterator

from annotate.models import QuerySet
from metrics.services.downloads.items import ExternalIds
from metrics.services.scores import labels


def query_set_lines(*, query_set: QuerySet, external_ids: ExternalIds) -> Iterator[str]:
    """The sources of a query set that count, and the targets of its gallery, by their bytes."""
    scope = labels.scope_of(query_set=query_set)
    yield "part\titem\n"
    for part, items in (("source", scope.sources), ("gallery", scope.gallery)):
        if items is not None:
            for item in sorted(external_ids.of(items), key=str.encode):
                yield f"{part}\t{item}\n"
