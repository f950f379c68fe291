"""Rasters: computed with each new preview, and for older ones by turns of a worker."""

import io

import numpy as np
import pytest
from PIL import Image

from annotate import tasks
from annotate.core.media.rasters import RASTER_SIDE
from annotate.models import Preview
from annotate.services.pictures import rasters
from annotate.services.pictures.thumbnails import thumbnails
from tests import cast

pytestmark = pytest.mark.django_db


def two_colours() -> bytes:
    image = Image.new("RGB", (400, 200), (250, 10, 10))
    image.paste((10, 10, 250), (200, 0, 400, 200))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def colours_of(raster):
    cells = np.frombuffer(bytes(raster), dtype=np.uint8)
    return cells.reshape(RASTER_SIDE, RASTER_SIDE, 3).astype(int)


def test_a_thumbnail_comes_with_the_mean_colours_of_its_cells(tmp_path):
    paths = [tmp_path / "good.png", tmp_path / "bad.png"]
    paths[0].write_bytes(two_colours())
    paths[1].write_bytes(two_colours()[:90])
    good, bad = thumbnails(paths)
    assert np.abs(colours_of(good.raster)[:, :15] - [250, 10, 10]).max() <= 3
    assert np.abs(colours_of(good.raster)[:, 17:] - [10, 10, 250]).max() <= 3
    assert (bad.reason, bad.raster) == ("damaged", None)


def test_older_previews_get_theirs_once_and_those_that_cannot_be_read_have_none(tmp_path):
    collection, other = cast.collection("photos"), cast.collection("others")
    (tmp_path / "a.png").write_bytes(two_colours())
    (thumbnail,) = thumbnails([tmp_path / "a.png"])
    fields = {**thumbnail._asdict(), "raster": None}
    older, theirs = (
        Preview.objects.create(collection=owner, checksum="sha256:a", **fields)
        for owner in (collection, other)
    )
    broken = Preview.objects.create(
        collection=collection, checksum="sha256:b", **{**fields, "content": b"nothing"}
    )
    failed = Preview.objects.create(
        collection=collection, checksum="sha256:c", width=0, height=0, reason="damaged"
    )
    assert rasters.overdue() == sorted([collection.pk, other.pk])
    tasks.compute_rasters(collection_id=collection.pk)
    for preview in (older, theirs, broken, failed):
        preview.refresh_from_db()
    assert np.abs(colours_of(older.raster) - colours_of(thumbnail.raster)).max() <= 12
    assert (theirs.raster, bytes(broken.raster), failed.raster) == (None, b"", None)
    assert rasters.overdue() == [other.pk]
    assert rasters.take_turn(collection=collection) == 0
