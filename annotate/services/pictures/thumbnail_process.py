"""The process that draws thumbnails of the images whose paths it reads from its standard input.

See `thumbnails`, which starts it. Paths end with a null byte. Its first line says that it is
ready; then to each path the answer is a line with the thumbnail's width, height and bytes, or with
the reason why there is none, and then its bytes and those of its raster.
"""

import errno
import io
import os
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from annotate.core.media.rasters import RASTER_SIDE
from annotate.core.sandbox import limit_memory, limit_seconds

SIZE = 320  # pixels of the longer side: a tile of a sheet, a row on a fine screen
QUALITY = 72
MAX_PIXELS = 100_000_000
MEMORY = 640 * 1024 * 1024  # bytes, beyond what the libraries take
SECONDS = 20  # of the processor, for one image
# Those that cards show. Pillow knows forty more, some of which call other programs.
FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "AVIF")
GREYS_OF_16_BITS = ("I", "I;16", "I;16B", "I;16L")


class TooManyPixels(Exception):
    """The image would take too much memory."""


def main() -> None:
    """Answer to all paths, in their order."""
    Image.init()  # the libraries of all formats, before memory is limited
    Image.MAX_IMAGE_PIXELS = None  # counted below, for all formats alike
    limit_memory(MEMORY)
    with os.fdopen(0, "rb") as stream:
        paths = [os.fsdecode(name) for name in stream.read().split(b"\0") if name]
    with os.fdopen(1, "wb") as output:
        output.write(b"ready\n")
        output.flush()
        for path in paths:
            limit_seconds(SECONDS)
            output.write(answer(Path(path)))
            output.flush()


def answer(path: Path) -> bytes:
    """Return the answer to one path."""
    try:
        with path.open("rb") as stream, Image.open(stream, formats=FORMATS) as image:
            thumbnail = drawn(image)
    except TooManyPixels:
        return b"too-large\n"
    except UnidentifiedImageError:
        return b"no-image\n"
    except MemoryError:
        return b"too-costly\n"
    except OSError as error:
        # Pillow's own have no number; a position that a damaged file makes up is no valid argument
        return b"damaged\n" if error.errno in (None, errno.EINVAL) else b"unreadable\n"
    # Pillow's readers raise all of these for files that are cut or made up.
    except (ValueError, SyntaxError, EOFError, LookupError, ArithmeticError, TypeError):
        return b"damaged\n"
    data = io.BytesIO()
    thumbnail.save(data, "WEBP", quality=QUALITY, method=4)
    content = data.getvalue()
    raster = thumbnail.resize((RASTER_SIDE, RASTER_SIDE), Image.Resampling.BOX).tobytes()
    return f"{thumbnail.width} {thumbnail.height} {len(content)}\n".encode() + content + raster


def drawn(image: Image.Image) -> Image.Image:
    """Return the thumbnail of an image: its first frame, upright, on white, in RGB, nothing else.

    Raises TooManyPixels before anything is decoded.
    """
    if image.width * image.height > MAX_PIXELS:
        raise TooManyPixels
    image.draft("RGB", (SIZE * 2, SIZE * 2))  # a JPEG is decoded at a fraction of its size
    if image.mode in GREYS_OF_16_BITS:  # a mere conversion would cut off what is brighter than 255
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    has_alpha = "A" in image.getbands() or "transparency" in image.info
    mode = "RGBA" if has_alpha else "RGB"
    colours = image if image.mode == mode else image.convert(mode)  # which copies in any case
    colours.thumbnail((SIZE, SIZE), reducing_gap=2)
    upright = ImageOps.exif_transpose(colours)
    if has_alpha:
        paper = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(paper, upright).convert("RGB")
    upright.info.clear()
    return Image.frombytes("RGB", upright.size, upright.tobytes())


if __name__ == "__main__":
    main()
