"""The chosen labels without those of one annotator, for each of the annotators with most."""

import numpy as np

from annotate.core.phrases import counted
from metrics.charts.analyses.pool.label_set_words import SetKind
from metrics.core.analyses.pool.label_sets import grades_without
from metrics.services.analysis.pool.graded_pairs import (
    ChosenGrades,
    CountingGrades,
    NamedSet,
    PeopleGrades,
)

MOST_PEOPLE = 20


def without_annotators(choice: ChosenGrades, people_labels: CountingGrades) -> list[NamedSet]:
    """The chosen labels without each annotator's, those with most of them first."""
    people, row = choice.people, people_labels.row
    new_grade = grades_without(
        row, people_labels.grade, people.rows["policy"], people_labels.decide
    )
    keys, n_labels = np.unique(people_labels.annotator, return_counts=True)
    order = np.argsort(-n_labels, kind="stable")[:MOST_PEOPLE]
    sets = []
    for key, n in zip(keys[order], n_labels[order], strict=True):
        is_own = (people_labels.annotator == key) & (people.rows["is_by_lead"][row] == 0)
        grade = people.grade
        grade[row[is_own]] = new_grade[is_own]
        name = people_labels.annotators[int(key)].label
        sets.append(choice.named_set(SetKind.PERSON, name, int(n), grade))
    return sets


def notes_on_people(people: PeopleGrades, people_labels: CountingGrades) -> list[str]:
    """Sentences on annotators who are not left out, and on pairs that hang on no single one."""
    notes, rows, is_used = [], people.rows, people.is_used
    n_people = len(np.unique(people_labels.annotator))
    if n_people > MOST_PEOPLE:
        notes.append(
            f"Only the {MOST_PEOPLE} annotators with most labels are left out, of {n_people:,}."
        )
    if n_by_lead := int(np.count_nonzero(rows["is_by_lead"][is_used])):
        verb = "stays" if n_by_lead == 1 else "stay"
        notes.append(
            f"{counted(n_by_lead, 'pair')} {verb} as a lead decided, or without a grade until one "
            "does, whoever is left out."
        )
    if n_by_model := int(np.count_nonzero(rows["is_by_model"][is_used])):
        notes.append(
            f"{counted(n_by_model, 'pair')} had a grade by a model of the annotators: where labels "
            "are left out, the majority of the labels that are left decides."
        )
    return notes
