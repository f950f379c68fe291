"""Resolved pairs, the grades that label sets take from them, and the labels that grade them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels import resolving
from annotate.models import Collection, CountingJudgment, Policy, Resolution, Seat
from annotate.services.collection.duplicates import originals_of
from annotate.services.seating.seat_plan import label_policy
from annotate.services.storage.number_arrays import copied_columns, table
from metrics.charts.analyses.pool.label_set_words import SetKind
from metrics.core.analyses.pool.label_sets import LabelSet
from metrics.core.labels.label_sources import Grades, LabelSource, People, no_grades
from metrics.services.analysis.labels.label_columns import AnnotatorFacts, counting_labels
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from metrics.services.scores.propagation import propagated_grades

Keys = NDArray[np.int64]
GradeColumn = NDArray[np.float32]
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
    """A label set in words.

    n_left_out : labels that it is without, of an annotator or the last
    is_lost : (L,) pairs to which people gave a grade and give none any more; None for sets of all
        labels
    """

    kind: SetKind
    name: str
    labels: LabelSet
    n_left_out: int | None = None
    is_lost: NDArray[np.bool_] | None = None


class PeopleGrades(NamedTuple):
    """Resolved pairs, N of them, and the rows among them that each of L pairs takes its grade from.

    rows : (N,) a column a name; own, copied : (L,) of the pair itself and of its original, -1
        for none
    """

    rows: dict[str, Keys]
    own: Keys
    copied: Keys

    @property
    def grade(self) -> GradeColumn:
        """(N,) grades as they are resolved, NaN for none."""
        grade = self.rows["grade"].astype(np.float32)
        return np.where(grade < 0, np.float32(np.nan), grade)

    @property
    def is_used(self) -> NDArray[np.bool_]:
        """(N,) whether any of the L pairs takes its grade from it."""
        is_used = np.zeros(len(self.rows["pair"]) + 1, dtype=bool)
        is_used[self.own] = is_used[self.copied] = True
        return is_used[:-1]

    def column(self, grade: GradeColumn) -> GradeColumn:
        """(L,) grades by people where the resolved pairs have these (N,); copies go first."""
        rows = np.append(grade, np.float32(np.nan))
        copied = rows[self.copied]
        return np.where(np.isnan(copied), rows[self.own], copied)


class GradeColumns(NamedTuple):
    """Grades of L pairs: by people, and of each reference set by its name; NaN for none."""

    people: GradeColumn
    references: dict[str, GradeColumn]

    def of(self, source: LabelSource) -> GradeColumn:
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


class ChosenGrades(NamedTuple):
    """The chosen label source, and the grades from which it and its parts are made.

    threshold : the grade from which on a target is positive
    """

    source: LabelSource
    people: PeopleGrades
    columns: GradeColumns
    threshold: float

    def label_set(self, grade: GradeColumn) -> LabelSet:
        """The label set of the source where people gave the resolved pairs these grades (N,)."""
        columns = self.columns._replace(people=self.people.column(grade))
        return LabelSet(columns.of(self.source), self.threshold)

    def named_set(self, kind: SetKind, name: str, n_left_out: int, grade: GradeColumn) -> NamedSet:
        """The label set by a name where people, without so many labels, gave these grades (N,)."""
        is_lost = ~np.isnan(self.columns.people) & np.isnan(self.people.column(grade))
        return NamedSet(kind, name, self.label_set(grade), n_left_out, is_lost)


class CountingGrades(NamedTuple):
    """M labels that count, of pairs that the chosen queries use, and all N resolved pairs.

    row : (M,) the resolved pair of each; annotator, grade : (M,)
    judgment : (M,) keys, which ascend in the order in which labels were stored
    decision : (N,) key of the answer by which a lead decided on the pair, 0 where none did
    decide : the grade by the key of a policy and grades, ascending; None where these decide none
    """

    row: Keys
    annotator: Keys
    grade: Keys
    judgment: Keys
    decision: Keys
    annotators: dict[int, AnnotatorFacts]
    decide: Callable[[int, list[int]], int | None]


def counting_grades(*, collection: Collection, people: PeopleGrades) -> CountingGrades:
    """Read the labels that grade resolved pairs; eight queries, raises NotDefined without a label.

    Labels of pairs that a lead excluded do not count.
    """
    label_table = counting_labels(collection=collection)
    label, pairs = label_table.columns, people.rows["pair"]
    by_pair = np.argsort(pairs)

    def rows_of(keys: Keys) -> tuple[Keys, NDArray[np.bool_]]:
        position = np.searchsorted(pairs[by_pair], keys)
        row = by_pair[np.minimum(position, len(by_pair) - 1)]
        return row, pairs[row] == keys

    row, is_resolved = rows_of(label.pair)
    counts = is_resolved & people.is_used[row]
    decision = np.zeros(len(pairs), dtype=np.int64)
    answers = CountingJudgment.objects.filter(
        collection=collection, purpose=Seat.Purpose.ADJUDICATION
    )
    pair, judgment = table(answers.values_list("pair", "judgment"), 2).T
    decided_row, is_decided = rows_of(pair)
    decision[decided_row[is_decided]] = judgment[is_decided]
    policies = {
        policy.pk: label_policy(policy) for policy in Policy.objects.filter(collection=collection)
    }

    def decide(policy: int, grades: list[int]) -> int | None:
        outcome = resolving.decide(grades, policies[policy])
        return outcome.grade if outcome else None

    return CountingGrades(
        row=row[counts],
        annotator=label.annotator[counts],
        grade=label.grade[counts],
        judgment=label.judgment[counts],
        decision=decision,
        annotators=label_table.annotators,
        decide=decide,
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
