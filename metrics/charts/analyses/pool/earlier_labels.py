"""Advice on whether to go on labelling, from the conclusions before the last labels came."""

from collections.abc import Sequence
from math import floor
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.pool.label_set_words import SetWords
from metrics.core.analyses.pool.conclusions import Conclusion

# By a convention in this literature, orders of systems with a tau from here on count as the same.
SAME_ORDER = 0.9
TINY = 1e-9  # by which a tau may be too small for its digits


class EarlierConclusion(NamedTuple):
    """The conclusion without the last labels."""

    label_set: SetWords
    conclusion: Conclusion

    @property
    def n_left_out(self) -> int:
        """The last labels that are left out."""
        return self.label_set.n_left_out or 0

    @property
    def n_moved(self) -> int:
        """Pairs of runs on which the decision was another one."""
        conclusion = self.conclusion
        return sum(
            n or 0 for n in (conclusion.n_opposite, conclusion.n_base_only, conclusion.n_here_only)
        )

    @property
    def tau(self) -> float | None:
        """Kendall's tau-b, to three digits downwards, so that only 1 is printed as 1."""
        tau = self.conclusion.tau
        return None if tau is None else floor(1000 * tau + TINY) / 1000

    @property
    def is_settled(self) -> bool:
        """True if the runs had nearly the order that they have, and no decision was another one."""
        return self.tau is not None and self.tau >= SAME_ORDER and not self.n_moved

    @property
    def is_informative(self) -> bool:
        """True if there is an order to compare, or a decision that moved."""
        return self.tau is not None or self.n_moved > 0


def advice_notes(
    earlier: Sequence[EarlierConclusion], *, n_pairs: int, n_decided: int, queries: str
) -> list[str]:
    """Sentences on whether the last labels moved conclusions, and on what that tells; or none.

    earlier : the fewest labels left out first; n_pairs : of runs, n_decided : of which differ
    """
    rows = [row for row in earlier if row.is_informative]
    if not rows:
        return []
    n_settled = next((n for n, row in enumerate(rows) if not row.is_settled), len(rows))
    notes = []
    if n_settled:
        row = rows[n_settled - 1]
        text = stable_text(row, n_pairs=n_pairs, n_decided=n_decided)
        notes.append(
            f"Without the last {row.n_left_out:,} labels {text}: as many more labels of this kind "
            "would hardly change that."
        )
    if n_settled < len(rows):
        row = rows[n_settled]
        advice = "as many more may move as much again" if n_settled else "go on"
        if row.label_set.is_mostly_loss:
            advice = (
                "labels of pairs that have no grade by people yet may move as much again; what "
                "others would do is not known"
            )
        text = moved_text(row, n_pairs=n_pairs)
        notes.append(
            f"The last {row.n_left_out:,} labels still moved {text}{loss_text(row)}: {advice}."
        )
    notes.append(
        f"The mark for such advice is a tau-b of at least {SAME_ORDER:g}, a convention in this "
        "literature, with no pair of runs decided otherwise. It is no test, and what stays need "
        "not be right: nothing is told of relevant targets that no run returned, nor of other "
        f"{queries}."
    )
    return notes


def stable_text(row: EarlierConclusion, *, n_pairs: int, n_decided: int) -> str:
    """The order and the decisions as they were, of a settled conclusion."""
    order = "the same" if row.tau == 1 else "nearly the same"
    pairs = f"{counted(n_pairs, 'pair')} of runs"
    verb = "differs" if n_decided == 1 else "differ"
    decisions = (
        f"the same {n_decided:,} of {pairs} {verb}"
        if n_decided
        else f"of {pairs} none differs, as today"
    )
    return f"the order of the runs is {order} (tau-b {row.tau:g}), and {decisions}"


def loss_text(row: EarlierConclusion) -> str:
    """The pairs that people do not grade without the last labels, and those of another grade."""
    moves = row.label_set.moves
    if moves is None or not moves.n_lost:
        return ""
    verb = "has" if moves.n_lost == 1 else "have"
    n_other = moves.n_moved + (moves.n_gained or 0)
    return (
        f"; without them {counted(moves.n_lost, 'pair')} {verb} no grade by people, and "
        f"{n_other:,} {'has' if n_other == 1 else 'have'} another one, or a first one"
    )


def moved_text(row: EarlierConclusion, *, n_pairs: int) -> str:
    """The decisions that moved, and the order if it did."""
    parts = []
    if row.n_moved:
        parts.append(f"{row.n_moved:,} of {counted(n_pairs, 'decision')} on pairs of runs")
    if row.tau is not None and row.tau < SAME_ORDER:
        parts.append(f"the order of the runs (tau-b {row.tau:g})")
    return " and ".join(parts)
