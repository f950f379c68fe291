"""Types of command line arguments: numbers within bounds."""

from argparse import ArgumentTypeError
from math import isfinite


def share(text: str) -> float:
    """Parse a number above 0 and below 1."""
    value = finite(text)
    if not 0 < value < 1:
        raise ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def positive(text: str) -> float:
    """Parse a number above 0."""
    value = finite(text)
    if value <= 0:
        raise ArgumentTypeError(f"{text} is not more than 0")
    return value


def finite(text: str) -> float:
    """Parse any number but nan and the infinite ones."""
    try:
        value = float(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a number") from error
    if not isfinite(value):
        raise ArgumentTypeError(f"{text} is not a finite number")
    return value


def count(text: str) -> int:
    """Parse a whole number from 1 on."""
    value = whole(text)
    if not value:
        raise ArgumentTypeError("0 is too few: 1 or more")
    return value


def whole(text: str) -> int:
    """Parse a whole number from 0 on."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)
