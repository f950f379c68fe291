"""Codec parameters of MIME types, from the codecs' records in containers.

RFC 6381 has the idea; ISO/IEC 14496-15 the spelling of H.264 and HEVC, the AV1 and VP9 bindings
those of theirs. Every record may be cut short or wrong: then these functions raise IndexError.
"""

# Object types of pictures (ISO/IEC 14496-1, table 5, as mp4ra.org lists it): MPEG-4 Part 2, H.264
# and HEVC; MPEG-2 by its profiles; MPEG-1; JPEG, PNG and JPEG 2000; VC-1 and Dirac. All others that
# tracks have are sounds.
_PICTURES = frozenset({0x20, 0x21, 0x23, *range(0x60, 0x66), 0x6A, 0x6C, 0x6D, 0x6E, 0xA3, 0xA4})
_NO_OBJECTS = (0x00, 0xFF)  # forbidden, and unspecified


def h264(record: bytes, name: str = "avc1") -> str:
    """Codec parameter of an AVCDecoderConfigurationRecord: profile, constraints and level."""
    return f"{name}.{record[1]:02x}{record[2]:02x}{record[3]:02x}"


def hevc(record: bytes, name: str = "hvc1") -> str:
    """Codec parameter of an HEVCDecoderConfigurationRecord."""
    space = ("", "A", "B", "C")[record[1] >> 6]
    compatible = int(f"{int.from_bytes(record[2:6]):032b}"[::-1], 2)  # bits are written in reverse
    tier = "H" if record[1] & 0x20 else "L"
    constraints = [f"{byte:X}" for byte in record[6:12].rstrip(b"\0")]
    return ".".join(
        [name, f"{space}{record[1] & 0x1F}", f"{compatible:X}", f"{tier}{record[12]}", *constraints]
    )


def av1(record: bytes) -> str:
    """Codec parameter of an AV1CodecConfigurationRecord."""
    profile, level, flags = record[1] >> 5, record[1] & 0x1F, record[2]
    depth = 8 if not flags & 0x40 else 12 if profile == 2 and flags & 0x20 else 10
    return f"av01.{profile}.{level:02}{'H' if flags & 0x80 else 'M'}.{depth:02}"


def vp9(record: bytes) -> str:
    """Codec parameter of a VPCodecConfigurationRecord."""
    return f"vp09.{record[0]:02}.{record[1]:02}.{record[2] >> 4:02}"


def mpeg4(descriptor: bytes, name: str) -> str:
    """Codec parameter of an MPEG-4 descriptor: AAC and its like, MP3, MPEG-4 Part 2, MPEG-1 or 2.

    name : mp4v or mp4a, the name of the sample description
    Returns "" where the object type does not belong to such a track.
    """
    position = 0
    while True:
        tag, position, end = _descriptor(descriptor, position)
        if tag == 0x03:  # the stream: its number and flags, then more descriptors
            position = _after_flags(descriptor, position)
        elif tag == 0x04:  # the decoder's configuration
            kind = descriptor[position]
            if kind in _NO_OBJECTS or (kind in _PICTURES) != (name == "mp4v"):
                return ""
            if kind == 0x20:
                sequence_header = descriptor.find(b"\0\0\1\xb0", position)
                return (
                    f"{name}.20.{descriptor[sequence_header + 4]}"
                    if sequence_header >= 0
                    else f"{name}.20.9"
                )
            return (
                f"{name}.40.{_audio_object(descriptor, position + 13)}"
                if kind == 0x40
                else f"{name}.{kind:02X}"
            )
        else:
            position = end


def _descriptor(descriptor: bytes, position: int) -> tuple[int, int, int]:
    """Tag, start and end of a descriptor's content.

    A length has seven bits a byte, in at most four bytes.
    """
    tag, length, cursor = descriptor[position], 0, position + 1
    for cursor in range(position + 1, position + 5):
        length = length << 7 | descriptor[cursor] & 0x7F
        if not descriptor[cursor] & 0x80:
            break
    return tag, cursor + 1, cursor + 1 + length


def _after_flags(descriptor: bytes, position: int) -> int:
    flags = descriptor[position + 2]
    position += 3
    position += 2 if flags & 0x80 else 0
    position += descriptor[position] + 1 if flags & 0x40 else 0
    return position + (2 if flags & 0x20 else 0)


def _audio_object(descriptor: bytes, position: int) -> int:
    """The kind of AAC in the decoder's set-up; 2, the common one, where there is no set-up."""
    if position >= len(descriptor) or descriptor[position] != 0x05:
        return 2
    _, position, _ = _descriptor(descriptor, position)
    kind = descriptor[position] >> 3
    return (
        kind
        if kind != 31
        else 32 + ((descriptor[position] & 0x07) << 3 | descriptor[position + 1] >> 5)
    )
