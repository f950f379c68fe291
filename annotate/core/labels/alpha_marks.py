"""The marks that Krippendorff's alpha of a collection's labels is held to."""

from typing import NamedTuple

from annotate.core.figures import at_least, at_most

_LEAST_DIGITS, _MOST_DIGITS = 2, 6  # of the lower end of an interval as people read it


class AlphaMarks(NamedTuple):
    """The alpha from which on conclusions are tentative, and that from which on they are firm.

    Marks are agreed on, no tests: alpha is compared with them by the lower end of its interval.
    """

    tentative: float
    firm: float

    @property
    def text(self) -> str:
        """The two numbers."""
        return f"{self.tentative:g} and {self.firm:g}"

    @property
    def are_usual(self) -> bool:
        """True for the conventional marks, false for marks of a collection's own."""
        return self == KRIPPENDORFF

    @property
    def names_text(self) -> str:
        """The two numbers, and whose marks they are."""
        owner = "the conventional marks" if self.are_usual else "the marks of this collection"
        return f"{owner}, {self.text}"

    @property
    def mark_text(self) -> str:
        """The name of either mark, which its conclusions follow."""
        return "by convention the mark" if self.are_usual else "the mark of this collection"

    def low_text(self, low: float) -> str:
        """The lower end of an interval of alpha, rounded down to two digits: 0.51.

        It has more digits where two would put it below a mark that it reaches: 0.668.
        """
        texts = [at_least(low, n) for n in range(_LEAST_DIGITS, _MOST_DIGITS + 1)]
        marks = [mark for mark in self if float(texts[-1]) >= mark]
        return next(text for text in texts if all(float(text) >= mark for mark in marks))

    def interval_text(self, low: float, high: float) -> str:
        """An interval of alpha, rounded outwards, so that it holds what was computed."""
        return f"{self.low_text(low)} to {at_most(high, _LEAST_DIGITS)}"


# Krippendorff 2004, Content Analysis, ch. 11: conclusions from .8 up, tentative ones from .667 up.
KRIPPENDORFF = AlphaMarks(0.667, 0.8)
