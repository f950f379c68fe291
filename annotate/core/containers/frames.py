"""Sounds without a container: MP3 (ISO/IEC 11172-3, 13818-3) and AAC (ADTS, 13818-7) in frames, and FLAC."""

from annotate.core.containers.pieces import Pieces, Tracks

_TAG = 10  # bytes before what an ID3 tag says
_MOST_TAGS = 4
_READ = 1 << 14
_SEARCHED = 1 << 12  # a stream that was cut begins in the middle of a frame, of 1,441 bytes at most
_ENOUGH = 3  # heads one behind another, which chance does not make
_MPEG_1, _MPEG_2, _MPEG_2_5 = 3, 2, 0
_RATES = {_MPEG_1: (44_100, 48_000, 32_000), _MPEG_2: (22_050, 24_000, 16_000), _MPEG_2_5: (11_025, 12_000, 8_000)}
_KILOBITS = {  # a second, by whether it is MPEG-1 and by the layer
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_MP3, _AAC, _FLAC = Tracks("mpeg", kind="audio"), Tracks("aac"), Tracks("flac")


def read(pieces: Pieces) -> Tracks | None:
    """What sound it is, behind the tags that may stand before it; None where it is none of these."""
    place = 0
    for _ in range(_MOST_TAGS):
        head = pieces.up_to(place, _TAG)
        if not head.startswith(b"ID3") or len(head) < _TAG:
            break
        place = min(pieces.size, place + _TAG + _tag_size(head))
    head = pieces.up_to(place, _READ)
    if head.startswith(b"fLaC"):
        return _FLAC
    if place and head and not head.strip(b"\0"):  # some leave more room than the tag says
        return _MP3
    is_whole = place + len(head) == pieces.size
    begins = (n for n in range(min(len(head), _SEARCHED)) if head[n] == 0xFF and _follow(head, n, is_whole))
    begin = next(begins, None)
    return None if begin is None else _AAC if _is_aac(head[begin:]) else _MP3


def _tag_size(head: bytes) -> int:
    """What an ID3 tag says of its length, in bytes of which seven bits count."""
    size = 0
    for byte in head[6:]:
        size = size << 7 | byte & 0x7F
    return size


def _follow(data: bytes, place: int, is_whole: bool) -> bool:
    """Whether enough frames stand one behind another, or all until the file ends."""
    is_aac = _is_aac(data[place:])
    for _ in range(_ENOUGH):
        if place == len(data) or data.startswith(b"TAG", place):  # a tag of the old kind ends the file
            return is_whole
        if _is_aac(data[place:]) != is_aac or not (length := _length(data[place : place + 6])):
            return False
        place += length
    return True


def _is_aac(head: bytes) -> bool:
    return len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0


def _length(head: bytes) -> int:
    """The bytes of the frame that begins so; 0 where none does."""
    if len(head) < 6 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return 0
    if _is_aac(head):
        length = (head[3] & 0x03) << 11 | head[4] << 3 | head[5] >> 5
        return length if length >= 7 else 0
    version, layer = head[1] >> 3 & 0x03, 4 - (head[1] >> 1 & 0x03)
    bitrate, rate, padding = head[2] >> 4, head[2] >> 2 & 0x03, head[2] >> 1 & 0x01
    if version not in _RATES or layer > 3 or bitrate in (0, 15) or rate == 3:
        return 0
    is_first = version == _MPEG_1
    bits, hertz = 1_000 * _KILOBITS[is_first, layer][bitrate - 1], _RATES[version][rate]
    if layer == 1:
        return (12 * bits // hertz + padding) * 4
    return (144 if is_first or layer == 2 else 72) * bits // hertz + padding
