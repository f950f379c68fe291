"""The grades that a file of labels holds: a label source in one direction, within a query set, by some rule."""

from collections.abc import Generator, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from psycopg.sql import SQL, Identifier

from annotate.models import Collection, Direction, Seat
from annotate.statements import unhurried
from metrics.core.label_sources import Grades
from metrics.core.rules import resolved
from metrics.http import Wanted
from metrics.services import labels
from metrics.services.labels import Scope

ROWS_AT_ONCE = 20_000
_SAID = SQL("""
    COPY (
        SELECT source.external_id, target.external_id, annotator.pseudonym, level.grade
        FROM annotate_seat seat
        JOIN annotate_pair pair ON pair.id = seat.pair_id
        JOIN annotate_item source ON source.id = pair.{source}
        JOIN annotate_item target ON target.id = pair.{target}
        JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
        JOIN annotate_annotator annotator ON annotator.id = judgment.annotator_id
        JOIN annotate_level level ON level.id = judgment.level_id
        WHERE seat.collection_id = {collection} AND seat.state = 'done' AND seat.purpose IN ('label', 'import')
        ORDER BY source.external_id COLLATE "C", target.external_id COLLATE "C", seat.number, seat.id
    ) TO STDOUT
""")


class Said(NamedTuple):
    """One counting label of a pair."""

    source: str
    target: str
    annotator: str
    grade: int


def grades_of(*, collection: Collection, wanted: Wanted, scope: Scope | None = None) -> Grades:
    """The grades as asked for, whatever their order."""
    told = {"collection": collection, "direction": wanted.direction}
    people = people_by(**told, rule=wanted.rule) if wanted.rule else None
    grades = labels.labels_of(**told, label_source=wanted.label_source, people=people)
    return grades if scope is None else labels.within(grades, scope)


def people_by(*, collection: Collection, direction: Direction, rule: str) -> Grades:
    """The grades that a rule gives the pairs from people's counting labels; adjudications are none."""
    counting = Seat.objects.filter(collection=collection, state=Seat.State.DONE, purpose__in=Seat.COUNTING)
    source, target = labels.ends(direction)
    columns = (f"pair__{source}", f"pair__{target}", "number", "judgment__level__grade")
    rows = counting.order_by(*columns[:3]).values_list(*columns)
    parts = [resolved(table, rule) for table in _by_pair(rows.iterator(chunk_size=ROWS_AT_ONCE))]
    return Grades(*map(np.concatenate, zip(*parts, strict=True)))


def _by_pair(rows: Iterator[tuple[int, ...]]) -> Iterator[NDArray[np.int64]]:
    """(n, 4) tables of rows that come in the order of their pairs; no pair is cut in two."""
    left = np.zeros((0, 4), dtype=np.int64)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        table = np.concatenate([left, np.array(some, dtype=np.int64)])
        before = np.flatnonzero((table[:, :2] != table[-1, :2]).any(axis=1))  # the last pair
        cut = before[-1] + 1 if len(before) else 0
        yield table[:cut]
        left = table[cut:]
    yield left


def written(grades: Grades, threshold: int | None) -> list[int]:
    """The grades as a file has them: as they are, or 1 from the threshold up and 0 below."""
    values = grades.grade if threshold is None else (grades.grade >= threshold).astype(np.int64)
    return values.tolist()


def labels_said(*, collection: Collection, direction: Direction) -> Generator[Said, None, None]:
    """All counting labels, by the bytes of the ids of source and target, a pair's in the order of its seats."""
    source, target = (Identifier(f"{end}_id") for end in labels.ends(direction))
    statement = _SAID.format(source=source, target=target, collection=collection.pk).as_string(None)
    with unhurried(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for *who, grade in copy.rows():
            yield Said(*who, int(grade))
