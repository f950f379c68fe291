"""Export of a collection's judgments as a file: streamed, one snapshot, the same bytes each time.

People appear under their pseudonyms alone; comments, which may name anybody, are not in it.
"""

import json
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from django.db import connection
from psycopg.sql import SQL, Identifier

from annotate.core.files.judgments.judgment_exports import FORMATS, JudgmentLine
from annotate.core.labels.answers import Telemetry
from annotate.models import Collection
from annotate.statements import without_timeout

# One COPY: a million lines without a million objects of the ORM, and no later judgment among them.
_LINES = SQL("""
    COPY (
        SELECT query.external_id, document.external_id, annotator.pseudonym, annotator.origin,
            level.grade, level.name,
            nullif(judgment.reasons, '[]'::jsonb),
            to_char(judgment.shown_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            to_char(judgment.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            {telemetry}, guidelines.version, judgment.grouped, judgment.purpose,
            coalesce(seat.why, handed_seat.why, 'first'), coalesce(round.name, ''),
            standing.outcome
        FROM annotate_judgment judgment
        JOIN annotate_pair pair ON pair.id = judgment.pair_id
        JOIN annotate_item query ON query.id = pair.query_id
        JOIN annotate_item document ON document.id = pair.document_id
        JOIN annotate_annotator annotator ON annotator.id = judgment.annotator_id
        JOIN annotate_level level ON level.id = judgment.level_id
        LEFT JOIN annotate_guidelines guidelines ON guidelines.id = judgment.guidelines_id
        JOIN annotate_judgmentoutcome standing ON standing.judgment_id = judgment.id
        LEFT JOIN annotate_seat seat ON seat.judgment_id = judgment.id
        LEFT JOIN annotate_handout hand_out ON hand_out.id = judgment.hand_out_id
        LEFT JOIN annotate_seat handed_seat ON handed_seat.id = hand_out.seat_id
        LEFT JOIN annotate_round round ON round.id = coalesce(seat.round_id, handed_seat.round_id)
        WHERE judgment.collection_id = {collection}{condition} ORDER BY judgment.id
    ) TO STDOUT
""")


def judgment_lines(
    *, collection: Collection, keys: list[int] | None = None
) -> Generator[JudgmentLine, None, None]:
    """Yield judgments in the order they were stored: those with these keys; None means all."""
    telemetry = SQL(", ").join(Identifier("judgment", name) for name in Telemetry._fields)
    condition = SQL("") if keys is None else SQL(" AND judgment.id = ANY({})").format(keys)
    statement = _LINES.format(
        telemetry=telemetry, collection=collection.pk, condition=condition
    ).as_string(None)
    with without_timeout(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in copy.rows():
            yield _line(row)


def _line(row: tuple[Any, ...]) -> JudgmentLine:
    """Read the cells of a COPY, which are text, or None."""
    query, document, annotator, origin, grade, level, reasons, shown_at, at = row[:9]
    *telemetry, guidelines, grouped = row[9:-4]
    return JudgmentLine(
        query,
        document,
        annotator,
        origin,
        int(grade),
        level,
        json.loads(reasons) if reasons else [],
        shown_at,
        at,
        Telemetry(*map(_number, telemetry)),
        _number(guidelines),
        None if grouped is None else grouped == "t",
        *row[-4:],
    )


def _number(cell: str | None) -> int | None:
    return None if cell is None else int(cell)


def write(*, collection: Collection, kind: str) -> Iterator[bytes]:
    """The judgments as a file of one of FORMATS."""
    # a COPY left open would hold the connection
    with closing(judgment_lines(collection=collection)) as lines:
        yield from FORMATS[kind](lines)
