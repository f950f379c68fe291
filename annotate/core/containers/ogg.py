"""Ogg files (RFC 3533): each stream begins with a page of its own, whose first bytes name the codec."""

from annotate.core.containers.pieces import Damaged, Pieces, Tracks

MAGIC = b"OggS"
_BEGINS = 0x02  # the flag of a stream's first page
_STREAMS = {
    b"\x80theora": "theora", b"\x01vorbis": "vorbis", b"OpusHead": "opus", b"\x7fFLAC": "flac", b"Speex   ": "speex",
    b"BBCD": "dirac", b"OVP80": "vp8", b"PCM     ": "pcm",
}  # fmt: skip
_PICTURES = ("theora", "dirac", "vp8")
_ASIDE = (b"fishead\0", b"CMML\0", b"\x80kate")  # says something of the others, or under them


def read(pieces: Pieces) -> Tracks:
    """The streams that begin at the head of the file. Raises Damaged where none does: it is cut out of another."""
    found: list[str] = []
    place = 0
    while True:
        head = pieces.up_to(place, 27)
        if len(head) < 27 or head[:4] != MAGIC or not head[5] & _BEGINS:
            break
        lengths = pieces.at(place + 27, head[26])
        place += 27 + len(lengths)
        first = pieces.up_to(place, 8)
        if not first.startswith(_ASIDE):
            found.append(next((codec for magic, codec in _STREAMS.items() if first.startswith(magic)), ""))
        place += sum(lengths)
    if not found:
        raise Damaged("no stream begins")
    pictures = tuple(codec for codec in found if codec in _PICTURES)
    return Tracks("ogg", pictures, tuple(codec for codec in found if codec not in _PICTURES))
