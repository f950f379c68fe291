"""Images for tests, drawn by Pillow."""

import io
import struct
import zlib
from typing import Any

from PIL import Image


def image_file(
    mode: str = "RGB",
    size: tuple[int, int] = (400, 200),
    colour: Any = "red",
    form: str = "PNG",
    **options: Any,
) -> bytes:
    """A file of one colour."""
    data = io.BytesIO()
    Image.new(mode, size, colour).save(data, form, **options)
    return data.getvalue()


def black_png(width: int, height: int, *, n_rows: int) -> bytes:
    """A PNG of a few bytes with many pixels, of which these rows are there."""

    def chunk(name: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    deflate = zlib.compressobj(1)
    pixels = b"".join(deflate.compress(bytes(3 * width + 1)) for _ in range(n_rows))
    parts = ((b"IHDR", header), (b"IDAT", pixels + deflate.flush()), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)
