"""The effect of a change of policy on resolutions, counted by groups of equally labelled pairs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotate.core.labels.resolving import MODEL, LabelPolicy, decide


class LabelledPairGroup(NamedTuple):
    """n pairs with the same labels, the same resolution, and the same policy behind it."""

    grades: Sequence[int]
    status: str
    grade: int | None
    policy: int
    n: int


class ResolutionChange(NamedTuple):
    """n pairs that change their resolution in the same way; a grade is None where there is none."""

    status: str
    grade: int | None
    new_status: str
    new_grade: int | None
    n: int

    @property
    def before(self) -> str:
        """The resolution now."""
        return self.status if self.grade is None else f"{self.status} {self.grade}"

    @property
    def after(self) -> str:
        """The resolution then."""
        return "no grade" if self.new_grade is None else f"{self.new_status} {self.new_grade}"


class PolicyEffect(NamedTuple):
    """The effect of a change of policy on resolutions.

    n_pairs : pairs whose grade changes, or that gain or lose one
    n_to_relevant, n_to_irrelevant : pairs with a grade before and after that cross the threshold
    n_settled, n_disputed : pairs that get a grade, and that lose theirs, perhaps until another
        label
    resolution_changes : the changes, most pairs first
    """

    n_pairs: int
    n_to_relevant: int
    n_to_irrelevant: int
    n_settled: int
    n_disputed: int
    resolution_changes: list[ResolutionChange]


def policy_effect(
    groups: Iterable[LabelledPairGroup], *, policies: Mapping[int, LabelPolicy], positive_from: int
) -> PolicyEffect:
    """Count the pairs whose grade changes under new policies.

    groups : pairs grouped by labels, resolution and policy
    policies : the new policy of each present one. Where a new one asks a model of the annotators,
        which has not run yet, pairs are counted with the grade they get until then.
    positive_from : the smallest relevant grade
    A pair that keeps its grade, decided in another way ("majority" instead of "model"), is
    unchanged.
    """
    counts: Counter[ResolutionChange] = Counter()
    for group in groups:
        decision = decide(group.grades, policies[group.policy])
        if decision is not None and decision.grade != group.grade:
            counts[
                ResolutionChange(group.status, group.grade, decision.status, decision.grade, 0)
            ] += group.n
    changes = sorted(
        (change._replace(n=n) for change, n in counts.items()), key=lambda change: -change.n
    )
    graded_counts = [
        (change.grade, change.new_grade, change.n)
        for change in changes
        if change.grade is not None and change.new_grade is not None
    ]
    n_to_relevant = sum(n for grade, new, n in graded_counts if grade < positive_from <= new)
    n_to_irrelevant = sum(n for grade, new, n in graded_counts if new < positive_from <= grade)
    return PolicyEffect(
        n_pairs=sum(change.n for change in changes),
        n_to_relevant=n_to_relevant,
        n_to_irrelevant=n_to_irrelevant,
        n_settled=sum(change.n for change in changes if change.grade is None),
        n_disputed=sum(change.n for change in changes if change.new_grade is None),
        resolution_changes=changes,
    )


def asks_model(policies: Mapping[int, LabelPolicy]) -> bool:
    """True if some pairs get their grade from a model that has not run yet."""
    return any(policy.rule == MODEL for policy in policies.values())
