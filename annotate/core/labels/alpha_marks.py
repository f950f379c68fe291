"""The marks that Krippendorff's alpha of a collection's labels is held to."""

from typing import NamedTuple


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


# Krippendorff 2004, Content Analysis, ch. 11: conclusions from .8 up, tentative ones from .667 up.
KRIPPENDORFF = AlphaMarks(0.667, 0.8)
