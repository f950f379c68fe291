"""A file behind an http or https address, of which only the stretches are fetched that are read."""

import io
import re
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import NoReturn
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BLOCK = 64 * 1024
MOST_BLOCKS = 64  # of one file; a reader of heads needs two or three
PATIENCE = 10  # seconds without a byte
LONGEST = 30  # seconds that one file may take in all, as what comes byte by byte tires no patience
# What a store says of a file for good: there is none, it is gone, or it is empty and has no stretch to give. All else
# may be of the moment: no right to it (an address that is too old, a key that is being changed), too much, a fault.
LAST_WORDS = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
_OF = re.compile(r"bytes \d+-\d+/(\d+)")


class Unreachable(Exception):
    """The store does not give the file, or not all that was asked for; later it may."""


class RangedFile(io.RawIOBase):
    """A stream that can be sought. Raises Unreachable, and OSError where there is no such file or no stretch of it."""

    def __init__(self, address: str, clock: Callable[[], float] = monotonic) -> None:
        if not address.startswith(("http://", "https://")):
            raise OSError(f"no http address: {address.partition('?')[0]}")
        self._address = address
        self._clock = clock
        self._until = clock() + LONGEST
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
                is_stretch = answer.status == HTTPStatus.PARTIAL_CONTENT
                if is_stretch != bool(whole) or (start and not is_stretch):
                    raise Unreachable("the store gives no stretches, or does not say of how much")
                length = answer.headers.get("Content-Length") or ""
                told = int(length) if length.isdecimal() else None
                found = self._received(answer)
        except HTTPError as error:
            _refuse(error)
        except (OSError, HTTPException) as error:
            raise Unreachable(str(error)) from error
        self._size = int(whole[1]) if whole else len(found) if told is None else told
        if len(found) < min(BLOCK, self._size - start):
            raise Unreachable(f"{len(found)} bytes at {start} of {self._size}: the answer is cut short")
        return found

    def _received(self, answer: HTTPResponse) -> bytes:
        """A block of an answer, or all of a shorter one."""
        found = b""
        while len(found) < BLOCK and (piece := answer.read1(BLOCK - len(found))):
            found += piece
            if self._clock() > self._until:
                raise Unreachable(f"{len(found)} bytes after {LONGEST} seconds")
        return found


def _refuse(error: HTTPError) -> NoReturn:
    if error.code in LAST_WORDS:
        raise OSError(str(error)) from error
    raise Unreachable(str(error)) from error
