"""From the grades people gave a pair to the grade it gets, and to how many labels it still wants.

Plain functions of their arguments: the same grades, wishes and policy always give the same answer,
so resolutions and seats can be rebuilt from the judgments at any time.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple


class LabelPolicy(NamedTuple):
    """The part of a policy version that decides about labels.

    labels_per_pair : labels every pair gets
    ceiling : labels a pair may get when people disagree
    tolerance : largest distance of two grades that still counts as agreement
    rule : a key of RULES
    tie : "dispute", "up" or "down": what happens when the rule finds no single grade
    stop_early : of the labels wanted of every pair, ask for no more once two agree and the rule decides
    """

    labels_per_pair: int
    ceiling: int
    tolerance: int
    rule: str
    tie: str
    stop_early: bool = False


class Decision(NamedTuple):
    """A pair's grade and how it came about; grade is None while it is disputed or escalated."""

    status: str
    grade: int | None
    n_labels: int


def majority(grades: Sequence[int]) -> list[int]:
    """The grade more than half of the labels name, else the most frequent ones.

    grades : at least one grade
    Returns [grade] when decided, else the tied grades in ascending order (two or more), or the
    single most frequent grade twice when it is ahead but short of a majority.
    """
    counts = Counter(grades)
    most = max(counts.values())
    modes = sorted(grade for grade, n in counts.items() if n == most)
    if 2 * most > len(grades):
        return modes
    return modes if len(modes) > 1 else modes * 2


def median(grades: Sequence[int]) -> list[int]:
    """The middle grade of an odd number of labels; the two middle ones of an even number.

    grades : at least one grade
    Returns [grade] when decided, else the two middle grades in ascending order.
    """
    ordered = sorted(grades)
    upper = len(ordered) // 2
    if len(ordered) % 2 or ordered[upper - 1] == ordered[upper]:
        return [ordered[upper]]
    return [ordered[upper - 1], ordered[upper]]


def unanimous(grades: Sequence[int]) -> list[int]:
    """The grade that all labels name, else every grade that one of them names, in ascending order."""
    return sorted(set(grades))


MODEL = "model"  # a model of the annotators decides from everybody's labels; until it has, the majority does
RULES: dict[str, Callable[[Sequence[int]], list[int]]] = {
    "majority": majority,
    "unanimous": unanimous,
    "median": median,
    MODEL: majority,
}


def decide(grades: Sequence[int], policy: LabelPolicy, *, modelled: int | None = None) -> Decision | None:
    """The grade that these counting labels give a pair.

    grades : the counting labels, in any order
    modelled : the grade a model of the annotators found for just these labels, if it has; counts under its rule alone
    Returns None without labels; "single", "agreed", or how the grade was found: "majority", "median", "model";
    "disputed" where the rule finds no single grade and the policy's tie rule is "dispute".
    Labels that differ by no more than the tolerance are agreed: where the rule finds no single grade among them, the
    policy's tie rule chooses, and the smaller grade is taken where it says "dispute".
    Raises KeyError for a rule that RULES does not hold.
    """
    if not grades:
        return None
    if policy.rule == MODEL and modelled is not None:
        return Decision(MODEL, modelled, len(grades))
    if len(set(grades)) == 1:
        return Decision("single" if len(grades) == 1 else "agreed", grades[0], len(grades))
    rule = RULES[policy.rule]
    candidates = rule(grades)
    if len(candidates) == 1:
        return Decision(rule.__name__, candidates[0], len(grades))
    is_near = _are_near(grades, policy)
    if policy.tie == "dispute" and not is_near:
        return Decision("disputed", None, len(grades))
    return Decision("agreed" if is_near else rule.__name__, candidates[-1 if policy.tie == "up" else 0], len(grades))


def n_first(n_wanted: int, policy: LabelPolicy) -> int:
    """How many labels are asked for before anybody has answered: all that are wanted, unless the policy stops early.

    Then two, and the pair's planned double if it has one: an exact share of doubles stays exact.
    """
    n_planned = max(0, n_wanted - policy.labels_per_pair)
    return min(n_wanted, 2 + n_planned) if policy.stop_early else n_wanted


def n_needed(grades: Sequence[int], *, n_wanted: int, policy: LabelPolicy) -> int:
    """How many labels a pair should have in all, those it has included.

    n_wanted : the most any open round wants; 0 when none does, then nothing more is needed
    Returns n_wanted at least, or with a policy that stops early n_first, and one more at a time until two labels agree
    and the rule decides; one label more than given while people disagree and the ceiling allows it; never less than
    the labels given.
    """
    given = len(grades)
    if n_wanted == 0:
        return given
    first = n_first(n_wanted, policy)
    if given < first:
        return first
    if given < n_wanted:
        return given if _is_settled(grades, policy) and _two_agree(grades, policy) else given + 1
    if given >= 2 and not _is_settled(grades, policy) and given < policy.ceiling:
        return given + 1
    return given


def _is_settled(grades: Sequence[int], policy: LabelPolicy) -> bool:
    """Whether another label could not be asked for: near enough, or the rule already decides."""
    return _are_near(grades, policy) or len(RULES[policy.rule](grades)) == 1


def _are_near(grades: Sequence[int], policy: LabelPolicy) -> bool:
    return max(grades) - min(grades) <= policy.tolerance


def _two_agree(grades: Sequence[int], policy: LabelPolicy) -> bool:
    return any(upper - lower <= policy.tolerance for lower, upper in pairwise(sorted(grades)))
