"""Damaged files: bytes flipped, lines lost or doubled, files cut short or mixed with others."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from annotate.core.files.formats import Problems

INSERTS = (
    b"\x00",
    b"\xff",
    b"\xe2\x80\xae",
    b"\t",
    b" ",
    b"\n",
    b"\r",
    b"{",
    b"}",
    b"[",
    b'"',
    b",",
    b"<",
    b"nan",
    b"-1",
    b"1e999",
    b"9" * 30,
    b"\\ud800",
    b"<top>",
    b"\xef\xbb\xbf",
    b"null",
)


@st.composite
def damaged_files(draw: st.DrawFn, samples: Sequence[bytes]) -> bytes:
    """One of the sample files after up to six accidents."""
    data = draw(st.sampled_from(samples))
    for seed in draw(st.lists(st.integers(0, 2**32 - 1), max_size=6)):
        data = accident(data, samples, random.Random(seed))
    return data


def accident(data: bytes, samples: Sequence[bytes], rng: random.Random) -> bytes:
    """The file after one accident."""
    at = rng.randrange(len(data) + 1)
    return rng.choice(ACCIDENTS)(data, at, samples, rng)


def _flip(data: bytes, at: int, samples: Sequence[bytes], chance: random.Random) -> bytes:
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _insert(data: bytes, at: int, samples: Sequence[bytes], chance: random.Random) -> bytes:
    return data[:at] + chance.choice(INSERTS) + data[at:]


def _cut(data: bytes, at: int, samples: Sequence[bytes], chance: random.Random) -> bytes:
    return data[:at]


def _lose(data: bytes, at: int, samples: Sequence[bytes], chance: random.Random) -> bytes:
    return data[:at] + data[at + chance.randrange(1, 20) :]


def _splice(data: bytes, at: int, samples: Sequence[bytes], chance: random.Random) -> bytes:
    other = chance.choice(samples)
    return data[:at] + other[chance.randrange(len(other) + 1) :]


def _lines(data: bytes, at: int, samples: Sequence[bytes], chance: random.Random) -> bytes:
    """A line lost, doubled or moved."""
    lines = data.splitlines(keepends=True) or [b""]
    line = lines.pop(chance.randrange(len(lines)))
    for _ in range(chance.randrange(3)):
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"".join(lines)


ACCIDENTS = (_flip, _flip, _insert, _cut, _lose, _splice, _lines, _lines)


def assert_errors_described(problems: Problems, n_lines: int) -> None:
    """Every error has a text, and its line, if any, is one of the file or the one after its end."""
    assert len(problems.lines()) >= min(1, problems.n)
    for error in problems.errors:
        assert str(error).strip() and "Traceback" not in str(error)
        assert error.line is None or 1 <= error.line <= n_lines + 1, error
