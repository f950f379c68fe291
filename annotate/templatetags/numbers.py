"""Template filters for numbers: one for each kind, so that a kind has the same digits everywhere.

People read two digits; sort keys, downloads and the API keep all. Where there is no number, None or
the empty text that a template has for it, there is no text.
"""

from typing import Literal

from django import template

from annotate.core import figures
from annotate.core.labels.alpha_marks import AlphaMarks

register = template.Library()

Figure = float | Literal[""] | None


@register.filter
def share(percent: Figure) -> str:
    """A share in whole per cent, with a decimal where all or none of it would be untrue: 99.6."""
    return "" if percent is None or percent == "" else figures.percent_text(percent)


@register.filter
def score(percent: Figure) -> str:
    """A score, a coverage or a difference of them in per cent or points, with a decimal: 83.3."""
    return _decimals(percent, 1)


@register.filter
def coefficient(value: Figure) -> str:
    """A coefficient or a statistic, such as alpha or ICC, with two decimals: 0.72."""
    return _decimals(value, 2)


@register.filter
def alpha_low(low: Figure, marks: AlphaMarks) -> str:
    """The lower end of an interval of alpha, rounded down, on its side of the marks."""
    return "" if low is None or low == "" else marks.low_text(low)


@register.filter
def effect(value: Figure) -> str:
    """A part of a coefficient, such as what one person takes from alpha, in three decimals."""
    return _decimals(value, 3)


@register.filter
def at_most(value: Figure) -> str:
    """An upper bound of a coefficient or a measure, with two decimals, rounded up."""
    return "" if value is None or value == "" else figures.at_most(value, 2)


@register.filter
def as_trec_eval(value: Figure) -> str:
    """A measure between 0 and 1 with four decimals: 0.4125.

    trec_eval and sample_eval print as many, and people hold these numbers to theirs.
    """
    return _decimals(value, 4)


@register.filter
def amount(value: Figure) -> str:
    """A number that is mostly whole, with a decimal where it is not: 1,200 or 10.5."""
    return "" if value is None or value == "" else f"{value:,.1f}".removesuffix(".0")


@register.filter
def whole(value: Figure) -> str:
    """A number without decimals, its thousands parted: 1,200."""
    return "" if value is None or value == "" else f"{value:,.0f}"


@register.filter
def machine_number(value: Figure) -> str:
    """A number for scripts and pictures, not for people: a sort key, a length; six decimals."""
    return _decimals(value, 6)


def _decimals(value: Figure, n: int) -> str:
    return "" if value is None or value == "" else figures.decimals(value, n)
