"""Looking into a clip or recording: the MIME type that says what it is, as browsers understand it."""

import logging
import zlib
from collections.abc import Sequence
from typing import BinaryIO
from zipfile import BadZipFile

from annotate.core.containers import boxes, frames, matroska, ogg
from annotate.core.containers.pieces import Pieces, Tracks
from annotate.core.formats import FormatError
from annotate.core.playing import plays_somewhere

log = logging.getLogger(__name__)

LONGEST_TYPE = 120
_PACKET = 188  # bytes of each packet of an MPEG transport stream, which begins with a G
# What a hostile or damaged file makes a reader do; each says no more than that nothing is known of it.
_FAULTS = (ValueError, IndexError, KeyError, OverflowError, EOFError, OSError, BadZipFile, zlib.error, FormatError)
_OTHERS = {
    b"FLV\x01": Tracks("x-flv"), b"\x30\x26\xb2\x75": Tracks("x-ms-asf"),
    b"\0\0\x01\xba": Tracks("mpeg", kind="video"),
}  # fmt: skip


def look_into(stream: BinaryIO, kind: str) -> str:
    """The type of a file, such as 'video/webm; codecs="vp9, opus"'; "" where it could not be read as such.

    stream : can be sought; what reading it raises of its own accord as OSError counts as not to be read
    kind : video or audio, which it is taken for; the type begins with it but where the container has only the other
    Codecs are named only where all that play have a name. Never raises for what the file holds.
    """
    try:
        tracks = _tracks(Pieces(stream))
    except _FAULTS as error:
        log.info("a %s file that cannot be understood: %s", kind, error)
        return ""
    return spelled(tracks, kind) if tracks else ""


def spelled(tracks: Tracks, kind: str) -> str:
    """The MIME type of what a file holds: of a clip with a codec for the picture and one for the sound.

    Of a recording the sound alone, as nothing else is played of it.
    """
    plain = f"{tracks.kind or kind}/{tracks.container}"
    shown = [tracks.pictures] if kind == "video" else []
    named = [_played(codecs, tracks.container) for codecs in (*shown, tracks.sounds) if codecs]
    if not named or not all(named):
        return plain
    full = f'{plain}; codecs="{", ".join(named)}"'
    return full if len(full) <= LONGEST_TYPE else plain


def _played(codecs: Sequence[str], container: str) -> str:
    """Of several tracks the first that browsers would play, as they leave out those they cannot; else the first."""
    return next((codec for codec in codecs if codec and plays_somewhere(codec, container)), codecs[0])


def _tracks(pieces: Pieces) -> Tracks | None:
    head = pieces.up_to(0, 2 * _PACKET + 1)
    if head.startswith(matroska.MAGIC):
        return matroska.read(pieces)
    if head[4:8] in boxes.FIRST:
        return boxes.read(pieces)
    if head.startswith(ogg.MAGIC):
        return ogg.read(pieces)
    if head.startswith(b"RIFF"):
        return {b"WAVE": Tracks("wav"), b"AVI ": Tracks("x-msvideo")}.get(head[8:12])
    if head[::_PACKET] == b"GGG":
        return Tracks("mp2t")
    return frames.read(pieces) or next((known for magic, known in _OTHERS.items() if head.startswith(magic)), None)
