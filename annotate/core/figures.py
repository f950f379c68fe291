"""Numbers in sentences and tables, with as many digits as people read."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

P_LEVELS = (0.01, 0.05, 0.1)  # a p-value is not rounded to one of these, or over it
_NOISE_DIGITS = 9  # a bound differs from a rounder number by more than this, or is that number
LEAST_P = 0.001  # a smaller p is told as smaller than this


def decimals(value: float, n: int, *, rounding: str = ROUND_HALF_UP) -> str:
    """Return a number with n decimals, halves away from zero; "not defined" unless it is finite.

    Halves are those of the number as it is written: 83.25 is 83.3. What is rounded to nothing has
    no minus. rounding : a constant of the module decimal
    """
    if not math.isfinite(value):
        return "not defined"
    text = f"{Decimal(str(value)).quantize(Decimal(1).scaleb(-n), rounding=rounding):f}"
    return text.removeprefix("-") if float(text) == 0 else text


def at_most(value: float, n: int) -> str:
    """Return an upper bound with n decimals, rounded up."""
    return decimals(round(value, _NOISE_DIGITS), n, rounding=ROUND_CEILING)


def at_least(value: float, n: int) -> str:
    """Return a lower bound with n decimals, rounded down."""
    return decimals(round(value, _NOISE_DIGITS), n, rounding=ROUND_FLOOR)


def sum_text(whole: float, part: float | None) -> str:
    """Return "A (B + C)" with one decimal, so that the printed numbers add up; or A alone.

    part : B; None without one
    """
    text = decimals(whole, 1)
    if part is None or not math.isfinite(whole + part):
        return text
    part_text = decimals(part, 1)
    difference = Decimal(text) - Decimal(part_text)
    sign = "\N{MINUS SIGN}" if difference < 0 else "+"
    return f"{text} ({part_text} {sign} {abs(difference)})"


def percent_text(percent: float) -> str:
    """Return a share in whole per cent, never a false 0 or 100: 83, 99.6, "< 0.1", "> 99.9"."""
    if 0 < percent < 0.05:
        return "< 0.1"
    if 99.95 <= percent < 100:
        return "> 99.9"
    whole = decimals(percent, 0)
    is_false_end = whole in ("0", "100") and percent not in (0, 100)
    return decimals(percent, 1) if is_false_end else whole


def p_text(p: float) -> str:
    """Return a p-value to two digits: 0.32, 0.032, 0.003, "< 0.001".

    It has more digits where two would put it on the other side of a level: 0.0499.
    """
    if p < LEAST_P:
        return f"< {LEAST_P}"
    for n in range(2 if p >= 0.1 else 3, 8):
        text = decimals(p, n)
        if all((float(text) < level) == (p < level) for level in P_LEVELS):
            return text
    return str(p)
