"""Streamed zip archives with the same bytes each time: no times, no owners."""

import zipfile
from collections.abc import Iterable, Iterator

from annotate.core.files.sinks import Sink

_EARLIEST_TIME = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip archive can hold
_UNIX, _PLAIN_FILE = 3, 0o644 << 16


def zip_stream(members: Iterable[tuple[str, Iterable[str]]]) -> Iterator[bytes]:
    """Stream the archive of named members, each given in pieces of text, in their order."""
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, pieces in members:
            with archive.open(
                zip_info(name, zipfile.ZIP_DEFLATED), "w", force_zip64=True
            ) as member:
                for piece in pieces:
                    member.write(piece.encode())
                    yield sink.take()
    yield sink.take()


def zip_info(name: str, compression: int) -> zipfile.ZipInfo:
    """The header of a member without a time or an owner; compression : one of zipfile's."""
    member_info = zipfile.ZipInfo(name, _EARLIEST_TIME)
    member_info.compress_type = compression
    member_info.create_system, member_info.external_attr = _UNIX, _PLAIN_FILE
    return member_info
