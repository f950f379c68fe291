"""Clips and recordings of every kind that the tests need, encoded in memory."""

import io
import struct
from functools import cache

import av
import numpy as np

RATE = 48_000


@cache
def encode_clip(container: str, picture: str = "", sound: str = "", **options: str) -> bytes:
    """A file of half a second; container, picture and sound as FFmpeg names them."""
    stream = io.BytesIO()
    with av.open(stream, "w", format=container, options=options) as file:
        # all streams before any packet: the head of a file names them
        video = (
            file.add_stream(picture, rate=10, options={"threads": "1", "strict": "unofficial"})
            if picture
            else None
        )
        audio = file.add_stream(sound, rate=RATE) if sound else None
        if video is not None:
            video.width = video.height = 64
            video.pix_fmt = "yuv420p"
            for shade in range(5):
                pixels = np.full((64, 64, 3), 40 * shade, dtype=np.uint8)
                file.mux(video.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
            file.mux(video.encode())
        if audio is not None:
            for block in range(5):
                samples = av.AudioFrame.from_ndarray(
                    np.zeros((1, 9_600), dtype=np.int16), "s16", "stereo"
                )
                samples.sample_rate, samples.pts = RATE, 4_800 * block
                file.mux(audio.encode(samples))
            file.mux(audio.encode())
    return stream.getvalue()


def ogg(*first_packets: bytes) -> bytes:
    """The head of an Ogg file: a first page for each of its streams, then a continuing page."""
    head = b"".join(_page(packet, serial, flags=2) for serial, packet in enumerate(first_packets))
    return head + _page(b"\x81theora", 0, flags=0)


def theora(*, with_sound: bool = True) -> bytes:
    """The headers of a Theora clip, perhaps with Vorbis; no encoder of today makes one."""
    return ogg(
        b"\x80theora\x03\x02\x01" + bytes(33), *([b"\x01vorbis" + bytes(23)] if with_sound else [])
    )


def _page(packet: bytes, serial: int, *, flags: int) -> bytes:
    return (
        struct.pack("<4sBBqIIIB", b"OggS", 0, flags, 0, serial, 0, 0, 1)
        + bytes([len(packet)])
        + packet
    )
