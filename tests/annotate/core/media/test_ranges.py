"""Byte ranges as RFC 9110 has them.

Its section 14.1.2 gives the examples of a file of 10,000 bytes.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.media.ranges import UnsatisfiableRange, parse_range

SIZE = 10_000


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [
        ("bytes=0-499", 0, 499),
        ("bytes=500-999", 500, 999),
        ("bytes=-500", 9500, 9999),
        ("bytes=9500-", 9500, 9999),
        ("bytes=0-0", 0, 0),
        ("bytes=-1", 9999, 9999),
        ("bytes=9999-20000", 9999, 9999),
        ("bytes=-20000", 0, 9999),
    ],
)
def test_one_range_is_read(header, first, last):
    assert parse_range(header, size=SIZE) == (first, last)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "bytes=",
        "bytes=-",
        "bytes=9-2",
        "bytes=0-0,-1",
        "items=0-5",
        "bytes=a-b",
        "bytes=-5-",
        "0-5",
        "bytes=\u0661-",
    ],
)
def test_what_is_no_single_range_is_ignored(header):
    assert parse_range(header, size=SIZE) is None


@pytest.mark.parametrize(
    ("header", "size"), [("bytes=10000-", SIZE), ("bytes=-0", SIZE), ("bytes=0-", 0)]
)
def test_a_range_of_nothing_is_unsatisfiable(header, size):
    with pytest.raises(UnsatisfiableRange):
        parse_range(header, size=size)


@given(
    st.text(alphabet="bytes=0123456789-, ", max_size=30) | st.text(max_size=20),
    st.integers(0, 1000),
)
def test_any_header_gives_a_range_inside_the_file_or_none(header, size):
    try:
        byte_range = parse_range(header, size=size)
    except UnsatisfiableRange:
        return
    assert byte_range is None or 0 <= byte_range.first <= byte_range.last < size
