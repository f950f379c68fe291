"""Text files of white-space separated fields, read a block at a time into arrays.

A block of regular lines (single blanks, the right number of fields) is cut up by array operations
on its bytes; any other block is put into that form line by line first, and lines that cannot be are
reported with their number. Array operations let other threads run, so blocks are worked on by
several.
"""

import gzip
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError

# bytes; large enough that threads seldom meet at the interpreter, and a block stays in the cache
BLOCK = 1 << 20
THREADS = min(os.cpu_count() or 1, 4)
# blanks around a block, so that eight bytes may be read before or after any field
LEAD, TAIL = 16, 32
LONGEST = 255  # bytes of a field: one of a megabyte would make a column of them as wide
_CONTROLS = bytes(byte for byte in range(32) if byte != ord("\t"))
_HEAD, _FOOT = b" " * (LEAD - 1) + b"\n", b" " * TAIL
FIRST_BYTES = np.array(
    [0] + [0xFFFFFFFFFFFFFFFF >> (64 - 8 * n) for n in range(1, 9)], dtype=np.uint64
)

Result = TypeVar("Result")
OnError = Callable[[FormatError], None]


class LineFault(NamedTuple):
    """A line that cannot be read: its number, the column at fault or "", and a message."""

    line: int
    field: str
    message: str


class TextBlock(NamedTuple):
    """A block of regular lines: n lines of F fields each.

    padded_text : the bytes with LEAD and TAIL blanks around them
    data : (B,) uint8 the same as an array
    end : (n, F) where each field ends in `data`; the next begins one byte later
    line : (n,) 1-based line numbers within the block
    faults : of the lines of this block that were left out
    n_lines : lines of the block, good and bad
    """

    padded_text: bytes
    data: NDArray[np.uint8]
    end: NDArray[np.int64]
    line: NDArray[np.int64]
    faults: list[LineFault]
    n_lines: int

    def text(self, row: int, column: int) -> str:
        """One field as text."""
        before = (
            int(self.end.flat[row * self.end.shape[1] + column - 1]) if row or column else LEAD - 1
        )
        return self.padded_text[before + 1 : self.end[row, column]].decode()

    def span(self, column: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(n,) where a column's fields begin, and where they end."""
        if column:
            return self.end[:, column - 1] + 1, self.end[:, column].copy()
        return np.append(LEAD, self.end[:-1, -1] + 1)[: len(self.end)], self.end[:, 0].copy()

    def words(self, at: NDArray[np.int64]) -> NDArray[np.uint64]:
        """(n,) the eight bytes from each position on, the first of them lowest."""
        # As bytes, not numbers: numpy is far slower to gather numbers across word boundaries.
        everywhere = np.ndarray(
            (len(self.padded_text) - 7,), dtype="V8", buffer=self.padded_text, strides=(1,)
        )
        return everywhere[at].view("<u8")


def report(fault: LineFault, name: str, on_error: OnError | None) -> None:
    """Raise the fault as FormatError, or hand it to `on_error` and go on."""
    error = FormatError(name, fault.line, fault.field, fault.message)
    if on_error is None:
        raise error
    on_error(error)


def unpack(stream: BinaryIO) -> BinaryIO:
    """Return the stream, unpacked while it is read if it is gzip; it must be seekable."""
    magic = stream.read(2)
    stream.seek(-len(magic), 1)
    return gzip.GzipFile(fileobj=stream) if magic == b"\x1f\x8b" else stream  # type: ignore[return-value]  # it reads alike


def map_blocks(
    stream: BinaryIO, n_fields: int, work: Callable[[TextBlock], Result], *, name: str
) -> Iterator[tuple[int, Result]]:
    """Yield, block by block of a file, gzip or plain, the lines before it and `work` of it.

    name : for a damaged archive's error
    """

    def work_on(padded_text: bytes) -> tuple[int, Result]:
        block = cut_lines(padded_text, n_fields)
        return block.n_lines, work(block)

    n_before = 0
    for n_lines, result in _in_threads(work_on, _chunks(unpack(stream), name)):
        yield n_before, result
        n_before += n_lines


def _in_threads(work: Callable[[bytes], Result], chunks: Iterator[bytes]) -> Iterator[Result]:
    """`work` of each chunk, in their order, a few of them at once."""
    futures: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(THREADS)
    try:
        for chunk in chunks:
            futures.append(pool.submit(work, chunk))
            if len(futures) > 2 * THREADS:
                yield futures.popleft().result()
        while futures:
            yield futures.popleft().result()
    finally:
        # Without waiting: a reader that was dropped is closed by the collector of garbage, perhaps
        # while some thread is just being made, and to wait for threads would be to wait for ever.
        pool.shutdown(wait=False, cancel_futures=True)


def cut_lines(padded_text: bytes, n_fields: int) -> TextBlock:
    """Cut whole lines between the blanks of `_HEAD` and `_FOOT` into a TextBlock."""
    block = None
    if padded_text.isascii() and b"\r" not in padded_text:
        block = _cut_regular(padded_text, n_fields)
    if block is None:
        text, lines, faults, n_lines = _regular(padded_text[LEAD:-TAIL], n_fields)
        block = _cut_regular(_HEAD + text + _FOOT, n_fields)
        assert block is not None, "a block put into regular form is regular"  # noqa: S101
        block = block._replace(line=lines, faults=faults, n_lines=n_lines)
    return block


def _cut_regular(padded_text: bytes, n_fields: int) -> TextBlock | None:
    """The block if every line is regular, else None."""
    data = np.frombuffer(padded_text, dtype=np.uint8)
    inner = data[LEAD:-TAIL]
    blank = inner <= 32
    end = np.flatnonzero(blank)
    n_lines = len(end) // n_fields
    if len(end) % n_fields or np.any(blank[:1]) or np.any(blank[1:] & blank[:-1]):
        return None
    separator = inner.take(end).tobytes()
    if separator.replace(b"\t", b" ") != (b" " * (n_fields - 1) + b"\n") * n_lines:
        return None
    # Only where some line is long enough for a field that is too long are all fields looked at.
    if (
        np.diff(end[n_fields - 1 :: n_fields], prepend=-1).max(initial=0) > LONGEST
        and np.diff(end, prepend=-1).max() > LONGEST + 1
    ):
        return None
    end += LEAD
    return TextBlock(
        padded_text, data, end.reshape(-1, n_fields), np.arange(1, n_lines + 1), [], n_lines
    )


def _regular(text: bytes, n_fields: int) -> tuple[bytes, NDArray[np.int64], list[LineFault], int]:
    """The good lines with single blanks, their numbers, the others' faults, the number of lines."""
    good_lines: list[bytes] = []
    numbers: list[int] = []
    faults: list[LineFault] = []
    lines = text.split(b"\n")[:-1]
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        message = _fault(line, fields, n_fields)
        if message:
            faults.append(LineFault(number, "", message))
        else:
            good_lines.append(b" ".join(fields))
            numbers.append(number)
    return (
        b"".join(line + b"\n" for line in good_lines),
        np.array(numbers, dtype=np.int64),
        faults,
        len(lines),
    )


def _fault(line: bytes, fields: list[bytes], n_fields: int) -> str:
    if len(fields) != n_fields:
        return f"expected {n_fields} fields, found {len(fields)}."
    if any(len(field) > LONGEST for field in fields):
        return f"holds a field of more than {LONGEST} bytes; no id is longer."
    plain = line.removesuffix(b"\r")
    if len(plain.translate(None, _CONTROLS)) < len(plain):
        return "holds a control character; expected plain text in UTF-8."
    try:
        line.decode()
    except UnicodeDecodeError:
        return "is not UTF-8 text; save the file as UTF-8."
    return ""


def _chunks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield blocks of whole lines, about BLOCK bytes each, between _HEAD and _FOOT.

    The file's last line ends with a line break too.
    """
    remainder, is_first = b"", True
    while chunk := _read(stream, name):
        if is_first:
            chunk, is_first = chunk.removeprefix(b"\xef\xbb\xbf"), False
        cut_at = chunk.rfind(b"\n") + 1
        # blank lines wait: at the file's end they are none
        if chunk[max(cut_at - 2, 0) : cut_at].isspace():
            cut_at = chunk.rfind(b"\n", 0, len(chunk[:cut_at].rstrip())) + 1
        if cut_at:
            yield b"".join([_HEAD, remainder, memoryview(chunk)[:cut_at], _FOOT])
            remainder = chunk[cut_at:]
        else:
            remainder += chunk
    if remainder.rstrip():
        yield b"".join([_HEAD, remainder.rstrip(), b"\n", _FOOT])


def _read(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.read(BLOCK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            name, None, "", "The gzip archive is damaged or incomplete; pack it again."
        ) from error


def ids(block: TextBlock, column: int) -> NDArray[np.uint64]:
    """(n, W) a column's bytes as words, filled with zeros: `as_bytes` of it are the fields."""
    start, end = block.span(column)
    length = end - start
    longest = int(length.max(initial=0))
    if longest <= 8:
        return (block.words(start) & FIRST_BYTES.take(length))[:, None]
    n_words = -(-longest // 8)
    out = np.empty((len(start), n_words), dtype="<u8")
    for word in range(n_words):
        at = np.minimum(start + 8 * word, len(block.data) - 8)
        np.bitwise_and(
            block.words(at), FIRST_BYTES.take(length - 8 * word, mode="clip"), out=out[:, word]
        )
    return out


def as_lines(text: bytes) -> NDArray[np.bytes_]:
    """(n,) the n lines of a text, whose last need not end; a line is cut at a byte of 0."""
    padded_text = b"".join([_HEAD, text.removesuffix(b"\n"), b"\n", _FOOT])
    data = np.frombuffer(padded_text, dtype=np.uint8)
    end = np.flatnonzero(data[LEAD:-TAIL] == ord("\n"))[:, None] + LEAD
    return as_bytes(
        ids(TextBlock(padded_text, data, end, np.arange(1, len(end) + 1), [], len(end)), 0)
    )


def as_bytes(words: NDArray[np.uint64]) -> NDArray[np.bytes_]:
    """(n, W) words as an (n,) array of byte strings, without copying."""
    return np.ascontiguousarray(words).view(f"S{8 * words.shape[1]}").reshape(len(words))
