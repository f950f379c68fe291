"""Thumbnails of images, drawn by Pillow in a process that can do no harm.

One process draws many. An image at which it dies fails alone: another process goes on behind it. A
process that does not even begin says nothing about images.
"""

import os
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from annotate.core.media.rasters import RASTER_BYTES
from annotate.core.sandbox import sandboxed_output
from annotate.models import Preview

READY = b"ready\n"  # the process writes it before its first answer
UNREADABLE = "unreadable"  # a reason that is not kept: the next try may find the file
PROCESS = f"{__package__}.thumbnail_process"
MAX_BYTES = 1_000_000  # of a thumbnail; the largest of noise take a tenth
_LINE = 100  # bytes


class ProcessNotStarted(Exception):
    """The drawing process ended before it looked at an image; see the memory of this machine."""


class Thumbnail(NamedTuple):
    """A thumbnail as WebP without metadata; or the reason why there is none, and no content.

    raster : as `annotate.core.media.rasters` says; None where there is no thumbnail
    """

    content: bytes
    width: int
    height: int
    reason: str = ""
    raster: bytes | None = None


def thumbnails(paths: Sequence[Path]) -> Generator[Thumbnail, None, None]:
    """Yield one thumbnail for each path, in their order, as it is drawn.

    Raises ProcessNotStarted.
    """
    remaining_paths = list(paths)
    while remaining_paths:
        n_drawn = 0
        with tempfile.TemporaryFile() as names:
            names.write(b"".join(os.fsencode(path) + b"\0" for path in remaining_paths))
            names.seek(0)
            with sandboxed_output(PROCESS, file=names) as output:
                if output.readline(len(READY)) != READY:
                    raise ProcessNotStarted
                while n_drawn < len(remaining_paths) and (thumbnail := _answer(output)):
                    n_drawn += 1
                    yield thumbnail
        if n_drawn < len(remaining_paths):  # it died at the next one
            yield Thumbnail(b"", 0, 0, Preview.Reason.TOO_COSTLY)
            n_drawn += 1
        remaining_paths = remaining_paths[n_drawn:]


def _answer(output: IO[bytes]) -> Thumbnail | None:
    """Return the process's next answer; None where it has died."""
    words = output.readline(_LINE).decode("ascii", "replace").split()
    if len(words) == 1 and words[0] in (UNREADABLE, *Preview.Reason.values):
        return Thumbnail(b"", 0, 0, words[0])
    if len(words) != 3 or not all(word.isdecimal() for word in words):
        return None
    width, height, n_bytes = (int(word) for word in words)
    content = output.read(n_bytes) if n_bytes <= MAX_BYTES else b""
    raster = output.read(RASTER_BYTES) if 0 < len(content) == n_bytes else b""
    is_whole = len(raster) == RASTER_BYTES
    return Thumbnail(content, width, height, raster=raster) if is_whole else None
