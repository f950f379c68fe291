"""From the grades people gave a pair to the grade it gets, and to how many labels it still wants.

Plain functions of their arguments: the same grades, wishes and policy always give the same answer,
so resolutions and seats can be rebuilt from the judgments at any time.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple


class LabelPolicy(NamedTuple):
    """The part of a policy version that decides about labels.

    labels_per_pair : labels every pair gets
    ceiling : labels a pair may get when people disagree
    tolerance : largest distance of two grades that still counts as agreement
    rule : a key of RULES
    tie : "dispute", "up" or "down": what happens when the rule finds no single grade
    """

    labels_per_pair: int
    ceiling: int
    tolerance: int
    rule: str
    tie: str


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


RULES: dict[str, Callable[[Sequence[int]], list[int]]] = {"majority": majority, "median": median}


def decide(grades: Sequence[int], policy: LabelPolicy) -> Decision | None:
    """The grade that these counting labels give a pair.

    grades : the counting labels, in any order
    Returns None without labels; "single", "agreed", or the rule's name; "disputed" where the rule
    finds no single grade and the policy's tie rule is "dispute".
    Raises KeyError for a rule that RULES does not hold.
    """
    if not grades:
        return None
    if len(grades) == 1:
        return Decision("single", grades[0], 1)
    if len(set(grades)) == 1:
        return Decision("agreed", grades[0], len(grades))
    candidates = RULES[policy.rule](grades)
    if len(candidates) == 1:
        return Decision(policy.rule, candidates[0], len(grades))
    if policy.tie == "dispute":
        return Decision("disputed", None, len(grades))
    return Decision(policy.rule, candidates[-1 if policy.tie == "up" else 0], len(grades))


def n_needed(grades: Sequence[int], *, n_wanted: int, policy: LabelPolicy) -> int:
    """How many labels a pair should have in all, those it has included.

    n_wanted : the most any open round wants; 0 when none does, then nothing more is needed
    Returns n_wanted at least; one label more than given while people disagree and the ceiling
    allows it; never less than the labels given.
    """
    given = len(grades)
    if n_wanted == 0:
        return given
    if given < n_wanted:
        return n_wanted
    if given >= 2 and not _is_settled(grades, policy) and given < policy.ceiling:
        return given + 1
    return given


def _is_settled(grades: Sequence[int], policy: LabelPolicy) -> bool:
    """Whether another label could not be asked for: near enough, or the rule already decides."""
    if max(grades) - min(grades) <= policy.tolerance:
        return True
    return len(RULES[policy.rule](grades)) == 1
