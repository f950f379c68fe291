"""Positives by each reference set, by people, and by both together, in both directions."""

import numpy as np

from metrics.charts.analyses.labels.positives_by_set import DirectionTotals, SetRow, by_set_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.positives_by_set import positives_by_set
from metrics.core.labels.label_sources import Grades, LabelSource, People
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    OWN_LABELS,
    OWN_NOTE,
    nouns_with_propagation,
    positives_by_query,
)
from metrics.services.analysis.labels.two_directions import (
    MOST_SETS,
    DirectionLabels,
    all_sets_text,
    labels_by_direction,
)
from metrics.services.samples.notices import sample_sentence
from metrics.services.samples.pools import names_of_samples


def by_set(request: AnalysisRequest) -> AnalysisResult:
    """Positives by each reference set, against the oldest one that is chosen."""
    both = labels_by_direction(request)
    names = both.set_names
    if not names:
        raise NotDefined(
            "The collection has no reference set with whose positives people's could be compared: "
            "load one."
        )
    source = LabelSource.parse(request.spec.scores.label_source)
    first = next((name for name in names if name in source.sets), names[0])
    row_names = [first, *(name for name in names if name != first)][:MOST_SETS]
    tables, notes = [], list(both.notes)
    for direction in both.directions:
        totals = direction_totals(direction, source, row_names)
        if any(row.total.n_positive for row in totals.rows):
            tables.append(totals)
        elif not tables:
            raise NotDefined("No query has a positive by any of these labels yet.")
        else:
            notes.append(f"{direction.title} is not shown: there is no positive by these labels.")
    if samples := names_of_samples(collection=request.collection):
        notes.append(sample_sentence(samples, "these numbers"))
    if left_out := [name for name in names if name not in row_names]:
        names_text = ", ".join(f"“{name}”" for name in left_out)
        notes.append(f"Without a row of their own, but in the larger grade of all: {names_text}.")
    return by_set_result(tables, notes)


def direction_totals(
    direction: DirectionLabels, source: LabelSource, row_names: list[str]
) -> DirectionTotals:
    """Count the positives of one direction.

    source : the chosen labels; row_names : the sets with a row, the first one to compare with
    """
    inputs, parts, references = direction.inputs, direction.people, direction.references
    names, people = list(references), LabelSource.of(People.ONLY)
    together = LabelSource.of(People.UNION, names)
    together_label = f"the larger grade of people and {all_sets_text(names)}"
    grades: dict[str, tuple[Grades, str]] = {
        LabelSource.of(People.NONE, [name]).label: (references[name], "reference")
        for name in row_names
    }
    grades[people.label] = (parts.whole, "people")
    if len(parts.propagated.grade):
        grades[OWN_LABELS] = (parts.own, "people")
    of_source = source.grades(parts.whole, [references[name] for name in source.sets])
    grades.setdefault(source.label, (of_source, "both"))
    of_all = together.grades(parts.whole, list(references.values()))
    grades.setdefault(together_label, (of_all, "both"))
    n_positive = np.array([positives_by_query(inputs, table) for table, _ in grades.values()])
    rows = [
        SetRow(name, origin, total)
        for (name, (_, origin)), total in zip(
            grades.items(), positives_by_set(n_positive, groups=inputs.groups), strict=True
        )
    ]
    order = list(grades)
    return DirectionTotals(
        direction.title,
        nouns_with_propagation(inputs, parts, OWN_NOTE),
        len(inputs.scope.sources),
        rows,
        subject=order.index(source.label) or order.index(together_label),
    )
