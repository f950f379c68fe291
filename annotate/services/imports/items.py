"""Import of items from files: all or nothing, and the same file twice changes nothing."""

import logging
from collections.abc import Sequence
from itertools import chain

from django.db import transaction

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import Problems, guarded
from annotate.core.files.items import item_formats
from annotate.core.files.items.item_columns import ItemColumns
from annotate.core.files.items.item_rows import check_item
from annotate.models import Collection, Side, User
from annotate.services.background.progress import ProgressCallback, ignore_progress
from annotate.services.background.workers import lock_task
from annotate.services.collection import media, references
from annotate.services.collection.reference_reports import ReferenceReport
from annotate.services.imports import media_inspection
from annotate.services.imports.item_loader import ItemLoader
from annotate.services.imports.item_reports import CollectionReport

log = logging.getLogger(__name__)


@transaction.atomic
def load_collection(
    *,
    collection: Collection,
    source: Source,
    by: User | None = None,
    media_source: Source | None = None,
    columns: ItemColumns | None = None,
    on_progress: ProgressCallback = ignore_progress,
) -> CollectionReport:
    """Add a file's items, their media, the labels of a BEIR folder, and the query sets "all".

    source : the file, folder or archive of items; media are looked for in `media_source`, then in
        the source, in the collection's own folder and in the operator's store
    columns : what the columns of a file in another shape are taken for
    Queries and query sets are fixed once the collection has been judged. Raises FileRejected with
    the first 50 faults, QueriesFixed, and the errors of media and references.
    """
    lock_task("loading", collection=collection)
    collection = Collection.objects.get(pk=collection.pk)
    problems = Problems()
    loader = ItemLoader(
        collection, [media_source, source] if media_source else [source], problems, by
    )
    rows = guarded(item_formats.read_items(source, problems, columns), problems)
    report = loader.load(rows, source.name, on_progress)
    report.references = _load_labels(collection, source, columns, by, on_progress)
    # late: copied files stay when a transaction is rolled back
    report.n_media = media.store_media(
        collection=collection, sources=loader.media, on_progress=on_progress
    )
    if loader.n_played and media_inspection.look_into_files(
        collection=collection, report=on_progress
    ):
        report.doubts = media_inspection.doubts(collection=collection)
    loader.finish()
    log.info("%s loaded %s into %s: %s", by, source.name, collection.slug, report)
    return report


@transaction.atomic
def load_documents(
    *,
    collection: Collection,
    ids: Sequence[str],
    file_name: str,
    by: User | None = None,
    on_progress: ProgressCallback = ignore_progress,
) -> CollectionReport:
    """Add documents known by their ids alone; stored ones stay. Raises FileRejected for bad ids."""
    lock_task("loading", collection=collection)
    collection = Collection.objects.get(pk=collection.pk)
    problems = Problems()
    loader = ItemLoader(collection, [], problems, by)
    items = ({"side": Side.DOCUMENT.value, "id": external_id, "parts": []} for external_id in ids)
    rows = chain.from_iterable(
        check_item(item, file_name, number, problems) for number, item in enumerate(items, start=1)
    )
    report = loader.load(rows, file_name, on_progress) if ids else loader.report
    loader.finish()
    log.info("%s made %s documents of %s in %s", by, report.n_items, file_name, collection.slug)
    return report


def _load_labels(
    collection: Collection,
    source: Source,
    columns: ItemColumns | None,
    by: User | None,
    on_progress: ProgressCallback,
) -> tuple[ReferenceReport, ...]:
    def on_labels(n_done: int, total: int | None = None, unit: str = "labels") -> None:
        on_progress(n_done, total, unit)

    reports = []
    for name in item_formats.label_files(source, columns):
        with source.open(name) as stream:
            reports.append(
                references.load_reference(
                    collection=collection,
                    stream=stream,
                    file_name=name,
                    name=item_formats.reference_name(name),
                    by=by,
                    of_items=True,
                    item_columns=columns,
                    on_progress=on_labels,
                )
            )
    return tuple(reports)
