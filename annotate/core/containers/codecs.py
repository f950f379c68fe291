"""How codecs are spelled in a MIME type, from the records that containers keep of them.

RFC 6381 has the idea; ISO/IEC 14496-15 the spelling of H.264 and HEVC, the AV1 and VP9 bindings those of theirs.
Every record may be cut short or wrong: an IndexError means that it is.
"""

# Object types of pictures (ISO/IEC 14496-1, table 5, as mp4ra.org lists it): MPEG-4 Part 2, H.264 and HEVC; MPEG-2 by
# its profiles; MPEG-1; JPEG, PNG and JPEG 2000; VC-1 and Dirac. All others that tracks have are sounds.
_PICTURES = frozenset({0x20, 0x21, 0x23, *range(0x60, 0x66), 0x6A, 0x6C, 0x6D, 0x6E, 0xA3, 0xA4})
_NO_OBJECTS = (0x00, 0xFF)  # forbidden, and not said


def h264(record: bytes, name: str = "avc1") -> str:
    """From an AVCDecoderConfigurationRecord: profile, constraints and level."""
    return f"{name}.{record[1]:02x}{record[2]:02x}{record[3]:02x}"


def hevc(record: bytes, name: str = "hvc1") -> str:
    """From an HEVCDecoderConfigurationRecord."""
    space = ("", "A", "B", "C")[record[1] >> 6]
    compatible = int(f"{int.from_bytes(record[2:6]):032b}"[::-1], 2)  # its bits are told in reverse
    tier = "H" if record[1] & 0x20 else "L"
    constraints = [f"{byte:X}" for byte in record[6:12].rstrip(b"\0")]
    return ".".join([name, f"{space}{record[1] & 0x1F}", f"{compatible:X}", f"{tier}{record[12]}", *constraints])


def av1(record: bytes) -> str:
    """From an AV1CodecConfigurationRecord."""
    profile, level, flags = record[1] >> 5, record[1] & 0x1F, record[2]
    depth = 8 if not flags & 0x40 else 12 if profile == 2 and flags & 0x20 else 10
    return f"av01.{profile}.{level:02}{'H' if flags & 0x80 else 'M'}.{depth:02}"


def vp9(record: bytes) -> str:
    """From a VPCodecConfigurationRecord."""
    return f"vp09.{record[0]:02}.{record[1]:02}.{record[2] >> 4:02}"


def mpeg4(descriptor: bytes, name: str) -> str:
    """From an MPEG-4 elementary stream's descriptor: AAC and its like, MP3, MPEG-4 Part 2, MPEG-1 and MPEG-2.

    name : mp4v or mp4a, as the sample's description is called
    "" where its object type is none of such a track
    """
    place = 0
    while True:
        tag, place, end = _descriptor(descriptor, place)
        if tag == 0x03:  # the stream: its number and flags, then more descriptors
            place = _after_flags(descriptor, place)
        elif tag == 0x04:  # what decodes it
            kind = descriptor[place]
            if kind in _NO_OBJECTS or (kind in _PICTURES) != (name == "mp4v"):
                return ""
            if kind == 0x20:
                begin = descriptor.find(b"\0\0\1\xb0", place)
                return f"{name}.20.{descriptor[begin + 4]}" if begin >= 0 else f"{name}.20.9"
            return f"{name}.40.{_audio_object(descriptor, place + 13)}" if kind == 0x40 else f"{name}.{kind:02X}"
        else:
            place = end


def _descriptor(descriptor: bytes, place: int) -> tuple[int, int, int]:
    """Tag, place of the content, and its end; lengths have seven bits a byte, in four bytes at most."""
    tag, length, at = descriptor[place], 0, place + 1
    for at in range(place + 1, place + 5):
        length = length << 7 | descriptor[at] & 0x7F
        if not descriptor[at] & 0x80:
            break
    return tag, at + 1, at + 1 + length


def _after_flags(descriptor: bytes, place: int) -> int:
    flags = descriptor[place + 2]
    place += 3
    place += 2 if flags & 0x80 else 0
    place += descriptor[place] + 1 if flags & 0x40 else 0
    return place + (2 if flags & 0x20 else 0)


def _audio_object(descriptor: bytes, place: int) -> int:
    """The kind of AAC, from what its decoder is told; 2, the common one, where it is told nothing."""
    if place >= len(descriptor) or descriptor[place] != 0x05:
        return 2
    _, place, _ = _descriptor(descriptor, place)
    kind = descriptor[place] >> 3
    return kind if kind != 31 else 32 + ((descriptor[place] & 0x07) << 3 | descriptor[place + 1] >> 5)
