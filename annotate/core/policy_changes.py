"""What another resolution rule makes of the labels at hand: counted by how pairs are labelled, not pair by pair."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotate.core.labels import MODEL, LabelPolicy, decide


class Labelled(NamedTuple):
    """n pairs with the same labels, the same resolution, and the same policy that made it."""

    grades: Sequence[int]
    status: str
    grade: int | None
    policy: int
    n: int


class Moved(NamedTuple):
    """n pairs whose resolution becomes another; grades are None where it has none."""

    status: str
    grade: int | None
    new_status: str
    new_grade: int | None
    n: int


class Change(NamedTuple):
    """What a change of policy does to resolutions.

    n_pairs : pairs whose grade, or whether they have one, changes
    n_to_relevant, n_to_irrelevant : of those with a grade before and after, how many cross the threshold, which way
    n_settled, n_disputed : pairs that get a grade, and that lose theirs, perhaps until another label is given
    moved : where the pairs go, most pairs first
    """

    n_pairs: int
    n_to_relevant: int
    n_to_irrelevant: int
    n_settled: int
    n_disputed: int
    moved: list[Moved]


def change(rows: Iterable[Labelled], *, policies: Mapping[int, LabelPolicy], positive_from: int) -> Change:
    """What becomes of labelled pairs.

    policies : the policy that each pair's present one becomes. Where that asks a model of the annotators, which has
    not looked yet, pairs are counted with the grade they get until then.
    A pair that gets its grade in another way ("majority" instead of "model") and keeps the grade has not changed.
    """
    found: Counter[Moved] = Counter()
    for row in rows:
        said = decide(row.grades, policies[row.policy])
        if said is not None and said.grade != row.grade:
            found[Moved(row.status, row.grade, said.status, said.grade, 0)] += row.n
    moved = sorted((each._replace(n=n) for each, n in found.items()), key=lambda each: -each.n)
    both = [each for each in moved if each.grade is not None and each.new_grade is not None]
    up = [each for each in both if each.grade < positive_from <= each.new_grade]
    down = [each for each in both if each.new_grade < positive_from <= each.grade]
    return Change(
        n_pairs=sum(each.n for each in moved),
        n_to_relevant=sum(each.n for each in up),
        n_to_irrelevant=sum(each.n for each in down),
        n_settled=sum(each.n for each in moved if each.grade is None),
        n_disputed=sum(each.n for each in moved if each.new_grade is None),
        moved=moved,
    )


def asks_model(policies: Mapping[int, LabelPolicy]) -> bool:
    """Whether some pairs will get grades that nobody knows yet."""
    return any(policy.rule == MODEL for policy in policies.values())
