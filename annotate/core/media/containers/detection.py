"""Detection of a clip's or recording's MIME type, as browsers understand it, and its length."""

import logging
import zlib
from typing import BinaryIO, NamedTuple
from zipfile import BadZipFile

from annotate.core.files.formats import FormatError
from annotate.core.media.browser_support import plays_somewhere
from annotate.core.media.containers import boxes, frames, matroska, ogg
from annotate.core.media.containers.bounded_file import BoundedFile, Tracks

log = logging.getLogger(__name__)

LONGEST_TYPE = 120
_PACKET = 188  # bytes of each packet of an MPEG transport stream, which begins with a G
# Errors of readers at hostile or damaged files; after each of them the type is unknown.
_FAULTS = (
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
    EOFError,
    OSError,
    BadZipFile,
    zlib.error,
    FormatError,
)
_OTHER_CONTAINERS = {
    b"FLV\x01": Tracks("x-flv"),
    b"\x30\x26\xb2\x75": Tracks("x-ms-asf"),
    b"\0\0\x01\xba": Tracks("mpeg", kind="video"),
}


class DetectedMedium(NamedTuple):
    """The type of a file, such as 'video/webm; codecs="vp9, opus"', and how long it plays.

    type : "" where the file is unreadable
    seconds : above 0; None where the head of the file does not say it
    """

    type: str = ""
    seconds: float | None = None


def detect_medium(stream: BinaryIO, kind: str) -> DetectedMedium:
    """Detect a file's type and length from its head.

    stream : seekable; an OSError while reading it counts as unreadable
    kind : video or audio, the expected kind; the type begins with it unless the container has only
        the other
    Codecs are named only where all played tracks have a name. No content of a file raises an error.
    """
    try:
        tracks = _tracks(BoundedFile(stream))
    except _FAULTS as error:
        log.info("a %s file that cannot be understood: %s", kind, error)
        return DetectedMedium()
    return DetectedMedium(mime_type(tracks, kind), tracks.seconds) if tracks else DetectedMedium()


def mime_type(tracks: Tracks, kind: str) -> str:
    """The MIME type of tracks: a codec of the picture and one of the sound for a clip.

    For a recording it names the sound's codec alone, as nothing else of it is played.
    """
    plain_type = f"{tracks.kind or kind}/{tracks.container}"
    picture_tracks = [tracks.pictures] if kind == "video" else []
    codecs_to_name = [
        # the first that browsers play, as they skip other tracks; without one, the first of all
        next(
            (codec for codec in codecs if codec and plays_somewhere(codec, tracks.container)),
            codecs[0],
        )
        for codecs in (*picture_tracks, tracks.sounds)
        if codecs
    ]
    if not codecs_to_name or not all(codecs_to_name):
        return plain_type
    full_type = f'{plain_type}; codecs="{", ".join(codecs_to_name)}"'
    return full_type if len(full_type) <= LONGEST_TYPE else plain_type


def _tracks(file: BoundedFile) -> Tracks | None:
    head = file.read_up_to(0, 2 * _PACKET + 1)
    if head.startswith(matroska.MAGIC):
        return matroska.read(file)
    if head[4:8] in boxes.FIRST:
        return boxes.read(file)
    if head.startswith(ogg.MAGIC):
        return ogg.read(file)
    if head.startswith(b"RIFF"):
        return {b"WAVE": Tracks("wav"), b"AVI ": Tracks("x-msvideo")}.get(head[8:12])
    if head[::_PACKET] == b"GGG":
        return Tracks("mp2t")
    return frames.read(file) or next(
        (tracks for magic, tracks in _OTHER_CONTAINERS.items() if head.startswith(magic)), None
    )
