"""Advice on whether to go on labelling, from the conclusions before the last labels came."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.core.analyses.pool.conclusions import Conclusion

# By a convention in this literature, orders of systems with a tau from here on count as the same.
SAME_ORDER = 0.9


class EarlierConclusion(NamedTuple):
    """The conclusion without the last labels.

    n_left_out : of these labels
    """

    n_left_out: int
    conclusion: Conclusion

    @property
    def n_moved(self) -> int:
        """Pairs of runs on which the decision was another one."""
        conclusion = self.conclusion
        return sum(
            n or 0 for n in (conclusion.n_opposite, conclusion.n_base_only, conclusion.n_here_only)
        )

    @property
    def is_same_order(self) -> bool:
        """True if the runs had an order then, and it was near enough to that of today."""
        return self.conclusion.tau is not None and self.conclusion.tau >= SAME_ORDER

    @property
    def is_settled(self) -> bool:
        """True if the order was near enough, and no decision another one."""
        return self.is_same_order and not self.n_moved

    @property
    def says_something(self) -> bool:
        """True if there is an order to compare, or a decision that moved."""
        return self.conclusion.tau is not None or self.n_moved > 0


def advice_notes(
    earlier: Sequence[EarlierConclusion], *, n_pairs: int, n_decided: int, queries: str
) -> list[str]:
    """Sentences on whether the last labels moved conclusions, and on what that tells; or none.

    earlier : the fewest labels left out first; n_pairs : of runs, n_decided : of which differ
    """
    rows = [row for row in earlier if row.says_something]
    if not rows:
        return []
    n_settled = next((n for n, row in enumerate(rows) if not row.is_settled), len(rows))
    notes = []
    if n_settled:
        row = rows[n_settled - 1]
        notes.append(
            f"Without the last {row.n_left_out:,} labels {_stay(row, n_pairs, n_decided)}: as many "
            "more labels of this kind would hardly change that."
        )
    if n_settled < len(rows):
        row = rows[n_settled]
        advice = "as many more may move as much again" if n_settled else "go on"
        notes.append(
            f"The last {row.n_left_out:,} labels still moved {_moved(row, n_pairs)}: {advice}."
        )
    notes.append(
        f"The mark for such advice is a tau-b of at least {SAME_ORDER:g}, a convention in this "
        "literature, with no pair of runs decided otherwise. It is no test, and what stays need "
        "not be right: nothing is told of relevant targets that no run returned, nor of other "
        f"{queries}."
    )
    return notes


def _stay(row: EarlierConclusion, n_pairs: int, n_decided: int) -> str:
    """The order and the decisions that stay."""
    tau = row.conclusion.tau
    order = "the same" if tau == 1 else "nearly the same"
    pairs = f"{counted(n_pairs, 'pair')} of runs"
    verb = "differs" if n_decided == 1 else "differ"
    decisions = (
        f"the same {n_decided:,} of {pairs} {verb}"
        if n_decided
        else f"of {pairs} none differs, as today"
    )
    return f"the order of the runs is {order} (tau-b {tau:.3g}), and {decisions}"


def _moved(row: EarlierConclusion, n_pairs: int) -> str:
    """The decisions that moved, and the order if it did."""
    parts = [f"{row.n_moved:,} of {counted(n_pairs, 'decision')} on pairs of runs"] * bool(
        row.n_moved
    )
    if row.conclusion.tau is not None and not row.is_same_order:
        parts.append(f"the order of the runs (tau-b {row.conclusion.tau:.3g})")
    return " and ".join(parts)
