"""Sound without a container: MP3 (ISO/IEC 11172-3, 13818-3), AAC (ADTS, 13818-7) and FLAC."""

from annotate.core.media.containers.bounded_file import BoundedFile, Tracks

_TAG_HEADER = 10  # bytes of an ID3 tag's header
_MAX_TAGS = 4
_READ_BYTES = 1 << 14
# a stream that was cut begins in the middle of a frame, of 1,441 bytes at most
_MAX_OFFSET = 1 << 12
_MIN_FRAMES = 3  # consecutive frames, which do not occur by chance
_MPEG_1, _MPEG_2, _MPEG_2_5 = 3, 2, 0
_RATES = {
    _MPEG_1: (44_100, 48_000, 32_000),
    _MPEG_2: (22_050, 24_000, 16_000),
    _MPEG_2_5: (11_025, 12_000, 8_000),
}
_KILOBITS = {  # a second, by whether it is MPEG-1 and by the layer
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_MP3, _AAC, _FLAC = Tracks("mpeg", kind="audio"), Tracks("aac"), Tracks("flac")


def read(file: BoundedFile) -> Tracks | None:
    """Detect the sound behind leading tags; None where it is neither MP3, AAC nor FLAC."""
    position = 0
    for _ in range(_MAX_TAGS):
        head = file.read_up_to(position, _TAG_HEADER)
        if not head.startswith(b"ID3") or len(head) < _TAG_HEADER:
            break
        tag_size = 0
        for byte in head[6:]:  # seven bits of the size in each
            tag_size = tag_size << 7 | byte & 0x7F
        position = min(file.size, position + _TAG_HEADER + tag_size)
    head = file.read_up_to(position, _READ_BYTES)
    if head.startswith(b"fLaC"):
        return _FLAC
    if position and head and not head.strip(b"\0"):  # some leave more room than the tag says
        return _MP3
    is_whole = position + len(head) == file.size
    frame_starts = (
        n
        for n in range(min(len(head), _MAX_OFFSET))
        if head[n] == 0xFF and _frames_follow(head, n, is_whole)
    )
    first_frame = next(frame_starts, None)
    return None if first_frame is None else _AAC if _is_aac(head[first_frame:]) else _MP3


def _frames_follow(data: bytes, position: int, is_whole: bool) -> bool:
    """True if enough frames follow one another, or all frames up to the file's end."""
    is_aac = _is_aac(data[position:])
    for _ in range(_MIN_FRAMES):
        # a tag of the old kind ends the file
        if position == len(data) or data.startswith(b"TAG", position):
            return is_whole
        if _is_aac(data[position:]) != is_aac or not (
            length := _length(data[position : position + 6])
        ):
            return False
        position += length
    return True


def _is_aac(head: bytes) -> bool:
    return len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0


def _length(head: bytes) -> int:
    """Return the length in bytes of the frame that begins with `head`; 0 if no frame begins so."""
    if len(head) < 6 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return 0
    if _is_aac(head):
        length = (head[3] & 0x03) << 11 | head[4] << 3 | head[5] >> 5
        return length if length >= 7 else 0
    version, layer = head[1] >> 3 & 0x03, 4 - (head[1] >> 1 & 0x03)
    bitrate, rate, padding = head[2] >> 4, head[2] >> 2 & 0x03, head[2] >> 1 & 0x01
    if version not in _RATES or layer > 3 or bitrate in (0, 15) or rate == 3:
        return 0
    is_mpeg_1 = version == _MPEG_1
    bit_rate, sample_rate = 1_000 * _KILOBITS[is_mpeg_1, layer][bitrate - 1], _RATES[version][rate]
    if layer == 1:
        return (12 * bit_rate // sample_rate + padding) * 4
    return (144 if is_mpeg_1 or layer == 2 else 72) * bit_rate // sample_rate + padding
