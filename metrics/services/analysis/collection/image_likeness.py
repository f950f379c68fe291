"""Images of a collection that look alike, by the rasters of their previews."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from annotate.core.media.look_alikes import MOST_CANDIDATES, RULES, LookAlikes, look_alikes
from annotate.core.media.rasters import RASTER_BYTES, RASTER_SIDE
from annotate.core.phrases import counted
from annotate.models import Preview
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.shared_values import cached_arrays

MOST_IMAGES = 20_000  # of a side, of which all pairs are looked at


def alike_images(
    request: AnalysisRequest, checksums: Sequence[str]
) -> tuple[LookAlikes | None, list[str]]:
    """Pairs of images by their positions among distinct checksums, and notes; one query at most.

    None where fewer than two can be compared. Nothing is fetched: images without a preview, such as
    those at addresses on the web, are left out.
    """
    if len(checksums) < 2:
        return None, []
    if len(checksums) > MOST_IMAGES:
        return None, [f"{len(checksums):,} images are too many to look for those that look alike."]
    previews = Preview.objects.filter(
        collection=request.collection,
        checksum__in=checksums,
        start=None,  # of images alone
        raster__isnull=False,
    )
    cells: dict[str, tuple[bytes, float]] = {
        checksum: (bytes(raster), width / height)
        for checksum, raster, width, height in previews.values_list(
            "checksum", "raster", "width", "height"
        ).iterator()
        if raster is not None and len(raster) == RASTER_BYTES
    }
    positions = [number for number, checksum in enumerate(checksums) if checksum in cells]
    notes = []
    if n_unknown := len(checksums) - len(positions):
        notes.append(
            f"{counted(n_unknown, 'image')} {'is' if n_unknown == 1 else 'are'} not compared by "
            "looks: without a preview, or it is still being drawn."
        )
    if len(positions) < 2:
        return None, notes
    rows = [cells[checksums[position]] for position in positions]
    rasters = np.frombuffer(b"".join(raster for raster, _ in rows), dtype=np.uint8)
    alike = _look_alikes(
        rasters.reshape(-1, RASTER_SIDE, RASTER_SIDE, 3),
        np.array([shape for _, shape in rows]),
        report_progress=lambda n, total: request.report_progress(n, total, "pairs of images"),
    )
    if alike.is_cut_short:
        notes.append(f"Of images only the nearest {MOST_CANDIDATES:,} pairs are compared.")
    numbers = np.array(positions, dtype=np.int64)
    return alike._replace(first=numbers[alike.first], second=numbers[alike.second]), notes


def _look_alikes(
    rasters: NDArray[np.uint8],
    shapes: NDArray[np.float64],
    *,
    report_progress: Callable[[int, int], None],
) -> LookAlikes:
    """The pairs; they do not depend on labels, so they are in the cache by a hash of the images."""

    def compute() -> tuple[NDArray[np.generic], ...]:
        *columns, is_cut_short = look_alikes(rasters, shapes, report_progress=report_progress)
        return *columns, np.array([is_cut_short])

    digest = hashlib.sha256(RULES.encode() + shapes.tobytes() + rasters.tobytes()).hexdigest()
    first, second, likeness, cut_short = cached_arrays(f"alike-images-{digest}", compute)
    positions = (first.astype(np.int64), second.astype(np.int64))
    return LookAlikes(*positions, likeness, bool(cut_short[0]))
