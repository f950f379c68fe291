"""A file at an http or https address, fetched block by block as it is read."""

import io
import re
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from time import monotonic
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BLOCK = 64 * 1024
MAX_BLOCKS = 64  # of one file; a reader of heads needs two or three
SILENCE_SECONDS = 10  # without a byte
MAX_SECONDS = 30  # for one file in all, as bytes that trickle never fall silent
# Final answers of a store: no such file, gone, or empty without a range to give. All others may be
# temporary: no right (an old address, a key being changed), too many requests, a fault.
FINAL_STATUSES = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
_CONTENT_RANGE = re.compile(r"bytes \d+-\d+/(\d+)")


class UnreachableFile(Exception):
    """The store does not give the file, or not all of the range; a later try may succeed."""


class RangedFile(io.RawIOBase):
    """A stream that can be sought.

    block_size : bytes that one request fetches
    size : bytes of the whole file, as the store says
    etag : the store's mark of this content, quoted as it came; "" where it gives none
    Raises UnreachableFile, and OSError where file or range is missing.
    """

    def __init__(
        self,
        address: str,
        clock: Callable[[], float] = monotonic,
        *,
        block_size: int = BLOCK,
    ) -> None:
        if not address.startswith(("http://", "https://")):
            raise OSError(f"no http address: {address.partition('?')[0]}")
        self._address = address
        self._clock = clock
        self._until = clock() + MAX_SECONDS
        self._blocks: dict[int, bytes] = {}
        self._block_size = block_size
        self._position = 0
        self.size = 0
        self.etag = ""
        self._block(0)

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position, without fetching anything."""
        self._position = offset + (0, self._position, self.size)[whence]
        return self._position

    def readinto(self, buffer: object) -> int:
        """Read at most to the end of a block."""
        room = memoryview(buffer).cast("B")  # type: ignore[arg-type]  # a buffer
        if self._position >= self.size or not room:
            return 0
        offset = self._position % self._block_size
        block_part = self._block(self._position - offset)[offset : offset + len(room)]
        room[: len(block_part)] = block_part
        self._position += len(block_part)
        return len(block_part)

    def _block(self, start: int) -> bytes:
        if start not in self._blocks:
            if len(self._blocks) >= MAX_BLOCKS:
                raise OSError("too many stretches of one file")
            self._blocks[start] = self._fetch(start)
        return self._blocks[start]

    def _fetch(self, start: int) -> bytes:
        byte_range = f"bytes={start}-{start + self._block_size - 1}"
        request = Request(self._address, headers={"Range": byte_range})  # noqa: S310 - above
        try:
            with urlopen(request, timeout=SILENCE_SECONDS) as response:  # noqa: S310 - http alone, see above
                file_size = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range") or "")
                is_partial = response.status == HTTPStatus.PARTIAL_CONTENT
                if is_partial != bool(file_size) or (start and not is_partial):
                    raise UnreachableFile(
                        "the store gives no stretches, or does not say of how much"
                    )
                length = response.headers.get("Content-Length") or ""
                content_length = int(length) if length.isdecimal() else None
                etag = response.headers.get("ETag") or ""
                block = self._read_block(response)
        except HTTPError as error:
            if error.code in FINAL_STATUSES:
                raise OSError(str(error)) from error
            raise UnreachableFile(str(error)) from error
        except (OSError, HTTPException) as error:
            raise UnreachableFile(str(error)) from error
        self.etag = etag
        self.size = (
            int(file_size[1])
            if file_size
            else len(block)
            if content_length is None
            else content_length
        )
        if len(block) < min(self._block_size, self.size - start):
            raise UnreachableFile(
                f"{len(block)} bytes at {start} of {self.size}: the answer is cut short"
            )
        return block

    def _read_block(self, response: HTTPResponse) -> bytes:
        """Read one block of a response, or all of a shorter one."""
        block = b""
        while (n_absent := self._block_size - len(block)) and (piece := response.read1(n_absent)):
            block += piece
            if self._clock() > self._until:
                raise UnreachableFile(f"{len(block)} bytes after {MAX_SECONDS} seconds")
        return block
