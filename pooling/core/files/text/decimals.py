"""Decimal numbers in text to binary numbers, a column at a time, correctly rounded.

Up to eight digits are read with three multiplications on the eight bytes that hold them (Lemire
2018), so a column costs a few passes over words. Other forms (exponents, more than 19 digits,
"nan", words) go through Python's float.
"""

import numpy as np
from numpy.typing import NDArray

from pooling.core.files.text.text_blocks import LineFault, TextBlock

_ZEROS = np.uint64(0x3030303030303030)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_ABOVE_NINE = np.uint64(0x0606060606060606)  # carries a byte of 10 to 15 into its upper half
_DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_LAST_BYTES = np.array(
    [0] + [(0xFFFFFFFFFFFFFFFF << (64 - 8 * n)) & 0xFFFFFFFFFFFFFFFF for n in range(1, 9)],
    dtype=np.uint64,
)
_POWERS = 10 ** np.arange(20, dtype=np.uint64)
_EXACT_INTEGERS = np.uint64(1 << 53)
_LONG_DOUBLE_HAS_64_BITS = np.finfo(np.longdouble).nmant == 63


def floats(
    block: TextBlock, column: int, field: str
) -> tuple[NDArray[np.float64], list[LineFault]]:
    """(n,) finite numbers of a column, NaN where there is none, and the faults of those lines."""
    start, end = block.span(column)
    if not len(start):
        return np.zeros(0), []
    uniform_values = _uniform_floats(block, start, end)
    if uniform_values is not None:
        return uniform_values, []
    value, is_readable = _any_form(block, start, end)
    return value, _slowly(block, column, field, value, np.flatnonzero(~is_readable))


def _uniform_floats(
    block: TextBlock, start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """The values where all are written with the same number of decimals, at most 8, and no sign.

    Else None. Most runs are written so, and then masks and scales are single numbers.
    """
    decimals = int(end[0] - start[0]) - 1 - block.data[start[0] : end[0]].tobytes().find(b".")
    point = end - (decimals + 1)
    length = point - start
    if (
        not 1 <= decimals <= 8
        or length.min() < 1
        or length.max() > 8
        or np.any(block.data.take(point) != ord("."))
    ):
        return None
    keep = _LAST_BYTES[decimals]
    part = (block.words(end - 8) ^ _ZEROS) & keep
    whole = (block.words(point - 8) ^ _ZEROS) & _LAST_BYTES.take(length)
    if np.any(_no_digits(part) | _no_digits(whole)) or decimals + length.max() > 15:
        return None
    scale = 10.0**decimals
    return np.asarray((_value(whole) * scale + _value(part)) / scale, dtype=np.float64)


def _any_form(
    block: TextBlock, start: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(n,) values of decimals of up to 19 digits, signed or not, and which could be read so."""
    first = block.data.take(start)
    negative = first == ord("-")
    start = start + (negative | (first == ord("+")))
    length = end - start
    point = _point(block, start, length)
    decimals = np.maximum(length - point - 1, 0)
    is_readable = (
        (point <= 8) & (decimals <= 16) & (point + decimals <= 19) & (point + decimals >= 1)
    )
    whole, are_digits = _digits(block, start + point, point)
    is_readable &= are_digits
    part, are_digits = _digits(block, end, decimals)
    is_readable &= are_digits
    if decimals.max(initial=0) > 8:
        upper, are_digits = _digits(block, end - 8, decimals - 8)
        is_readable &= are_digits
        part = part + upper * _POWERS[8]
    scale = _POWERS.take(np.minimum(decimals, 19))
    digits = whole * scale + part
    value = digits.astype(np.float64) / scale.astype(np.float64)
    inexact = is_readable & (digits >= _EXACT_INTEGERS)
    if inexact.any():
        value[inexact], sure = _divide(digits[inexact], scale[inexact])
        is_readable[np.flatnonzero(inexact)[~sure]] = False
    np.negative(value, out=value, where=negative)
    return value, is_readable


def integers(
    block: TextBlock, column: int, field: str
) -> tuple[NDArray[np.int64], list[LineFault]]:
    """(n,) whole numbers of a column, 0 where there is none, and the faults of those lines."""
    start, end = block.span(column)
    length = end - start
    digits, are_digits = _digits(block, end, length)
    value = digits.view(np.int64)
    faults = []
    for row in np.flatnonzero(~are_digits | (length > 8)):
        text = block.text(int(row), column)
        plain = (
            text.isascii()
            and text.lstrip("+-").isdecimal()
            and len(text) < 19
            and "-" not in text[1:]
        )
        value[row] = int(text) if plain and "+" not in text[1:] else 0
        if not value[row] and text.strip("+-0"):
            faults.append(
                LineFault(
                    int(block.line[row]), field, f'the {field} "{text}" is not a whole number.'
                )
            )
    return value, faults


def _point(
    block: TextBlock, start: NDArray[np.int64], length: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(n,) place of the decimal point in the first nine characters, else the field's length."""
    other = block.words(start) ^ _DOTS
    zero = (other - _ONES) & ~other & _TOPS
    position = (
        np.bitwise_count((zero & (~zero + np.uint64(1))) - np.uint64(1)).astype(np.int64) >> 3
    )
    at_nine = block.data.take(start + 8) == ord(".")
    return np.minimum(np.where(zero == 0, np.where(at_nine, 8, length), position), length)


def _digits(
    block: TextBlock, end: NDArray[np.int64], length: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """(n,) value of the last `length` characters before `end`, and whether all are digits.

    length : 0..8 of them count
    """
    text = (block.words(end - 8) ^ _ZEROS) & _LAST_BYTES.take(length, mode="clip")
    return _value(text), _no_digits(text) == 0


def _no_digits(text: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(n,) 0 where all eight bytes are 0 to 9; they are digits less "0", or blanked out."""
    return (text | (text + _ABOVE_NINE)) & _HIGH


def _value(text: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(n,) the number that eight digits make, the first byte being the highest."""
    value = (text * np.uint64(2561)) >> np.uint64(8)
    value &= np.uint64(0x00FF00FF00FF00FF)
    value *= np.uint64(6553601)
    value >>= np.uint64(16)
    value &= np.uint64(0x0000FFFF0000FFFF)
    value *= np.uint64(42949672960001)
    value >>= np.uint64(32)
    return value


def _divide(
    digits: NDArray[np.uint64], scale: NDArray[np.uint64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """digits / scale for up to 64 bits of digits, and where that is surely the nearest double.

    An 80-bit quotient is right to 64 bits; rounding it again to 53 goes wrong only where its last
    11 bits are a half.
    """
    if not _LONG_DOUBLE_HAS_64_BITS:
        return np.zeros(len(digits)), np.zeros(len(digits), dtype=bool)
    quotient = digits.astype(np.longdouble) / scale.astype(np.longdouble)
    value = quotient.astype(np.float64)
    beyond = np.abs(quotient - value) / np.spacing(np.abs(value))
    return value, np.abs(beyond - 0.5) > 1e-3


def _slowly(
    block: TextBlock, column: int, field: str, value: NDArray[np.float64], rows: NDArray[np.int64]
) -> list[LineFault]:
    """Read single fields with Python's float, into `value`."""
    faults = []
    for row in rows:
        text = block.text(int(row), column)
        try:
            number = float(text) if text.isascii() and "_" not in text else float("nan")
        except ValueError:
            number = float("nan")
        value[row] = number
        if not np.isfinite(number):
            value[row] = np.nan
            faults.append(
                LineFault(
                    int(block.line[row]), field, f'the {field} "{text}" is not a finite number.'
                )
            )
    return faults
