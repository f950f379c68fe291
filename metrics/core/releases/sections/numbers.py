"""Numbers of a data card in words, those that are not there too."""

import math
from typing import TypeGuard


def is_number(value: float | None) -> TypeGuard[float]:
    """Return True for a value that is there and finite."""
    return value is not None and math.isfinite(value)


def decimal(value: float) -> str:
    """Return a number with at most two decimals, and commas: 1,400, 650.5, 41.25."""
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".")


def percent(share: float) -> str:
    """Return a share in [0, 1] as percent: 94.0 %."""
    return f"{100 * share:.1f} %"


def interval(low: float | None, high: float | None, *, in_percent: bool = False) -> str:
    """Return the clause on a 95 % interval."""
    if not is_number(low) or not is_number(high):
        return "without an interval"
    ends = [percent(end) if in_percent else f"{end:.3f}" for end in (low, high)]
    return f"with a 95 % interval from {ends[0]} to {ends[1]}"


def score_cell(
    mean: float | None, low: float | None, high: float | None, best: float | None
) -> str:
    """Return a mean in a table: with its interval and bound, if it has them."""
    if not is_number(mean):
        return "undefined"
    ends = f"{low:.3f} to {high:.3f}" if is_number(low) and is_number(high) else "no interval"
    bound = f", at most {best:.3f}" if is_number(best) else ""
    return f"{mean:.3f} ({ends}){bound}"
