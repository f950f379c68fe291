"""Precision and recall of reference sets against people's grades, in both directions."""

from collections.abc import Mapping, Sequence

import numpy as np

from metrics.charts.analyses.labels.reference_against_people import (
    DirectionQuality,
    QualityRow,
    against_people_result,
)
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.reference_against_people import (
    JudgedPairs,
    reference_against_people,
)
from metrics.core.labels.label_sources import Grades, LabelSource, People, larger_grades
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import nouns_with_propagation, with_draw_note
from metrics.services.analysis.labels.two_directions import (
    MOST_SETS,
    DirectionLabels,
    all_sets_text,
    labels_by_direction,
)
from metrics.services.samples.notices import sample_sentence
from metrics.services.samples.pools import names_of_samples
from metrics.services.scores.propagation import mask_of


def against_people(request: AnalysisRequest) -> AnalysisResult:
    """Each reference set, the chosen together, and all, against people's grades."""
    both = labels_by_direction(request)
    names, first = both.set_names, both.directions[0]
    if not names:
        raise NotDefined("The collection has no reference set to compare with people: load one.")
    if not len(first.people.own.grade):
        queries = first.inputs.group_facts.queries
        raise NotDefined(f"People gave no pair of these {queries} a grade yet.")
    source_sets = LabelSource.parse(request.spec.scores.label_source).sets
    # the chosen sets first, the oldest before others, as the headline tells of the first row
    row_names = sorted(names, key=lambda name: name not in source_sets)[:MOST_SETS]
    sets_by_row = {LabelSource.of(People.NONE, [name]).sets_text: [name] for name in row_names}
    if 1 < len(source_sets) < len(names):
        sets_by_row[LabelSource.of(People.NONE, source_sets).sets_text] = list(source_sets)
    if len(names) > 1:
        sets_by_row[all_sets_text(names)] = names
    tables, notes = [], list(both.notes)
    for direction in both.directions:
        if not len(direction.people.own.grade):
            queries = direction.inputs.group_facts.queries
            notes.append(
                f"{direction.title} is not shown: people gave no pair of these {queries} a grade "
                "yet."
            )
            continue
        nouns = nouns_with_propagation(
            direction.inputs,
            direction.people,
            "They are no labels: no number of judged pairs, and no share.",
        )
        nouns = with_draw_note(nouns, direction.inputs)
        tables.append(
            DirectionQuality(direction.title, nouns, quality_rows(direction, sets_by_row))
        )
    notes.append("Disputed and escalated pairs have no grade: they count as not judged.")
    if samples := names_of_samples(collection=request.collection, with_pools=False):
        notes.append(sample_sentence(samples, "these numbers"))
    if left_out := [name for name in names if name not in row_names]:
        names_text = ", ".join(f"“{name}”" for name in left_out)
        notes.append(f"Without a row of their own, but in that of all: {names_text}.")
    return against_people_result(tables, notes)


def quality_rows(
    direction: DirectionLabels, sets_by_row: Mapping[str, Sequence[str]]
) -> list[QualityRow]:
    """Hold sets, or several together, to people's own grades of one direction."""
    inputs, (own, propagated) = direction.inputs, direction.people
    positives = {}
    for name, grades in direction.references.items():
        keep = grades.grade >= inputs.spec.threshold
        positives[name] = Grades(*(values[keep] for values in grades))
    tables = [larger_grades([positives[name] for name in names]) for names in sets_by_row.values()]
    is_in_set = np.array([mask_of(own, table) for table in tables])
    judged_pairs = JudgedPairs(
        query=np.searchsorted(inputs.scope.sources, own.source),
        is_positive=own.grade >= inputs.spec.threshold,
    )
    qualities = reference_against_people(judged_pairs, is_in_set, groups=inputs.groups)
    rows = []
    for name, table, quality in zip(sets_by_row, tables, qualities, strict=True):
        n_propagated = int(np.count_nonzero(mask_of(table, propagated)))
        n_judged = quality.n_agreed + quality.n_refused
        n_unjudged = len(table.grade) - n_judged - n_propagated
        rows.append(QualityRow(name, quality, n_propagated, n_unjudged))
    return rows
