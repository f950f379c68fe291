"""Ogg files (RFC 3533): each stream begins with its own page, whose first bytes name the codec."""

from annotate.core.media.containers.bounded_file import BoundedFile, DamagedMedia, Tracks

MAGIC = b"OggS"
_FIRST_PAGE = 0x02  # the flag of a stream's first page
_STREAMS = {
    b"\x80theora": "theora",
    b"\x01vorbis": "vorbis",
    b"OpusHead": "opus",
    b"\x7fFLAC": "flac",
    b"Speex   ": "speex",
    b"BBCD": "dirac",
    b"OVP80": "vp8",
    b"PCM     ": "pcm",
}
_PICTURES = ("theora", "dirac", "vp8")
_TEXT_STREAMS = (b"fishead\0", b"CMML\0", b"\x80kate")  # streams about the others, and subtitles


def read(file: BoundedFile) -> Tracks:
    """Read the streams that begin at the file's head.

    Raises DamagedMedia without one: the file is cut.
    """
    stream_codecs: list[str] = []
    position = 0
    while True:
        head = file.read_up_to(position, 27)
        if len(head) < 27 or head[:4] != MAGIC or not head[5] & _FIRST_PAGE:
            break
        lengths = file.read_exactly(position + 27, head[26])
        position += 27 + len(lengths)
        first_bytes = file.read_up_to(position, 8)
        if not first_bytes.startswith(_TEXT_STREAMS):
            stream_codecs.append(
                next(
                    (codec for magic, codec in _STREAMS.items() if first_bytes.startswith(magic)),
                    "",
                )
            )
        position += sum(lengths)
    if not stream_codecs:
        raise DamagedMedia("no stream begins")
    pictures = tuple(codec for codec in stream_codecs if codec in _PICTURES)
    return Tracks(
        "ogg", pictures, tuple(codec for codec in stream_codecs if codec not in _PICTURES)
    )
