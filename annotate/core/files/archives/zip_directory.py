"""The size of a zip archive's directory, checked before `zipfile` makes an object per entry."""

import struct
from typing import BinaryIO

# the last record: signature, four counts, size and place of the directory, comment
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_PLACE_64 = struct.Struct("<4sLQL")  # the locator of the 64-bit record
_LONGEST_COMMENT = 65_535


def directory_size(stream: BinaryIO) -> int:
    """Size of an archive's directory in bytes; 0 if there is none, then the file is no archive."""
    length = stream.seek(0, 2)
    tail_at = max(0, length - _END.size - _LONGEST_COMMENT - _PLACE_64.size)
    stream.seek(tail_at)
    tail = stream.read()
    end_record = tail.rfind(b"PK\x05\x06")
    if end_record < 0 or end_record + _END.size > len(tail):
        return 0
    size = _END.unpack_from(tail, end_record)[5]
    locator = end_record - _PLACE_64.size
    if locator >= 0 and tail[locator : locator + 4] == b"PK\x06\x07":
        stream.seek(min(_PLACE_64.unpack_from(tail, locator)[2], length))
        record = stream.read(_END_64.size)
        # zipfile looks right before the locator if other bytes stand ahead of the archive
        for candidate in (record, tail[max(0, locator - _END_64.size) : locator]):
            if candidate[:4] == b"PK\x06\x06" and len(candidate) == _END_64.size:
                size = max(size if size != 0xFFFFFFFF else 0, _END_64.unpack(candidate)[8])
    return int(min(size, length))
