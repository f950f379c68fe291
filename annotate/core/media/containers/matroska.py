"""WebM and other Matroska files (RFC 9559): EBML elements (RFC 8794), read for their Tracks."""

import struct
from contextlib import suppress

from annotate.core.media.containers import codecs
from annotate.core.media.containers.bounded_file import (
    BoundedFile,
    DamagedMedia,
    Tracks,
    plausible_seconds,
)

MAGIC = b"\x1a\x45\xdf\xa3"
_HEADER, _DOC_TYPE = 0x1A45DFA3, 0x4282
_SEGMENT, _TRACKS, _CLUSTER = 0x18538067, 0x1654AE6B, 0x1F43B675
_INFO, _SCALE, _DURATION = 0x1549A966, 0x2AD7B1, 0x4489
_TRACK, _TYPE, _CODEC, _PRIVATE = 0xAE, 0x83, 0x86, 0x63A2
_VIDEO, _AUDIO = 1, 2
_MAX_INFO = 1 << 16
_MAX_TRACKS = 1 << 20  # of the Tracks; a decoder's set-up takes some kilobytes
_NAMES = {
    "V_VP8": "vp8",
    "V_VP9": "vp9",
    "V_THEORA": "theora",
    "V_MPEG4/ISO/ASP": "mp4v.20",
    "V_MPEG4/ISO/SP": "mp4v.20",
    "A_OPUS": "opus",
    "A_VORBIS": "vorbis",
    "A_AAC": "mp4a.40.2",
    "A_FLAC": "flac",
    "A_MPEG/L3": "mp3",
    "A_AC3": "ac-3",
    "A_EAC3": "ec-3",
    "V_MPEG1": "mp4v.6A",
    "V_MPEG2": "mp4v.61",
}
_CODEC_READERS = {
    "V_AV1": codecs.av1,
    "V_MPEG4/ISO/AVC": codecs.h264,
    "V_MPEGH/ISO/HEVC": codecs.hevc,
}


def read(file: BoundedFile) -> Tracks:
    """Read the tracks before the first cluster; raises DamagedMedia where the file ends before."""
    _, position, end = _element(file, 0)
    header = dict(_children(file.read_exactly(position, min(end - position, 4_096))))
    container = "webm" if header.get(_DOC_TYPE, b"").rstrip(b"\0") == b"webm" else "matroska"
    number, position, segment_end = _element(file, end)
    if number != _SEGMENT:
        raise DamagedMedia("no segment")
    seconds = None
    while position < min(segment_end, file.size):
        number, position, end = _element(file, position)
        if number == _TRACKS:
            content = file.read_exactly(position, min(end - position, _MAX_TRACKS))
            return _tracks(container, content)._replace(seconds=seconds)
        if number == _INFO:
            with suppress(DamagedMedia):  # a length that cannot be read costs the type nothing
                seconds = _seconds(file.read_exactly(position, min(end - position, _MAX_INFO)))
        if number == _CLUSTER:  # some files have their tracks at the end
            return Tracks(container, seconds=seconds)
        position = end
    raise DamagedMedia("no tracks")


def _element(file: BoundedFile, position: int) -> tuple[int, int, int]:
    """Number, start and end of an element's content; one of unknown length ends with the file."""
    head = file.read_up_to(position, 12)
    number, width = _number(head, 0, keep_marker=True)
    size, offset = _number(head, width)
    is_unknown = size == (1 << 7 * (offset - width)) - 1
    return number, position + offset, file.size if is_unknown else position + offset + size


def _number(data: bytes, position: int, *, keep_marker: bool = False) -> tuple[int, int]:
    """A number of one byte more than its leading zero bits, at most eight, and its end."""
    if position >= len(data) or not data[position]:
        raise DamagedMedia(f"no number at {position}")
    width = 9 - data[position].bit_length()
    value = int.from_bytes(data[position : position + width])
    return value if keep_marker else value & (1 << 7 * width) - 1, position + width


def _children(data: bytes) -> list[tuple[int, bytes]]:
    children, position = [], 0
    while position < len(data):
        number, position = _number(data, position, keep_marker=True)
        size, position = _number(data, position)
        children.append((number, data[position : position + size]))
        position += size
    return children


def _seconds(content: bytes) -> float | None:
    """The length that the segment's facts say; recordings of browsers often say none."""
    facts = dict(_children(content))
    duration = facts.get(_DURATION, b"")
    if len(duration) not in (4, 8):
        return None
    nanoseconds = int.from_bytes(facts[_SCALE]) if _SCALE in facts else 1_000_000
    (units,) = struct.unpack(">f" if len(duration) == 4 else ">d", duration)
    return plausible_seconds(units * nanoseconds, 1e9)


def _tracks(container: str, content: bytes) -> Tracks:
    codecs_by_kind: dict[int, list[str]] = {_VIDEO: [], _AUDIO: []}
    for number, element_content in _children(content):
        track = dict(_children(element_content)) if number == _TRACK else {}
        kind = int.from_bytes(track.get(_TYPE, b""))
        if kind not in codecs_by_kind:
            continue
        name = track.get(_CODEC, b"").rstrip(b"\0").decode("ascii", "replace")
        if name in _CODEC_READERS:
            try:
                codec = _CODEC_READERS[name](track.get(_PRIVATE, b""))
            except IndexError:  # the codec's record is missing or cut
                codec = ""
        else:
            codec = _NAMES.get(name, _NAMES.get(name[:5], ""))  # A_AAC/MPEG4/LC and its like
        codecs_by_kind[kind].append(codec)
    return Tracks(container, tuple(codecs_by_kind[_VIDEO]), tuple(codecs_by_kind[_AUDIO]))
