"""How long a zip archive's directory is: asked before `zipfile` makes an object of every entry in it."""

import struct
from typing import BinaryIO

_END = struct.Struct("<4s4H2LH")  # the last record: signature, four counts, size and place of the directory, comment
_END_64 = struct.Struct("<4sQ2H2L4Q")
_PLACE_64 = struct.Struct("<4sLQL")  # where the 64-bit record stands
_LONGEST_COMMENT = 65_535


def directory_size(stream: BinaryIO) -> int:
    """The bytes of an archive's directory; 0 where none is found, then this is no archive."""
    length = stream.seek(0, 2)
    tail_at = max(0, length - _END.size - _LONGEST_COMMENT - _PLACE_64.size)
    stream.seek(tail_at)
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + _END.size > len(tail):
        return 0
    size = _END.unpack_from(tail, at)[5]
    place = at - _PLACE_64.size
    if place >= 0 and tail[place : place + 4] == b"PK\x06\x07":
        stream.seek(min(_PLACE_64.unpack_from(tail, place)[2], length))
        record = stream.read(_END_64.size)
        # zipfile looks right before the locator where something stands ahead of the archive
        for found in (record, tail[max(0, place - _END_64.size) : place]):
            if found[:4] == b"PK\x06\x06" and len(found) == _END_64.size:
                size = max(size if size != 0xFFFFFFFF else 0, _END_64.unpack(found)[8])
    return int(min(size, length))
