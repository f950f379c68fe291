"""WebM and other Matroska files (RFC 9559): elements of EBML (RFC 8794), of which the Tracks are wanted."""

from annotate.core.containers import codecs
from annotate.core.containers.pieces import Damaged, Pieces, Tracks

MAGIC = b"\x1a\x45\xdf\xa3"
_HEADER, _DOC_TYPE = 0x1A45DFA3, 0x4282
_SEGMENT, _TRACKS, _CLUSTER = 0x18538067, 0x1654AE6B, 0x1F43B675
_TRACK, _TYPE, _CODEC, _PRIVATE = 0xAE, 0x83, 0x86, 0x63A2
_VIDEO, _AUDIO = 1, 2
_LONGEST = 1 << 20  # of the Tracks; a decoder's set-up takes some kilobytes
_NAMES = {
    "V_VP8": "vp8", "V_VP9": "vp9", "V_THEORA": "theora", "V_MPEG4/ISO/ASP": "mp4v.20", "V_MPEG4/ISO/SP": "mp4v.20",
    "A_OPUS": "opus", "A_VORBIS": "vorbis", "A_AAC": "mp4a.40.2", "A_FLAC": "flac", "A_MPEG/L3": "mp3",
    "A_AC3": "ac-3", "A_EAC3": "ec-3", "V_MPEG1": "mp4v.6A", "V_MPEG2": "mp4v.61",
}  # fmt: skip
_WITH_RECORD = {"V_AV1": codecs.av1, "V_MPEG4/ISO/AVC": codecs.h264, "V_MPEGH/ISO/HEVC": codecs.hevc}


def read(pieces: Pieces) -> Tracks:
    """The tracks that stand before the first cluster. Raises Damaged where the file ends before them."""
    _, place, end = _element(pieces, 0)
    header = dict(_children(pieces.at(place, min(end - place, 4_096))))
    container = "webm" if header.get(_DOC_TYPE, b"").rstrip(b"\0") == b"webm" else "matroska"
    number, place, segment_end = _element(pieces, end)
    if number != _SEGMENT:
        raise Damaged("no segment")
    while place < min(segment_end, pieces.size):
        number, place, end = _element(pieces, place)
        if number == _TRACKS:
            return _tracks(container, pieces.at(place, min(end - place, _LONGEST)))
        if number == _CLUSTER:  # some have their tracks behind what plays
            return Tracks(container)
        place = end
    raise Damaged("no tracks")


def _element(pieces: Pieces, place: int) -> tuple[int, int, int]:
    """An element's number, the place of its content and its end; one of unknown length ends with the file."""
    head = pieces.up_to(place, 12)
    number, width = _number(head, 0, keep_marker=True)
    size, at = _number(head, width)
    is_unknown = size == (1 << 7 * (at - width)) - 1
    return number, place + at, pieces.size if is_unknown else place + at + size


def _number(data: bytes, place: int, *, keep_marker: bool = False) -> tuple[int, int]:
    """A number of one to eight bytes, as many as zeros lead it and one, and the place after it."""
    if place >= len(data) or not data[place]:
        raise Damaged(f"no number at {place}")
    width = 9 - data[place].bit_length()
    value = int.from_bytes(data[place : place + width])
    return value if keep_marker else value & (1 << 7 * width) - 1, place + width


def _children(data: bytes) -> list[tuple[int, bytes]]:
    found, place = [], 0
    while place < len(data):
        number, place = _number(data, place, keep_marker=True)
        size, place = _number(data, place)
        found.append((number, data[place : place + size]))
        place += size
    return found


def _tracks(container: str, content: bytes) -> Tracks:
    found: dict[int, list[str]] = {_VIDEO: [], _AUDIO: []}
    for number, described in _children(content):
        track = dict(_children(described)) if number == _TRACK else {}
        kind = int.from_bytes(track.get(_TYPE, b""))
        if kind in found:
            name = track.get(_CODEC, b"").rstrip(b"\0").decode("ascii", "replace")
            found[kind].append(_spelled(name, track.get(_PRIVATE, b"")))
    return Tracks(container, tuple(found[_VIDEO]), tuple(found[_AUDIO]))


def _spelled(name: str, record: bytes) -> str:
    if name in _WITH_RECORD:
        try:
            return _WITH_RECORD[name](record)
        except IndexError:  # no record, or half of one
            return ""
    return _NAMES.get(name, _NAMES.get(name[:5], ""))  # A_AAC/MPEG4/LC and its like
