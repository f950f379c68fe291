"""Precision and recall of reference sets against people's grades."""

import numpy as np

from metrics.charts.analyses.labels.reference_against_people import (
    QualityRow,
    against_people_result,
)
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.reference_against_people import (
    JudgedPairs,
    reference_against_people,
)
from metrics.core.labels.label_sources import Grades, LabelSource, People, larger_grades
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import (
    direction_inputs,
    nouns_of,
    people_parts_of,
    source_grades,
    with_propagation_note,
)
from metrics.services.samples.notices import sample_sentence
from metrics.services.samples.pools import names_of_samples
from metrics.services.scores import labels
from metrics.services.scores.propagation import mask_of

MOST_SETS = 12  # of reference sets with a row of their own


def against_people(request: AnalysisRequest) -> AnalysisResult:
    """Each reference set, and all together, against people's grades of the same queries."""
    inputs = direction_inputs(request)
    names = labels.set_names(collection=inputs.collection)
    if not names:
        raise NotDefined("The collection has no reference set to hold to people: load one.")
    parts = people_parts_of(inputs)
    people = parts.own
    if not len(people.grade):
        raise NotDefined(f"People gave no pair of these {inputs.group_facts.queries} a grade yet.")
    names_of_rows = names[:MOST_SETS]
    positives = {}
    for name in names_of_rows:
        source = LabelSource.of(People.NONE, [name])
        grades = source_grades(inputs, source)
        keep = grades.grade >= inputs.spec.threshold
        positives[source.sets_text] = Grades(*(values[keep] for values in grades))
    if len(names_of_rows) > 1:
        source = LabelSource.of(People.NONE, names_of_rows)
        positives[source.sets_text] = larger_grades(list(positives.values()))
    is_in_set = np.array([mask_of(people, table) for table in positives.values()])
    judged_pairs = JudgedPairs(
        query=np.searchsorted(inputs.scope.sources, people.source),
        is_positive=people.grade >= inputs.spec.threshold,
    )
    rows = [
        QualityRow(
            name,
            quality,
            n_propagated := int(np.count_nonzero(mask_of(table, parts.propagated))),
            len(table.grade) - int(np.count_nonzero(is_member)) - n_propagated,
        )
        for (name, table), is_member, quality in zip(
            positives.items(),
            is_in_set,
            reference_against_people(judged_pairs, is_in_set, groups=inputs.groups),
            strict=True,
        )
    ]
    nouns = with_propagation_note(
        nouns_of(inputs), parts, "They are no labels: no number of judged pairs, and no share."
    )
    notes = [*nouns.notes, "Disputed and escalated pairs have no grade: they count as not judged."]
    if samples := names_of_samples(collection=inputs.collection):
        notes.append(sample_sentence(samples, "these numbers"))
    if left_out := names[MOST_SETS:]:
        names_text = ", ".join(f"“{name}”" for name in left_out)
        notes.append(f"Not shown, and not counted in the last row: {names_text}.")
    return against_people_result(rows, nouns._replace(notes=notes))
