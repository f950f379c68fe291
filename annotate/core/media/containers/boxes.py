"""MP4 and QuickTime files (ISO/IEC 14496-12): nested boxes, read for their sample descriptions."""

from collections.abc import Iterator
from typing import NamedTuple

from annotate.core.media.containers import codecs
from annotate.core.media.containers.bounded_file import (
    BoundedFile,
    DamagedMedia,
    Tracks,
    plausible_seconds,
)

FIRST = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
_MAX_DESCRIPTION = 1 << 16  # bytes of a sample description
_VIDEO, _AUDIO = b"vide", b"soun"
_SAMPLE_HEADER = 8  # bytes before the fields of video or sound
_VIDEO_FIELDS = 70
_AUDIO_FIELDS = {0: 20, 1: 36, 2: 56}  # by QuickTime's version of a sound's description
_NAMES = {b"Opus": "opus", b"fLaC": "flac", b".mp3": "mp3", b"vp08": "vp8"}


class Box(NamedTuple):
    """A box: its type, start and end of its content, and whether it is cut off at the end."""

    type: bytes
    start: int
    end: int
    is_cut: bool


def read(file: BoundedFile) -> Tracks:
    """Read the tracks of the movie box, wherever it is; raises DamagedMedia without a whole one."""
    container = "mp4"
    for box in _boxes(file, 0, file.size):
        if box.type == b"ftyp" and file.read_exactly(box.start, 4) == b"qt  ":
            container = "quicktime"
        elif box.type == b"moov" and not box.is_cut:
            tracks = [
                _track(file, track)
                for track in _boxes(file, box.start, box.end)
                if track.type == b"trak"
            ]
            pictures = tuple(codec for kind, codec in tracks if kind == _VIDEO)
            sounds = tuple(codec for kind, codec in tracks if kind == _AUDIO)
            return Tracks(container, pictures, sounds, seconds=_seconds(file, box))
    raise DamagedMedia("no movie box, or half of one")


def _seconds(file: BoundedFile, movie: Box) -> float | None:
    """The length that the movie's header says, or the one of a movie in fragments."""
    header_box = _descend(file, movie, b"mvhd")
    if header_box is None:
        return None
    header = file.read_exactly(header_box.start, min(header_box.end - header_box.start, 32))
    is_long = header[:1] == b"\1"  # times of eight bytes each, else of four
    scale_at, size = (20, 8) if is_long else (12, 4)
    scale = int.from_bytes(header[scale_at : scale_at + 4])
    duration = int.from_bytes(header[scale_at + 4 : scale_at + 4 + size])
    if fragments_box := _descend(file, movie, b"mvex", b"mehd"):
        n_bytes = min(fragments_box.end - fragments_box.start, 12)
        duration = int.from_bytes(file.read_exactly(fragments_box.start, n_bytes)[4:])
    # all bits are set where nobody knows
    return None if duration == (1 << 8 * size) - 1 else plausible_seconds(duration, scale)


def _boxes(file: BoundedFile, position: int, end: int) -> Iterator[Box]:
    while position + 8 <= end:
        head = file.read_up_to(position, 16)
        size, content_start = int.from_bytes(head[:4]), position + 8
        if size == 1:
            size, content_start = int.from_bytes(head[8:16]), position + 16
        box_end = min(end, position + size) if size else end
        if box_end < content_start:
            return
        yield Box(head[4:8], content_start, box_end, is_cut=position + size > end)
        position = box_end


def _descend(file: BoundedFile, box: Box | None, *path: bytes) -> Box | None:
    for name in path:
        box = (
            next((child for child in _boxes(file, box.start, box.end) if child.type == name), None)
            if box
            else None
        )
    return box


def _track(file: BoundedFile, track: Box) -> tuple[bytes, str]:
    """The kind of a track, and its codec as MIME types spell it."""
    media = _descend(file, track, b"mdia")
    handler_box = _descend(file, media, b"hdlr")
    descriptions_box = _descend(file, media, b"minf", b"stbl", b"stsd")
    if handler_box is None or descriptions_box is None:
        return b"", ""
    kind = file.read_exactly(handler_box.start + 8, 4)
    if kind not in (_VIDEO, _AUDIO):
        return kind, ""
    entry = next(_boxes(file, descriptions_box.start + 8, descriptions_box.end), None)
    if entry is None:
        return kind, ""
    content = file.read_exactly(entry.start, min(entry.end - entry.start, _MAX_DESCRIPTION))
    try:
        return kind, _codec_parameter(entry.type, content, is_video=kind == _VIDEO)
    except (KeyError, IndexError):  # the codec's record is missing or cut
        return kind, ""


def _codec_parameter(name: bytes, content: bytes, *, is_video: bool) -> str:
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
        # without a descriptor it is QuickTime's own form of AAC, or too old to tell
        default_codec = "" if is_video else "mp4a.40.2"
        return (
            codecs.mpeg4(records[b"esds"][4:], name.decode())
            if b"esds" in records
            else default_codec
        )
    lowered_name = name.decode("latin-1").strip().lower()
    return _NAMES.get(name) or (
        lowered_name if lowered_name.replace("-", "").isalnum() and lowered_name.isascii() else ""
    )


def _records(content: bytes, *, is_video: bool) -> dict[bytes, bytes]:
    """The inner boxes of a sample description by name, with those inside QuickTime's box `wave`."""
    version = int.from_bytes(content[_SAMPLE_HEADER : _SAMPLE_HEADER + 2])
    start = _SAMPLE_HEADER + (
        _VIDEO_FIELDS if is_video else _AUDIO_FIELDS.get(version, _AUDIO_FIELDS[0])
    )
    records: dict[bytes, bytes] = {}
    unread = [content[start:]]
    while unread:
        data = unread.pop()
        while len(data) >= 8 and (size := int.from_bytes(data[:4])) >= 8:
            records[data[4:8]] = data[8:size]
            if data[4:8] == b"wave":
                unread.append(data[8:size])
            data = data[size:]
    return records
