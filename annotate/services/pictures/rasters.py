"""Rasters of previews that were drawn before rasters were, by turns of a worker.

A preview's own picture is drawn once more, in the sandbox that drew it from the image: a raster of
it differs from one of the image by what WebP leaves out.
"""

import tempfile
from contextlib import closing
from pathlib import Path

from annotate.models import Collection, Preview
from annotate.services.background import progress
from annotate.services.background.workers import try_lock_subject
from annotate.services.pictures.previews import AT_ONCE, TURN_SECONDS
from annotate.services.pictures.thumbnails import thumbnails


def take_turn(*, collection: Collection) -> int:
    """Compute rasters for about a minute; return their number, 0 while another worker does.

    One that cannot be had is noted, and not tried again by itself. Raises ProcessNotStarted.
    """
    until = progress.clock() + TURN_SECONDS
    n_computed = 0
    waiting_previews = Preview.objects.without_raster().filter(collection=collection)
    with try_lock_subject("raster", collection.pk) as is_ours:
        while is_ours and (rows := list(waiting_previews.order_by("pk")[:AT_ONCE])):
            _compute(rows)
            n_computed += len(rows)
            if progress.clock() >= until:
                break
    return n_computed


def overdue() -> list[int]:
    """Return the keys of collections with previews that wait for their rasters."""
    collection_ids = Preview.objects.without_raster().order_by().values_list("collection")
    return sorted(pk for (pk,) in collection_ids.distinct())


def _compute(previews: list[Preview]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(preview.pk) for preview in previews]
        for path, preview in zip(paths, previews, strict=True):
            path.write_bytes(preview.content)
        with closing(thumbnails(paths)) as drawn_thumbnails:
            for preview, thumbnail in zip(previews, drawn_thumbnails, strict=True):
                preview.raster = thumbnail.raster or b""
    Preview.objects.bulk_update(previews, ["raster"])
