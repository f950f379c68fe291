"""Zip archives that are streamed, and the same bytes each time: no times, no owners."""

import zipfile
from collections.abc import Iterable, Iterator

from annotate.core.sinks import Sink

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip archive can tell
_UNIX, _PLAIN_FILE = 3, 0o644 << 16


def zipped(members: Iterable[tuple[str, Iterable[str]]]) -> Iterator[bytes]:
    """The archive of named members, each given in pieces of text, in their order."""
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, pieces in members:
            with archive.open(_entry(name), "w", force_zip64=True) as member:
                for piece in pieces:
                    member.write(piece.encode())
                    yield sink.taken()
    yield sink.taken()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, _UNIX, _PLAIN_FILE
    return entry
