"""The resolution of a pair from its labels: its grade, and the number of labels it needs.

Plain functions of their arguments: the same grades, requested labels and policy always give the
same result, so resolutions and seats can be rebuilt from the judgments at any time.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple


class LabelPolicy(NamedTuple):
    """The part of a policy version that decides on labels.

    labels_per_pair : labels that every pair gets
    ceiling : labels that a pair may get when annotators disagree
    tolerance : largest distance of two grades that still counts as agreement
    rule : a key of RULES
    tie : "dispute", "up" or "down": the outcome where the rule finds no single grade
    stop_early : ask for no further label of a pair once two agree and the rule decides
    """

    labels_per_pair: int
    ceiling: int
    tolerance: int
    rule: str
    tie: str
    stop_early: bool = False


class Decision(NamedTuple):
    """A pair's grade and how it was decided; grade is None while it is disputed or escalated."""

    status: str
    grade: int | None
    n_labels: int


def majority(grades: Sequence[int]) -> list[int]:
    """Return the grade of more than half of the labels, else the most frequent grades.

    grades : at least one grade
    Returns [grade] when decided, else the tied grades in ascending order (two or more), or the
    single most frequent grade twice when it is ahead but short of a majority.
    """
    counts = Counter(grades)
    largest_count = max(counts.values())
    modes = sorted(grade for grade, n in counts.items() if n == largest_count)
    if 2 * largest_count > len(grades):
        return modes
    return modes if len(modes) > 1 else modes * 2


def median(grades: Sequence[int]) -> list[int]:
    """Return the middle grade of an odd number of labels, the two middle ones of an even number.

    grades : at least one grade
    Returns [grade] when decided, else the two middle grades in ascending order.
    """
    ascending_grades = sorted(grades)
    upper = len(ascending_grades) // 2
    if len(ascending_grades) % 2 or ascending_grades[upper - 1] == ascending_grades[upper]:
        return [ascending_grades[upper]]
    return [ascending_grades[upper - 1], ascending_grades[upper]]


def unanimous(grades: Sequence[int]) -> list[int]:
    """Return the one grade of all labels, else every grade among them, in ascending order."""
    return sorted(set(grades))


class Rule(NamedTuple):
    """A way in which labels become a grade.

    candidates : from at least one grade, [grade] where the rule decides, else two or more grades
    status : the status of a grade that the rule found; never that of "unanimous", which finds
        none where labels differ
    definition : the pair's grade in words, to go on from "A pair's grade is"
    """

    candidates: Callable[[Sequence[int]], list[int]]
    status: str
    definition: str


MODEL = "model"  # a model of the annotators decides from all labels; until then, the majority does
RULES = {
    "majority": Rule(majority, "majority", "the one more than half of its labels name"),
    "unanimous": Rule(unanimous, "agreed", "the one all of its labels name"),
    "median": Rule(median, "median", "the median of its labels"),
    MODEL: Rule(
        majority,
        "majority",
        "the most probable one given everybody's labels and how reliable each person proves to be "
        "(Dawid and Skene); until that is reckoned, the one more than half of its labels name",
    ),
}


def decide(
    grades: Sequence[int], policy: LabelPolicy, *, model_grade: int | None = None
) -> Decision | None:
    """Decide a pair's grade from its counting labels.

    grades : the counting labels, in any order
    model_grade : that by a model of the annotators for just these labels; counts under its rule
        alone
    Returns None without labels; "single", "agreed", or how the grade was found: "majority",
    "median", "model"; "disputed" where the rule finds no single grade and the policy's tie rule is
    "dispute". Labels that differ by no more than the tolerance are agreed: where the rule finds no
    single grade among them, the policy's tie rule chooses, and the smaller grade is taken where it
    says "dispute". Raises KeyError for a rule that RULES does not hold.
    """
    if not grades:
        return None
    if policy.rule == MODEL and model_grade is not None:
        return Decision(MODEL, model_grade, len(grades))
    if len(set(grades)) == 1:
        return Decision("single" if len(grades) == 1 else "agreed", grades[0], len(grades))
    rule = RULES[policy.rule]
    candidates = rule.candidates(grades)
    if len(candidates) == 1:
        return Decision(rule.status, candidates[0], len(grades))
    is_near = _are_near(grades, policy)
    if policy.tie == "dispute" and not is_near:
        return Decision("disputed", None, len(grades))
    return Decision(
        "agreed" if is_near else rule.status,
        candidates[-1 if policy.tie == "up" else 0],
        len(grades),
    )


def n_first(n_wanted: int, policy: LabelPolicy) -> int:
    """Number of labels to ask for at first: all that are wanted, unless the policy stops early.

    Then two, and the pair's planned double if it has one: an exact share of doubles stays exact.
    """
    n_planned = max(0, n_wanted - policy.labels_per_pair)
    return min(n_wanted, 2 + n_planned) if policy.stop_early else n_wanted


def n_needed(grades: Sequence[int], *, n_wanted: int, policy: LabelPolicy) -> int:
    """Number of labels a pair should have in all, with those it has.

    n_wanted : the maximum of its open rounds; 0 without one, then no more labels are needed
    Returns at least n_wanted, or under a policy that stops early n_first, then one more at a time
    until two labels agree and the rule decides; one more than it has while annotators disagree and
    the ceiling allows it; never less than the labels it has.
    """
    n_given = len(grades)
    if n_wanted == 0:
        return n_given
    n_asked_first = n_first(n_wanted, policy)
    if n_given < n_asked_first:
        return n_asked_first
    if n_given < n_wanted:
        is_decided = _is_settled(grades, policy) and any(
            upper - lower <= policy.tolerance for lower, upper in pairwise(sorted(grades))
        )
        return n_given if is_decided else n_given + 1
    if n_given >= 2 and not _is_settled(grades, policy) and n_given < policy.ceiling:
        return n_given + 1
    return n_given


def _is_settled(grades: Sequence[int], policy: LabelPolicy) -> bool:
    """True if no further label is due: the grades are near enough, or the rule decides."""
    return _are_near(grades, policy) or len(RULES[policy.rule].candidates(grades)) == 1


def _are_near(grades: Sequence[int], policy: LabelPolicy) -> bool:
    return max(grades) - min(grades) <= policy.tolerance
