"""A file behind an http or https address, of which only the stretches are fetched that are read."""

import io
import re
from http import HTTPStatus
from typing import NoReturn
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BLOCK = 64 * 1024
MOST_BLOCKS = 64  # of one file; a reader of heads needs two or three
PATIENCE = 10  # seconds
_OF = re.compile(r"bytes \d+-\d+/(\d+)")


class Unreachable(Exception):
    """The store of the file does not answer, or cannot just now; later it may."""


class RangedFile(io.RawIOBase):
    """A stream that can be sought. Raises Unreachable, and OSError where there is no such file or no stretch of it."""

    def __init__(self, address: str) -> None:
        if not address.startswith(("http://", "https://")):
            raise OSError(f"no http address: {address.partition('?')[0]}")
        self._address = address
        self._blocks: dict[int, bytes] = {}
        self._place = 0
        self._size = 0
        self._block(0)

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; nothing is fetched by that."""
        self._place = offset + (0, self._place, self._size)[whence]
        return self._place

    def readinto(self, buffer: object) -> int:
        """Read to the end of a block at most."""
        room = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        if self._place >= self._size or not room:
            return 0
        within = self._place % BLOCK
        found = self._block(self._place - within)[within : within + len(room)]
        room[: len(found)] = found
        self._place += len(found)
        return len(found)

    def _block(self, start: int) -> bytes:
        if start not in self._blocks:
            if len(self._blocks) >= MOST_BLOCKS:
                raise OSError("too many stretches of one file")
            self._blocks[start] = self._fetch(start)
        return self._blocks[start]

    def _fetch(self, start: int) -> bytes:
        request = Request(self._address, headers={"Range": f"bytes={start}-{start + BLOCK - 1}"})  # noqa: S310 - above
        try:
            with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - http alone, see above
                whole = _OF.fullmatch(answer.headers.get("Content-Range") or "")
                if answer.status != HTTPStatus.PARTIAL_CONTENT and start:
                    return b""  # the store gives no stretches: beyond the first the file counts as cut off
                self._size = int(whole[1] if whole else answer.headers.get("Content-Length") or 0)
                return answer.read(BLOCK)
        except HTTPError as error:
            _refuse(error)
        except OSError as error:
            raise Unreachable(str(error)) from error


def _refuse(error: HTTPError) -> NoReturn:
    if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR or error.code == HTTPStatus.TOO_MANY_REQUESTS:
        raise Unreachable(str(error)) from error
    raise OSError(str(error)) from error
