"""Second tries of previews and rasters that failed, which workers leave alone by themselves."""

from django.core.cache import cache
from django.db import transaction

from annotate.models import Collection, Part, Preview
from annotate.services.pictures.previews import rest_key


def forget_failures(*, collection: Collection) -> tuple[int, int]:
    """Have the previews and rasters of a collection that failed made again by the next sweeps.

    Returns how many of each. Those that workers made stay as they are, with their addresses.
    """
    previews = Preview.objects.filter(collection=collection)
    failed_parts = Part.objects.filter(
        item__collection=collection, previewed_at__isnull=False, preview=None
    )
    with transaction.atomic():
        failed_parts.update(previewed_at=None)
        n_previews, _ = previews.exclude(reason="").delete()
        n_rasters = previews.filter(raster=b"").update(raster=None)
    cache.delete(rest_key(collection.pk))
    return n_previews, n_rasters
