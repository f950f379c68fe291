"""Images that look alike: changed copies are found, different scenes are not."""

import io

import numpy as np
import pytest
from django.conf import settings
from PIL import Image, ImageDraw, ImageEnhance

from annotate.core.media import look_alikes as module
from annotate.core.media.look_alikes import look_alikes
from annotate.core.media.rasters import RASTER_SIDE

SCENES = sorted((settings.BASE_DIR / "demo" / "shapes" / "media").glob("*.webp"))
N_CHANGED = 15  # scenes that each change is tried on


def raster_of(image):
    small = image.copy()
    small.thumbnail((320, 320), reducing_gap=2)
    return np.asarray(small.resize((RASTER_SIDE, RASTER_SIDE), Image.Resampling.BOX))


def texture(seed):
    """An image as spread over sizes as photos are: noise whose amplitudes fall with frequency."""
    random = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(180)[:, None], np.fft.rfftfreq(240))
    frequency[0, 0] = 1
    waves = random.normal(size=(3, *frequency.shape)) + 1j * random.normal(
        size=(3, *frequency.shape)
    )
    planes = np.fft.irfft2(waves / frequency**1.4, s=(180, 240))
    planes /= planes.std(axis=(1, 2), keepdims=True)
    values = np.clip(128 + 50 * planes, 0, 255).astype(np.uint8)
    return Image.fromarray(np.moveaxis(values, 0, -1).copy())


def recompressed(image, quality):
    data = io.BytesIO()
    image.save(data, "JPEG", quality=quality)
    return Image.open(data).convert("RGB")


def marked(image):
    image = image.copy()
    size = min(image.size) // 10
    x, y = image.width - 2 * size, image.height - 2 * size
    ImageDraw.Draw(image).ellipse((x, y, x + size, y + size), fill=(20, 40, 160))
    return image


def cut(image):
    x, y = round(image.width * 0.015), round(image.height * 0.015)
    return image.crop((x, y, image.width - x, image.height - y))


@pytest.fixture(scope="module")
def scenes():
    return [Image.open(path).convert("RGB") for path in SCENES]


def pairs_of(images):
    rasters = np.stack([raster_of(image) for image in images])
    shapes = np.array([image.width / image.height for image in images])
    alike = look_alikes(rasters, shapes)
    assert not alike.is_cut_short
    return list(zip(alike.first.tolist(), alike.second.tolist(), strict=True))


CHANGES = {
    "quality 90": lambda image: recompressed(image, 90),
    "quality 50": lambda image: recompressed(image, 50),
    "half": lambda image: image.resize((image.width // 2, image.height // 2)),
    "darker": lambda image: ImageEnhance.Brightness(image).enhance(0.9),
    "sign": marked,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_changed_copy_is_found_beside_its_original_alone(scenes, change):
    images = [*scenes[:N_CHANGED], *(texture(seed) for seed in range(5))]
    pairs = pairs_of([*images, *map(change, images)])
    assert sorted(pairs) == [(number, number + len(images)) for number in range(len(images))]


def test_most_cut_copies_are_found_and_nothing_else(scenes):
    images = scenes[:N_CHANGED]
    pairs = pairs_of([*images, *map(cut, images)])
    assert {second - first for first, second in pairs} == {N_CHANGED}
    assert len(pairs) >= 0.9 * N_CHANGED


def test_no_two_of_the_demos_scenes_look_alike(scenes):
    assert pairs_of(scenes) == []


def test_plain_images_and_other_shapes_are_like_none(scenes):
    red, blue = (Image.new("RGB", (40, 20), colour) for colour in ("red", "blue"))
    wide = scenes[0].resize((320, 90))
    assert pairs_of([red, red, blue, scenes[0], wide]) == []
    assert pairs_of(scenes[:1]) == []
    none = look_alikes(np.zeros((0, RASTER_SIDE, RASTER_SIDE, 3), dtype=np.uint8), np.zeros(0))
    assert len(none.first) == 0


def test_the_most_alike_come_first_and_progress_is_told(scenes):
    rough, fine = recompressed(scenes[0], 30), recompressed(scenes[0], 95)
    rasters = np.stack([raster_of(image) for image in (rough, scenes[0], fine)])
    steps = []
    alike = look_alikes(rasters, np.ones(3), report_progress=lambda *step: steps.append(step))
    assert (alike.first[0], alike.second[0]) == (1, 2)
    assert list(alike.likeness) == sorted(alike.likeness, reverse=True)
    assert 0.9 < alike.likeness[0] <= 1 and steps == [(3, 3)]


def test_of_too_many_near_pairs_the_nearest_are_compared(scenes, monkeypatch):
    monkeypatch.setattr(module, "MOST_CANDIDATES", 1)
    images = [scenes[0], scenes[1], recompressed(scenes[0], 50), scenes[0]]
    alike = look_alikes(np.stack([raster_of(image) for image in images]), np.ones(4))
    assert (alike.first.tolist(), alike.second.tolist()) == ([0], [3])
    assert alike.is_cut_short
