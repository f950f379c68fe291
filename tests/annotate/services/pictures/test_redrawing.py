"""Previews that failed are made again when an operator asks for it, and no others."""

import io

import pytest
from django.core.cache import cache
from django.core.management import call_command

from annotate import tasks
from annotate.models import Preview
from annotate.services.collection.media import media_folder
from annotate.services.pictures import previews, rasters
from tests import cast
from tests.annotate.image_files import image_file
from tests.annotate.services.pictures.test_previews import add_image, results

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def redraw(slug="photos"):
    output = io.StringIO()
    call_command("redraw_previews", slug, stdout=output)
    return output.getvalue()


def test_what_failed_is_tried_again_once_the_file_was_replaced():
    collection = cast.collection("photos")
    content = image_file(size=(10, 10))
    good = add_image(collection, "good.png", content)
    broken = add_image(collection, "broken.png", b"no image")
    theirs = add_image(cast.collection("others"), "theirs.png", b"none either")
    for owner in (collection, theirs.item.collection):
        tasks.make_previews(collection_id=owner.pk)
    assert results(good, broken, theirs) == [(10, 10), "no-image", "no-image"]
    address = good.preview_id
    (media_folder(collection) / "broken.png").write_bytes(content)
    assert previews.take_turn(collection=collection) == 0  # nothing by itself
    cache.set(previews.rest_key(collection.pk), True)
    assert "Failed: 1 preview and 0 rasters." in redraw()
    assert previews.overdue() == [collection.pk]
    tasks.make_previews(collection_id=collection.pk)
    assert results(good, broken, theirs) == [(10, 10), (10, 10), "no-image"]
    assert good.preview_id == address


def test_a_raster_that_could_not_be_had_is_computed_again():
    collection = cast.collection("photos")
    part = add_image(collection, "a.png", image_file(size=(10, 10)))
    tasks.make_previews(collection_id=collection.pk)
    raster = bytes(Preview.objects.get().raster)
    Preview.objects.update(raster=b"")
    assert rasters.overdue() == []
    assert "Failed: 0 previews and 1 raster." in redraw()
    tasks.compute_rasters(collection_id=collection.pk)
    assert len(bytes(Preview.objects.get().raster)) == len(raster)
    assert results(part) == [(10, 10)]
