"""Files for the import of a site, written while they are sent: gzip of JSON lines and tables."""

import gzip
import json
from collections.abc import Iterable, Iterator
from itertools import chain

from annotate.core.files.formats import Problems
from annotate.core.files.text_files import LIMITS
from assayer.datasets.selections import Selection

PLAIN, PACKED = 0, 6  # levels of gzip
RATIO = LIMITS.ratio // 2  # unpacked to packed size
PIECE = 1 << 18  # bytes that are packed at once
PART = 1 << 30  # bytes of a file, unpacked, after which the next one begins


def item_files(selection: Selection, side: str, part: int = PART) -> Iterator[Iterator[bytes]]:
    """Yield the files of a side's items, each to be read before the next one."""
    items = selection.items(side, Problems())
    lines = (json.dumps(item.record, ensure_ascii=False).encode() + b"\n" for item in items)
    for line in lines:
        yield packed(until(chain([line], lines), part))


def until(lines: Iterator[bytes], part: int) -> Iterator[bytes]:
    """Yield lines until they are so many bytes or more."""
    size = 0
    for line in lines:
        yield line
        size += len(line)
        if size >= part:
            return


def label_file(selection: Selection, split: str) -> Iterator[bytes]:
    """The labels of a split as a table, in which ids may hold commas."""
    rows = selection.labels(split, Problems())
    lines = (f"{row.query}\t{row.document}\t{row.grade}\n".encode() for row in rows)
    return packed(chain([b"query-id\tcorpus-id\tscore\n"], lines))


def id_file(ids: Iterable[str]) -> Iterator[bytes]:
    """The ids of a query set as the keys of a JSON object, which may begin with any letter."""
    entries = (f"{json.dumps(item_id, ensure_ascii=False)}: 1".encode() for item_id in ids)
    first = next(entries, b"")
    return packed(chain([b"{", first], (b",\n" + entry for entry in entries), [b"}\n"]))


def packed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines as a gzip file, in pieces packed by themselves.

    What packs so well that a site would take the file for a bomb is partly left as it is.
    """
    n_unpacked = n_packed = 0
    for piece in pieces(lines):
        level = PLAIN if n_unpacked > RATIO * n_packed else PACKED
        packed_piece = gzip.compress(piece, level, mtime=0)  # same rows, same bytes
        n_unpacked += len(piece)
        n_packed += len(packed_piece)
        yield packed_piece


def pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines by the many."""
    piece: list[bytes] = []
    size = 0
    for line in lines:
        piece.append(line)
        size += len(line)
        if size >= PIECE:
            yield b"".join(piece)
            piece, size = [], 0
    yield b"".join(piece)
