"""Label sets beside the chosen one: without one annotator, of other origin, by other thresholds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels import resolving
from annotate.core.number_sets import distinct
from annotate.core.phrases import counted
from annotate.models import Collection, Policy, Resolution
from annotate.services.collection.duplicates import originals_of
from annotate.services.seating.seat_plan import label_policy
from annotate.services.storage.number_arrays import copied_columns
from metrics.charts.analyses.pool.conclusions import SetKind
from metrics.core.analyses.pool.label_sets import LabelSet, grades_without
from metrics.core.labels.label_sources import Grades, LabelSource, People, no_grades
from metrics.services.analysis.analyses import NotDefined
from metrics.services.analysis.inputs import MOST_SETS
from metrics.services.analysis.labels.label_columns import counting_labels
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from metrics.services.scores.propagation import propagated_grades
from pooling.core.strategies.selections import Layout

MOST_PEOPLE = 20
Keys = NDArray[np.int64]
_RESOLUTIONS = """
    SELECT resolution.pair_id::bigint, pair.query_id::bigint, pair.document_id::bigint,
           coalesce(resolution.grade, -1)::bigint, resolution.policy_id::bigint,
           (resolution.status IN (%(adjudicated)s, %(escalated)s))::int::bigint,
           (resolution.status = %(model)s)::int::bigint
    FROM annotate_resolution resolution JOIN annotate_pair pair ON pair.id = resolution.pair_id
    WHERE resolution.collection_id = %(collection)s
"""
_COLUMNS = ("pair", "query", "document", "grade", "policy", "is_by_lead", "is_by_model")


class NamedSet(NamedTuple):
    """A label set in words; n_left_out : labels of the annotator that it is without, if any."""

    kind: SetKind
    name: str
    labels: LabelSet
    n_left_out: int | None = None


class LabelSets(NamedTuple):
    """The chosen label set and further ones over L pairs.

    pairs : (L,) by source and target, with grade 0; query : (L,) their queries, 0..Q-1
    is_open : (L,) pairs of pools without a label in the chosen set
    notes : on what is not among the further ones
    """

    pairs: Grades
    query: Keys
    is_open: NDArray[np.bool_]
    base: LabelSet
    further: list[NamedSet]
    notes: list[str]


class _PeopleGrades(NamedTuple):
    """Resolved pairs, N of them, and the rows among them that each of L pairs takes its grade from.

    rows : (N,) a column a name; own, copied : (L,) of the pair itself and of its original, -1
        for none
    """

    rows: dict[str, Keys]
    own: Keys
    copied: Keys

    @property
    def grade(self) -> NDArray[np.float32]:
        """(N,) grades as they are resolved, NaN for none."""
        grade = self.rows["grade"].astype(np.float32)
        return np.where(grade < 0, np.float32(np.nan), grade)

    def column(self, grade: NDArray[np.float32]) -> NDArray[np.float32]:
        """(L,) grades by people where the resolved pairs have these (N,); copies go first."""
        rows = np.append(grade, np.float32(np.nan))
        copied = rows[self.copied]
        return np.where(np.isnan(copied), rows[self.own], copied)


class _Columns(NamedTuple):
    """Grades of L pairs: by people, and of each reference set by its name; NaN for none."""

    people: NDArray[np.float32]
    references: dict[str, NDArray[np.float32]]

    def of(self, source: LabelSource) -> NDArray[np.float32]:
        """(L,) grades of a label source, as `LabelSource.grades` joins them."""
        reference = np.full(len(self.people), np.nan, dtype=np.float32)
        for name in source.sets:
            reference = np.fmax(reference, self.references[name])
        if source.people == People.ONLY:
            return self.people
        if source.people == People.NONE:
            return reference
        if source.people == People.UNION:
            return np.fmax(self.people, reference)
        return np.where(np.isnan(self.people), reference, self.people)


def label_sets(inputs: DirectionInputs) -> LabelSets:
    """Read the chosen label set of a direction and the further ones.

    A query more for each reference set. inputs : with the pairs that have no label
    """
    collection, scope = inputs.collection, inputs.scope
    source = LabelSource.parse(inputs.spec.label_source)
    names = [*source.sets, *labels.set_names(collection=collection)[:MOST_SETS]]
    references = {
        name: labels.within(
            labels.reference_grades(collection=collection, name=name, direction=scope.direction),
            scope,
        )
        for name in dict.fromkeys(names)
    }
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
    people = _PeopleGrades(rows, own, copied)
    columns = _Columns(people.column(people.grade), {})
    for name, table, rows_of_set in zip(references, tables[3:], places[3:], strict=True):
        columns.references[name] = np.full(len(pair_codes), np.nan, dtype=np.float32)
        columns.references[name][rows_of_set] = table.grade
    base = LabelSet(columns.of(source), inputs.spec.threshold)
    is_open = np.zeros(len(pair_codes), dtype=bool)
    is_open[places[2]] = True
    pairs = layout.pairs(pair_codes)
    without, notes = _without_annotators(inputs, source, people, columns)
    return LabelSets(
        pairs=Grades(*pairs, np.zeros(len(pair_codes), dtype=np.int64)),
        query=np.searchsorted(scope.sources, pairs.source),
        is_open=is_open & np.isnan(base.grades),
        base=base,
        further=[
            *without,
            *_by_thresholds(collection, base),
            *_of_sources(source, columns, base),
        ],
        notes=notes,
    )


def resolved_rows(inputs: DirectionInputs) -> tuple[dict[str, Keys], Grades, Grades]:
    """Resolved pairs by column, and those and their copies with the row of each for a grade."""
    collection, direction = inputs.collection, inputs.scope.direction
    statuses = {name: Resolution.Status(name) for name in ("adjudicated", "escalated")}
    rows = copied_columns(
        _RESOLUTIONS,
        _COLUMNS,
        {"collection": collection.pk, "model": Resolution.Status.MODEL, **statuses},
    )
    # in place of its grade each pair has its row here, which copies of it take
    source_end, target_end = labels.ends(direction)
    resolved_pairs = Grades(rows[source_end], rows[target_end], np.arange(len(rows["pair"])))
    copies = no_grades()
    if originals := originals_of(collection=collection):
        copies = propagated_grades(
            collection=collection,
            direction=direction,
            grades=resolved_pairs,
            originals=originals,
        )
    return rows, resolved_pairs, copies


def _without_annotators(
    inputs: DirectionInputs, source: LabelSource, people: _PeopleGrades, columns: _Columns
) -> tuple[list[NamedSet], list[str]]:
    """The chosen label source without each annotator's labels, those with most of them first."""
    if not source.has_people:
        return [], ["The chosen labels are a reference's: no annotator can be left out."]
    try:
        label_table = counting_labels(collection=inputs.collection)
    except NotDefined:
        return [], ["No pair has a label by a single annotator: nobody is left out."]
    rows, label = people.rows, label_table.columns
    by_pair = np.argsort(rows["pair"])
    position = np.searchsorted(rows["pair"][by_pair], label.pair)
    row = by_pair[np.minimum(position, len(by_pair) - 1)]
    is_used = np.zeros(len(rows["pair"]) + 1, dtype=bool)
    is_used[people.own] = is_used[people.copied] = True
    is_used = is_used[:-1]
    counts = (rows["pair"][row] == label.pair) & is_used[row]
    row, annotator, grade = row[counts], label.annotator[counts], label.grade[counts]
    policies = {
        policy.pk: label_policy(policy)
        for policy in Policy.objects.filter(collection=inputs.collection)
    }

    def decide(policy: int, grades: list[int]) -> int | None:
        decision = resolving.decide(grades, policies[policy])
        return decision.grade if decision else None

    new_grade = grades_without(row, grade, rows["policy"], decide).astype(np.float32)
    keys, n_labels = np.unique(annotator, return_counts=True)
    order = np.argsort(-n_labels, kind="stable")
    sets = []
    for key, n in zip(keys[order[:MOST_PEOPLE]], n_labels[order[:MOST_PEOPLE]], strict=True):
        is_own = (annotator == key) & (rows["is_by_lead"][row] == 0)
        grade_of_row = people.grade
        grade_of_row[row[is_own]] = new_grade[is_own]
        grades = columns._replace(people=people.column(grade_of_row)).of(source)
        name = label_table.annotators[int(key)].label
        label_set = LabelSet(grades, inputs.spec.threshold)
        sets.append(NamedSet(SetKind.PERSON, name, label_set, int(n)))
    return sets, notes_on_people(rows, is_used, n_people=len(keys))


def notes_on_people(
    rows: dict[str, Keys], is_used: NDArray[np.bool_], *, n_people: int
) -> list[str]:
    """Sentences on annotators who are not left out, and on pairs that hang on no single one."""
    notes = []
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
            f"{counted(n_by_model, 'pair')} had a grade by a model of the annotators: without one "
            "of them the majority of the labels that are left decides."
        )
    return notes


def _by_thresholds(collection: Collection, base: LabelSet) -> list[NamedSet]:
    """The chosen labels with positives from every other grade of the scheme but the lowest."""
    levels = sorted(collection.levels.values_list("grade", flat=True))
    return [
        NamedSet(SetKind.THRESHOLD, f"positive from {grade}", LabelSet(base.grades, grade))
        for grade in levels[1:]
        if grade != base.threshold
    ]


def _of_sources(source: LabelSource, columns: _Columns, base: LabelSet) -> list[NamedSet]:
    """Each reference set alone, people alone, and both together in either way; those with labels.

    With all the chosen reference sets, or all there are where none is chosen.
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
