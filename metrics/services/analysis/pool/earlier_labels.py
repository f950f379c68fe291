"""The chosen labels as they were before the last 100, 1,000, ... labels of people came."""

import numpy as np

from annotate.core.number_sets import distinct
from annotate.core.phrases import counted
from annotate.models import Annotator
from metrics.charts.analyses.pool.label_set_words import SetKind
from metrics.core.analyses.pool.label_sets import grades_of_pairs
from metrics.services.analysis.pool.graded_pairs import (
    ChosenGrades,
    CountingGrades,
    GradeColumn,
    NamedSet,
)

SIZES = (100, 1_000, 10_000, 100_000)  # of the last labels that are left out
FEWEST = 100  # labels that an earlier set has


def without_last_labels(choice: ChosenGrades, people_labels: CountingGrades) -> list[NamedSet]:
    """The chosen labels without so many that came last, for each size that leaves enough."""
    ascending = np.sort(people_labels.judgment)
    sets = []
    for n in SIZES:
        if len(ascending) - n < FEWEST:
            break
        grade = grades_before(int(ascending[-n]), choice, people_labels)
        name = f"without the last {n:,} labels"
        sets.append(choice.named_set(SetKind.EARLIER, name, n, grade))
    return sets


def grades_before(
    judgment: int, choice: ChosenGrades, people_labels: CountingGrades
) -> GradeColumn:
    """(N,) grades of the resolved pairs without this judgment and what came after it.

    Pairs that lost a label, or a lead's decision, are decided by the labels that they have left,
    the others keep what they have; so do pairs that a lead decided on before, and those that wait
    for one.
    """
    people, is_late = choice.people, people_labels.judgment >= judgment
    is_taken_back = people_labels.decision >= judgment
    row = distinct(np.concatenate([people_labels.row[is_late], np.flatnonzero(is_taken_back)]))
    row = row[is_taken_back[row] | (people.rows["is_by_lead"][row] == 0)]
    number = np.full(len(is_taken_back), -1)
    number[row] = np.arange(len(row))
    is_left = ~is_late & (number[people_labels.row] >= 0)
    grade = people.grade
    grade[row] = grades_of_pairs(
        number[people_labels.row[is_left]],
        people_labels.grade[is_left],
        people.rows["policy"][row],
        people_labels.decide,
    )
    return grade


def notes_on_earlier(people_labels: CountingGrades) -> list[str]:
    """A sentence on labels that are too few, or on those whose order is that of a file."""
    n_labels = len(people_labels.judgment)
    sizes = [n for n in SIZES if n_labels - n >= FEWEST]
    if not sizes:
        verb = "counts" if n_labels == 1 else "count"
        return [
            f"There is no earlier label set yet: the first leaves out the last {SIZES[0]:,} of at "
            f"least {SIZES[0] + FEWEST:,} labels, and here {counted(n_labels, 'label')} {verb}."
        ]
    last = people_labels.annotator[np.argsort(people_labels.judgment)[-sizes[-1] :]]
    keys, n_by_key = np.unique(last, return_counts=True)
    n_of_files = sum(
        n
        for key, n in zip(keys.tolist(), n_by_key.tolist(), strict=True)
        if people_labels.annotators[key].origin == Annotator.Origin.IMPORT
    )
    if not n_of_files:
        return []
    verb = "is" if n_of_files == 1 else "are"
    return [
        f"Of the last {sizes[-1]:,} labels {n_of_files:,} {verb} from files, and stand in the "
        "order of the file, which need not be that in which people gave them."
    ]
