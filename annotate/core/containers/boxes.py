"""MP4 and QuickTime files (ISO/IEC 14496-12): boxes in boxes, of which the sample descriptions are wanted."""

from collections.abc import Iterator
from typing import NamedTuple

from annotate.core.containers import codecs
from annotate.core.containers.pieces import Damaged, Pieces, Tracks

FIRST = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
_LONGEST = 1 << 16  # of a sample description
_VIDEO, _AUDIO = b"vide", b"soun"
_SAMPLE = 8  # bytes before what is of video or sound
_VIDEO_FIELDS = 70
_AUDIO_FIELDS = {0: 20, 1: 36, 2: 56}  # by QuickTime's version of a sound's description
_NAMES = {b"Opus": "opus", b"fLaC": "flac", b".mp3": "mp3", b"vp08": "vp8"}


class Box(NamedTuple):
    """A box: its type, where its content begins and ends, and whether it would go on behind the end."""

    type: bytes
    place: int
    end: int
    is_cut: bool


def read(pieces: Pieces) -> Tracks:
    """The tracks of the movie box, wherever in the file it stands. Raises Damaged where it is cut or missing."""
    container = "mp4"
    for box in _boxes(pieces, 0, pieces.size):
        if box.type == b"ftyp" and pieces.at(box.place, 4) == b"qt  ":
            container = "quicktime"
        elif box.type == b"moov" and not box.is_cut:
            tracks = [_track(pieces, track) for track in _boxes(pieces, box.place, box.end) if track.type == b"trak"]
            pictures = tuple(codec for kind, codec in tracks if kind == _VIDEO)
            return Tracks(container, pictures, tuple(codec for kind, codec in tracks if kind == _AUDIO))
    raise Damaged("no movie box, or half of one")


def _boxes(pieces: Pieces, place: int, end: int) -> Iterator[Box]:
    while place + 8 <= end:
        head = pieces.up_to(place, 16)
        size, begin = int.from_bytes(head[:4]), place + 8
        if size == 1:
            size, begin = int.from_bytes(head[8:16]), place + 16
        stop = min(end, place + size) if size else end
        if stop < begin:
            return
        yield Box(head[4:8], begin, stop, is_cut=place + size > end)
        place = stop


def _inside(pieces: Pieces, box: Box | None, *path: bytes) -> Box | None:
    for name in path:
        box = next((each for each in _boxes(pieces, box.place, box.end) if each.type == name), None) if box else None
    return box


def _track(pieces: Pieces, track: Box) -> tuple[bytes, str]:
    """The kind of a track, and how its codec is spelled."""
    media = _inside(pieces, track, b"mdia")
    handler, described = _inside(pieces, media, b"hdlr"), _inside(pieces, media, b"minf", b"stbl", b"stsd")
    if handler is None or described is None:
        return b"", ""
    kind = pieces.at(handler.place + 8, 4)
    if kind not in (_VIDEO, _AUDIO):
        return kind, ""
    entry = next(_boxes(pieces, described.place + 8, described.end), None)
    if entry is None:
        return kind, ""
    content = pieces.at(entry.place, min(entry.end - entry.place, _LONGEST))
    try:
        return kind, _spelled(entry.type, content, is_video=kind == _VIDEO)
    except (KeyError, IndexError):  # without its record, or with half of one
        return kind, ""


def _spelled(name: bytes, content: bytes, *, is_video: bool) -> str:
    records = _records(content, is_video=is_video)
    if name in (b"avc1", b"avc3"):
        return codecs.h264(records[b"avcC"], name.decode())
    if name in (b"hvc1", b"hev1"):
        return codecs.hevc(records[b"hvcC"], name.decode())
    if name == b"av01":
        return codecs.av1(records[b"av1C"])
    if name == b"vp09":
        return codecs.vp9(records[b"vpcC"][4:])
    if name in (b"mp4a", b"mp4v"):
        # without a descriptor it is QuickTime's own way of saying AAC, or too old to tell
        bare = "" if is_video else "mp4a.40.2"
        return codecs.mpeg4(records[b"esds"][4:], name.decode()) if b"esds" in records else bare
    word = name.decode("latin-1").strip().lower()
    return _NAMES.get(name) or (word if word.replace("-", "").isalnum() and word.isascii() else "")


def _records(content: bytes, *, is_video: bool) -> dict[bytes, bytes]:
    """The small boxes of a sample's description; those that QuickTime puts into one called wave as well."""
    version = int.from_bytes(content[_SAMPLE : _SAMPLE + 2])
    place = _SAMPLE + (_VIDEO_FIELDS if is_video else _AUDIO_FIELDS.get(version, _AUDIO_FIELDS[0]))
    found: dict[bytes, bytes] = {}
    waiting = [content[place:]]
    while waiting:
        data = waiting.pop()
        while len(data) >= 8 and (size := int.from_bytes(data[:4])) >= 8:
            found[data[4:8]] = data[8:size]
            if data[4:8] == b"wave":
                waiting.append(data[8:size])
            data = data[size:]
    return found
