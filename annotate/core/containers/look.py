"""Looking into a clip or recording: the MIME type that says what it is, as browsers understand it."""

import logging
import zlib
from typing import BinaryIO
from zipfile import BadZipFile

from annotate.core.containers import boxes, matroska, ogg
from annotate.core.containers.pieces import Pieces, Tracks
from annotate.core.formats import FormatError

log = logging.getLogger(__name__)

LONGEST_TYPE = 120
_TAG = 10  # bytes before what an ID3 tag says
# What a hostile or damaged file makes a reader do; each says no more than that nothing is known of it.
_FAULTS = (ValueError, IndexError, KeyError, OverflowError, EOFError, OSError, BadZipFile, zlib.error, FormatError)
_OTHERS = {b"FLV\x01": "x-flv", b"\x30\x26\xb2\x75": "x-ms-asf", b"\0\0\x01\xba": "mpeg"}


def look_into(stream: BinaryIO, kind: str) -> str:
    """The type of a file, such as 'video/webm; codecs="vp9, opus"'; "" where it is not known.

    stream : can be sought; what reading it raises of its own accord as OSError counts as not known
    kind : video or audio, which the type begins with
    Codecs are named only where all of them are known. Never raises for what the file holds.
    """
    try:
        tracks = _tracks(Pieces(stream))
    except _FAULTS as error:
        log.info("a %s file that cannot be understood: %s", kind, error)
        return ""
    return spelled(tracks, kind) if tracks else ""


def spelled(tracks: Tracks, kind: str) -> str:
    """The MIME type of what a file holds."""
    plain = f"{kind}/{tracks.container}"
    if not tracks.codecs or not all(tracks.codecs):
        return plain
    full = f'{plain}; codecs="{", ".join(tracks.codecs)}"'
    return full if len(full) <= LONGEST_TYPE else plain


def _tracks(pieces: Pieces) -> Tracks | None:
    head = pieces.up_to(0, 16)
    if head.startswith(matroska.MAGIC):
        return matroska.read(pieces)
    if head[4:8] in boxes.FIRST:
        return boxes.read(pieces)
    if head.startswith(ogg.MAGIC):
        return ogg.read(pieces)
    if head.startswith(b"RIFF"):
        return {b"WAVE": Tracks("wav"), b"AVI ": Tracks("x-msvideo")}.get(head[8:12])
    return _sound(pieces) or next((Tracks(name) for magic, name in _OTHERS.items() if head.startswith(magic)), None)


def _sound(pieces: Pieces) -> Tracks | None:
    """MP3, AAC and FLAC without a container, after the tag that may stand before them."""
    head = pieces.up_to(0, _TAG)
    if head.startswith(b"ID3") and len(head) == _TAG:
        size = 0
        for byte in head[6:]:
            size = size << 7 | byte & 0x7F
        head = pieces.up_to(min(pieces.size, _TAG + size), _TAG)
        if not head.strip(b"\0"):  # some leave more room than they say
            return Tracks("mpeg")
    if head.startswith(b"fLaC"):
        return Tracks("flac")
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    if head[1] & 0xF6 == 0xF0:
        return Tracks("aac")
    is_frame = head[1] & 0x06 and head[1] & 0x18 != 0x08 and head[2] & 0xF0 != 0xF0 and head[2] & 0x0C != 0x0C
    return Tracks("mpeg") if is_frame else None
