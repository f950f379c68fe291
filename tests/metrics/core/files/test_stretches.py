"""A stretch of a file is a file of its own: its ends are ends, and it can be sought."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.files.stretches import FileStretch

CONTENT = bytes(range(200))


def stretch(offset: int = 50, n_bytes: int = 60) -> FileStretch:
    return FileStretch(io.BytesIO(CONTENT), offset, n_bytes)


def test_a_stretch_has_its_bytes_and_no_others():
    assert stretch().read() == CONTENT[50:110]
    assert stretch().read(1000) == CONTENT[50:110]
    assert stretch(190, 60).read() == CONTENT[190:]


def test_closing_it_closes_the_file():
    stream = io.BytesIO(CONTENT)
    FileStretch(stream, 0, 5).close()
    assert stream.closed


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from([io.SEEK_SET, io.SEEK_CUR, io.SEEK_END]),
            st.integers(-80, 80),
            st.integers(-1, 80),
        )
    )
)
def test_seeking_and_reading_are_those_of_the_bytes_alone(steps):
    own, expected = stretch(), io.BytesIO(CONTENT[50:110])
    for whence, offset, size in steps:
        least = {io.SEEK_SET: 0, io.SEEK_CUR: -expected.tell(), io.SEEK_END: -60}[whence]
        target = max(least, offset)  # bytes refuse to go before their start
        assert own.seek(target, whence) == expected.seek(target, whence)
        assert own.read(size) == expected.read(size)
        assert own.tell() == expected.tell()


def test_lines_are_read_through_a_buffer():
    text = b"one\ntwo\nthree\n"
    lines = io.BufferedReader(FileStretch(io.BytesIO(b"xx" + text + b"yy\n"), 2, len(text)), 4)
    assert lines.readlines() == [b"one\n", b"two\n", b"three\n"]
    with pytest.raises(ValueError, match="closed"):
        lines.close() or lines.read()
