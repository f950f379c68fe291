"""The grades in a file of labels: of a label source, direction, query set and rule."""

from collections.abc import Generator, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from psycopg.sql import SQL, Identifier

from annotate.models import Collection, CountingJudgment, Direction
from annotate.services.collection.duplicates import originals_of
from annotate.statements import without_timeout
from metrics.core.labels.download_rules import resolve_pairs
from metrics.core.labels.label_sources import Grades, no_grades
from metrics.http import QrelsRequest
from metrics.services.scores import labels
from metrics.services.scores.labels import EvaluationScope
from metrics.services.scores.propagation import mask_of, propagated_grades, with_propagated

CHUNK_ROWS = 20_000
_COUNTING_LABELS = SQL("""
    COPY (
        SELECT source.external_id, target.external_id, annotator.pseudonym, label.grade
        FROM annotate_countingjudgment label
        JOIN annotate_pair pair ON pair.id = label.pair_id
        JOIN annotate_item source ON source.id = pair.{source}
        JOIN annotate_item target ON target.id = pair.{target}
        JOIN annotate_annotator annotator ON annotator.id = label.annotator_id
        WHERE label.collection_id = {collection} AND label.is_label
        ORDER BY source.external_id COLLATE "C", target.external_id COLLATE "C",
                 label.number, label.seat_id
    ) TO STDOUT
""")


class CountingLabel(NamedTuple):
    """One counting label of a pair."""

    source: str
    target: str
    annotator: str
    grade: int


class FileGrades(NamedTuple):
    """The grades of a file, a row a pair.

    is_propagated : (n,) mask of the pairs whose grade is not their own, but that of the same pair
        of their originals
    """

    source: labels.Ids
    target: labels.Ids
    grade: labels.Ids
    is_propagated: NDArray[np.bool_]

    def rows(self, selection: slice | labels.Ids) -> "FileGrades":
        """Return the rows of a slice, or at these positions."""
        return FileGrades(
            self.source[selection],
            self.target[selection],
            self.grade[selection],
            self.is_propagated[selection],
        )


def grades_of(
    *, collection: Collection, qrels_request: QrelsRequest, scope: EvaluationScope | None = None
) -> FileGrades:
    """The requested grades, in no particular order."""
    direction, source = qrels_request.direction, qrels_request.label_source
    if not source.has_people:
        grades = labels.labels_of(collection=collection, direction=direction, label_source=source)
        return _file_grades(grades, no_grades(), scope)
    if qrels_request.rule:
        own = people_grades_by_rule(
            collection=collection, direction=direction, rule=qrels_request.rule
        )
    else:
        own = labels.own_grades(collection=collection, direction=direction)
    grades = labels.labels_of(
        collection=collection, direction=direction, label_source=source, people=own
    )
    originals = originals_of(collection=collection)
    if not originals:
        return _file_grades(grades, no_grades(), scope)
    propagated = propagated_grades(
        collection=collection, direction=direction, grades=own, originals=originals
    )
    with_copies = labels.labels_of(
        collection=collection,
        direction=direction,
        label_source=source,
        people=with_propagated(own, propagated),
    )
    return _file_grades(with_copies, _changed_pairs(with_copies, grades), scope)


def _changed_pairs(grades: Grades, grades_before: Grades) -> Grades:
    """The pairs that have another grade than before, or had none."""
    rows, rows_before = (np.stack(table, axis=1) for table in (grades, grades_before))
    _, first, n = np.unique(
        np.concatenate([rows, rows_before]), axis=0, return_index=True, return_counts=True
    )
    positions = first[(n == 1) & (first < len(rows))]
    return Grades(*rows[positions].T)


def _file_grades(grades: Grades, propagated: Grades, scope: EvaluationScope | None) -> FileGrades:
    inside = grades if scope is None else labels.within(grades, scope)
    return FileGrades(*inside, mask_of(inside, propagated))


def people_grades_by_rule(*, collection: Collection, direction: Direction, rule: str) -> Grades:
    """The grades that a rule gives pairs from people's counting labels, without adjudications.

    Pairs that a lead excluded have none.
    """
    judgments = CountingJudgment.objects.labels().filter(
        collection=collection, pair__exclusion=None
    )
    source, target = labels.ends(direction)
    columns = (f"pair__{source}", f"pair__{target}", "number", "grade")
    rows = judgments.order_by(*columns[:3]).values_list(*columns)
    chunks = [
        resolve_pairs(table, rule) for table in _pair_tables(rows.iterator(chunk_size=CHUNK_ROWS))
    ]
    return Grades(*map(np.concatenate, zip(*chunks, strict=True)))


def _pair_tables(rows: Iterator[tuple[int, ...]]) -> Iterator[NDArray[np.int64]]:
    """Split rows, ordered by pair, into (n, 4) tables; no pair is split over two tables."""
    remainder = np.zeros((0, 4), dtype=np.int64)
    while chunk := list(islice(rows, CHUNK_ROWS)):
        table = np.concatenate([remainder, np.array(chunk, dtype=np.int64)])
        before_last_pair = np.flatnonzero((table[:, :2] != table[-1, :2]).any(axis=1))
        cut = before_last_pair[-1] + 1 if len(before_last_pair) else 0
        yield table[:cut]
        remainder = table[cut:]
    yield remainder


def file_grades(grades: FileGrades, threshold: int | None) -> list[int]:
    """The grades as written to a file: unchanged, or 1 from the threshold up and 0 below."""
    values = grades.grade if threshold is None else (grades.grade >= threshold).astype(np.int64)
    return values.tolist()


def counting_labels(
    *, collection: Collection, direction: Direction
) -> Generator[CountingLabel, None, None]:
    """All counting labels, by the bytes of the ids of source and target, then by seat."""
    source, target = (Identifier(f"{end}_id") for end in labels.ends(direction))
    statement = _COUNTING_LABELS.format(
        source=source, target=target, collection=collection.pk
    ).as_string(None)
    with without_timeout(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for source_id, target_id, pseudonym, grade in copy.rows():
            yield CountingLabel(source_id, target_id, pseudonym, int(grade))
