"""The work that a pair makes which a pool asks about anew, in hours and words."""

from typing import NamedTuple


class JudgingPace(NamedTuple):
    """The work of a new pair under the policy of a collection.

    labels_a_pair : wanted at first, planned doubles with their share
    golds_a_label : gold checks handed out among labels
    seconds : a judgment, the median; is_measured : in this collection, not a usual one
    """

    labels_a_pair: float
    golds_a_label: float
    seconds: float
    is_measured: bool

    def hours(self, n_pairs: float) -> float:
        """The time that the labels of so many pairs take, with their gold checks."""
        return n_pairs * self.labels_a_pair * (1 + self.golds_a_label) * self.seconds / 3_600

    @property
    def text(self) -> str:
        """The origin of the hours in words."""
        number = f"{self.labels_a_pair:.3g}"
        labels = f"{number} label{'s' * (number != '1')} a pair"
        n_golds = f"{100 * self.golds_a_label:.2g}"
        checks = f"gold check{'s' * (n_golds != '1')}"
        golds = f", {n_golds} {checks} with 100 labels" if self.golds_a_label else ""
        origin = "the median here" if self.is_measured else "a usual one, as none was timed"
        return (
            f"{labels} as the policy plans{golds}, {self.seconds:.1f} seconds a judgment, {origin}"
        )
