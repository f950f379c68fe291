"""Label sets beside the chosen one: of fewer people or labels, other origins and thresholds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import distinct
from annotate.models import Collection
from metrics.charts.analyses.pool.label_set_words import SetKind
from metrics.core.analyses.pool.label_sets import LabelSet
from metrics.core.labels.label_sources import Grades, LabelSource, People
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.inputs import MOST_SETS
from metrics.services.analysis.pool.annotators_left_out import notes_on_people, without_annotators
from metrics.services.analysis.pool.earlier_labels import notes_on_earlier, without_last_labels
from metrics.services.analysis.pool.graded_pairs import (
    ChosenGrades,
    GradeColumns,
    Keys,
    NamedSet,
    PeopleGrades,
    counting_grades,
    resolved_rows,
)
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from pooling.core.strategies.selections import Layout

_OF_A_REFERENCE = (
    "The chosen labels are a reference's: no annotator can be left out, nor last labels."
)
_OF_NOBODY = (
    "No pair has a label by a single annotator: nobody is left out, and no label set is earlier."
)


class LabelSets(NamedTuple):
    """The chosen label set and further ones over L pairs.

    pairs : (L,) by source and target, with grade 0; query : (L,) their queries, 0..Q-1
    is_open : (L,) pairs of pools without a label in the chosen set
    earlier : the chosen one before the last labels came, fewest left out first
    notes : on what is not among the further and the earlier ones
    """

    pairs: Grades
    query: Keys
    is_open: NDArray[np.bool_]
    base: LabelSet
    further: list[NamedSet]
    earlier: list[NamedSet]
    notes: list[str]


def label_sets(inputs: DirectionInputs) -> LabelSets:
    """Read the chosen label set of a direction and the further ones.

    A query more for each reference set. inputs : with the pairs that have no label
    """
    collection, scope = inputs.collection, inputs.scope
    source = LabelSource.parse(inputs.spec.label_source)
    references, reference_notes = reference_tables(inputs, source)
    rows, resolved_pairs, copies = resolved_rows(inputs)
    tables = [
        labels.within(resolved_pairs, scope),
        labels.within(copies, scope),
        inputs.labels.unjudged,
        *references.values(),
    ]
    layout = Layout([table.source for table in tables], [table.target for table in tables])
    codes = [layout.codes(table.source, table.target) for table in tables]
    pair_codes = distinct(np.concatenate(codes))
    places = [np.searchsorted(pair_codes, code) for code in codes]
    own, copied = np.full((2, len(pair_codes)), -1)
    own[places[0]], copied[places[1]] = tables[0].grade, tables[1].grade
    people = PeopleGrades(rows, own, copied)
    columns = GradeColumns(people.column(people.grade), {})
    for name, table, rows_of_set in zip(references, tables[3:], places[3:], strict=True):
        columns.references[name] = np.full(len(pair_codes), np.nan, dtype=np.float32)
        columns.references[name][rows_of_set] = table.grade
    choice = ChosenGrades(source, people, columns, inputs.spec.threshold)
    base = choice.label_set(people.grade)
    is_open = np.zeros(len(pair_codes), dtype=bool)
    is_open[places[2]] = True
    pairs = layout.pairs(pair_codes)
    without, earlier, notes = _of_fewer_labels(collection, choice)
    return LabelSets(
        pairs=Grades(*pairs, np.zeros(len(pair_codes), dtype=np.int64)),
        query=np.searchsorted(scope.sources, pairs.source),
        is_open=is_open & np.isnan(base.grades),
        base=base,
        further=[*without, *_by_thresholds(collection, base), *_of_sources(source, columns, base)],
        earlier=earlier,
        notes=[*notes, *reference_notes],
    )


def reference_tables(
    inputs: DirectionInputs, source: LabelSource
) -> tuple[dict[str, Grades], list[str]]:
    """The grades of the chosen reference sets and the oldest by name, and a note on the others."""
    names = labels.set_names(collection=inputs.collection)
    tables = {
        name: labels.within(
            labels.reference_grades(
                collection=inputs.collection, name=name, direction=inputs.scope.direction
            ),
            inputs.scope,
        )
        for name in dict.fromkeys([*source.sets, *names[:MOST_SETS]])
    }
    further_names = ", ".join(f"“{name}”" for name in names if name not in tables)
    rule = f"those taken are the chosen ones and the {MOST_SETS} oldest"
    return tables, [f"Not among the label sets: {further_names}; {rule}."] if further_names else []


def _of_fewer_labels(
    collection: Collection, choice: ChosenGrades
) -> tuple[list[NamedSet], list[NamedSet], list[str]]:
    """The chosen labels without each annotator's, without the last, and notes on both."""
    if not choice.source.has_people:
        return [], [], [_OF_A_REFERENCE]
    try:
        people_labels = counting_grades(collection=collection, people=choice.people)
    except NotDefined:
        return [], [], [_OF_NOBODY]
    return (
        without_annotators(choice, people_labels),
        without_last_labels(choice, people_labels),
        [*notes_on_people(choice.people, people_labels), *notes_on_earlier(people_labels)],
    )


def _by_thresholds(collection: Collection, base: LabelSet) -> list[NamedSet]:
    """The chosen labels with positives from every other grade of the scheme but the lowest."""
    levels = sorted(collection.levels.values_list("grade", flat=True))
    return [
        NamedSet(SetKind.THRESHOLD, f"positive from {grade}", LabelSet(base.grades, grade))
        for grade in levels[1:]
        if grade != base.threshold
    ]


def _of_sources(source: LabelSource, columns: GradeColumns, base: LabelSet) -> list[NamedSet]:
    """Each reference set alone, people alone, and both together in either way; those with labels.

    With all the chosen reference sets, or all that were read where none is chosen.
    """
    sets = source.sets or tuple(columns.references)
    sources = [LabelSource.of(People.NONE, [name]) for name in columns.references]
    sources.append(LabelSource.of(People.ONLY))
    if sets:
        sources += [LabelSource.of(part, sets) for part in (People.NONE, People.OVER, People.UNION)]
    named_sets = []
    for label_source in dict.fromkeys(sources):
        grades = columns.of(label_source)
        if label_source != source and not np.isnan(grades).all():
            label_set = LabelSet(grades, base.threshold)
            named_sets.append(NamedSet(SetKind.SOURCE, label_source.label, label_set))
    return named_sets
