"""Thumbnails: all images that cards show are drawn; files made to do harm fail alone."""

import io

import pytest
from PIL import Image

from annotate.services.pictures import thumbnails as module
from annotate.services.pictures.thumbnail_process import MAX_PIXELS
from annotate.services.pictures.thumbnails import thumbnails
from tests.annotate.image_files import black_png, image_file

ORIENTATION = 0x0112


@pytest.fixture
def drawn(tmp_path):
    """The thumbnails of some files, by their content."""

    def draw(*contents):
        paths = [tmp_path / f"{number}.bin" for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        return list(thumbnails(paths))

    return draw


def opened(thumbnail):
    return Image.open(io.BytesIO(thumbnail.content))


def colour_of(thumbnail, x=0.5, y=0.5):
    """The colour at a place, in steps of 64: WebP keeps none exactly."""
    image = opened(thumbnail).convert("RGB")
    pixel = image.getpixel((int(image.width * x), int(image.height * y)))
    return tuple(round(value / 64) for value in pixel)


RED, BLACK, WHITE, GREY = (4, 0, 0), (0, 0, 0), (4, 4, 4), (2, 2, 2)


@pytest.mark.parametrize(
    ("content", "colour"),
    [
        (image_file(form="JPEG"), RED),
        (image_file(form="PNG"), RED),
        (image_file(form="GIF"), RED),
        (image_file(form="WEBP"), RED),
        (image_file(form="AVIF"), RED),
        (image_file("CMYK", colour=(0, 255, 255, 0), form="JPEG"), RED),
        (image_file("L", colour=128, form="JPEG"), GREY),
        (image_file("I;16", colour=128 * 256, form="PNG"), GREY),
        (image_file("1", colour=1, form="PNG"), WHITE),
        (image_file("P", colour=0, form="PNG"), BLACK),
        (image_file("RGBA", colour=(0, 0, 0, 0), form="PNG"), WHITE),
        (image_file("LA", colour=(0, 0), form="PNG"), WHITE),
    ],
    ids=[
        *("jpeg", "png", "gif", "webp", "avif", "cmyk", "grey", "16-bit", "bits", "palette"),
        *("transparent", "transparent-grey"),
    ],
)
def test_every_kind_of_image_is_drawn_on_white(drawn, content, colour):
    (thumbnail,) = drawn(content)
    assert (thumbnail.width, thumbnail.height, thumbnail.reason) == (320, 160, "")
    image = opened(thumbnail)
    assert (image.format, image.mode, image.size) == ("WEBP", "RGB", (320, 160))
    assert colour_of(thumbnail) == colour


def test_a_small_image_is_not_enlarged(drawn):
    (thumbnail,) = drawn(image_file(size=(7, 3)))
    assert (thumbnail.width, thumbnail.height) == (7, 3)


def test_an_image_stands_upright_and_says_nothing_of_its_camera(drawn):
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif[0x010F] = "a camera"
    image = Image.new("RGB", (400, 200), "black")
    image.paste("white", (0, 0, 200, 200))
    data = io.BytesIO()
    image.save(data, "JPEG", exif=exif, comment=b"a place", icc_profile=b"a profile")
    (thumbnail,) = drawn(data.getvalue())
    assert (thumbnail.width, thumbnail.height) == (160, 320)
    assert [colour_of(thumbnail, y=y) for y in (0.2, 0.8)] == [WHITE, BLACK]
    assert all(word not in thumbnail.content for word in (b"camera", b"place", b"profile"))
    assert not dict(opened(thumbnail).getexif())


def test_of_a_moving_image_the_first_frame_is_drawn(drawn):
    frames = [Image.new("RGB", (40, 20), colour) for colour in ("red", "blue", "lime")]
    for form in ("GIF", "WEBP", "PNG"):
        data = io.BytesIO()
        frames[0].save(data, form, save_all=True, append_images=frames[1:])
        (thumbnail,) = drawn(data.getvalue())
        assert colour_of(thumbnail) == RED and getattr(opened(thumbnail), "n_frames", 1) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no-image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no-image"),
        (b"<!DOCTYPE html><script>alert(1)</script>", "no-image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no-image"),
        (image_file(form="TIFF"), "no-image"),
        (image_file(form="BMP"), "no-image"),
        (image_file(form="JPEG")[:600], "damaged"),
        (image_file(size=(900, 900))[:200], "damaged"),
        (black_png(20_000, 20_000, n_rows=9), "too-large"),
        (black_png(60_000, MAX_PIXELS // 60_000 + 1, n_rows=9), "too-large"),
    ],
    ids=[
        *("empty", "svg", "html", "postscript", "tiff", "bmp", "cut-jpeg", "cut-png", "bomb"),
        "one-pixel-row-too-many",
    ],
)
def test_a_file_that_is_no_good_fails_alone_with_its_reason(drawn, content, reason):
    before, bad, after = drawn(image_file(), content, image_file(size=(9, 9)))
    assert (bad.content, bad.reason) == (b"", reason)
    assert [before.width, after.width] == [320, 9]


def test_as_many_pixels_as_may_be_are_drawn_within_the_memory(drawn):
    side = int(MAX_PIXELS**0.5)
    largest, small = drawn(black_png(side, side, n_rows=side), image_file(size=(9, 9)))
    assert (largest.width, largest.reason, small.width) == (320, "", 9)


def test_an_image_at_which_the_process_dies_fails_alone(drawn, monkeypatch):
    monkeypatch.setattr(module, "PROCESS", "tests.annotate.services.pictures.dying_process")
    good, bad, other = image_file(), b"die", image_file(size=(9, 9))
    assert [thumbnail.reason for thumbnail in drawn(good, bad, other, bad)] == [
        *("", "too-costly", "", "too-costly")
    ]


def test_a_file_that_cannot_be_read_just_now_is_not_called_damaged(tmp_path):
    image = tmp_path / "a.png"
    image.write_bytes(image_file(size=(9, 9)))
    reasons = [thumbnail.reason for thumbnail in thumbnails([tmp_path / "absent", tmp_path, image])]
    assert reasons == [module.UNREADABLE, module.UNREADABLE, ""]


def test_no_images_need_no_process(drawn):
    assert drawn() == []
