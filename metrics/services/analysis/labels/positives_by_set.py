"""Positives by each reference set, by people, and by both together."""

import numpy as np

from metrics.charts.analyses.labels.positives_by_set import SetRow, by_set_result
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.positives_by_set import positives_by_set
from metrics.core.labels.label_sources import Grades, LabelSource, People
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import (
    OWN_LABELS,
    OWN_NOTE,
    direction_inputs,
    nouns_of,
    people_parts_of,
    positives_by_query,
    with_propagation_note,
)
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.samples.notices import sample_sentence
from metrics.services.samples.pools import names_of_samples
from metrics.services.scores import labels
from metrics.services.scores.labels import PeopleParts

MOST_SETS = 12  # of reference sets with a row of their own


def by_set(request: AnalysisRequest) -> AnalysisResult:
    """Positives by each reference set, against the oldest one that is chosen."""
    inputs = direction_inputs(request)
    collection, scope = inputs.collection, inputs.scope
    names = labels.set_names(collection=collection)
    if not names:
        raise NotDefined(
            "The collection has no reference set whose positives people's could be compared with: "
            "load one."
        )
    source = LabelSource.parse(inputs.spec.label_source)
    first = next((name for name in names if name in source.sets), names[0])
    set_names = [first, *(name for name in names if name != first)][:MOST_SETS]
    references = [
        labels.within(
            labels.reference_grades(collection=collection, name=name, direction=scope.direction),
            scope,
        )
        for name in set_names
    ]
    parts = people_parts_of(inputs)
    together = LabelSource.of(People.UNION, set_names)
    people = LabelSource.of(People.ONLY)
    grades: dict[str, tuple[Grades, str]] = {
        LabelSource.of(People.NONE, [name]).label: (table, "reference")
        for name, table in zip(set_names, references, strict=True)
    }
    grades[people.label] = (parts.whole, "people")
    if len(parts.propagated.grade):
        grades[OWN_LABELS] = (parts.own, "people")
    grades.setdefault(source.label, (inputs.labels.whole, "both"))
    grades.setdefault(together.label, (together.grades(parts.whole, references), "both"))
    n_positive = np.array([positives_by_query(inputs, table) for table, _ in grades.values()])
    if not n_positive.any():
        raise NotDefined("No query has a positive by any of these labels yet.")
    rows = [
        SetRow(name, origin, total)
        for (name, (_, origin)), total in zip(
            grades.items(), positives_by_set(n_positive, groups=inputs.groups), strict=True
        )
    ]
    order = [row.name for row in rows]
    subject = order.index(source.label) or order.index(together.label)
    nouns = _with_notes(inputs, parts, left_out=[name for name in names if name not in set_names])
    return by_set_result(rows, nouns, subject=subject, n=len(scope.sources))


def _with_notes(inputs: DirectionInputs, parts: PeopleParts, *, left_out: list[str]) -> Nouns:
    """The nouns, with notes on propagated grades, samples and reference sets without a row."""
    nouns = with_propagation_note(nouns_of(inputs), parts, OWN_NOTE)
    notes = list(nouns.notes)
    if samples := names_of_samples(collection=inputs.collection):
        notes.append(sample_sentence(samples, "these numbers"))
    if left_out:
        names_text = ", ".join(f"“{name}”" for name in left_out)
        notes.append(f"Not shown, and not counted in the union: {names_text}.")
    return nouns._replace(notes=notes)
