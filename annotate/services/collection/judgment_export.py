"""Export of a collection's judgments as a file: streamed, one snapshot, the same bytes each time.

People appear under their pseudonyms alone; comments, which may name anybody, stay here.
"""

import json
from collections.abc import Generator, Iterator
from contextlib import closing

from django.db import connection
from psycopg.sql import SQL

from annotate.core.files.judgments.judgment_exports import FORMATS, JudgmentLine
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
            judgment.active_ms, judgment.played_ms, judgment.n_replays, judgment.n_changes,
            guidelines.version, judgment.grouped, judgment.purpose,
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
        WHERE judgment.collection_id = {} ORDER BY judgment.id
    ) TO STDOUT
""")


def judgment_lines(*, collection: Collection) -> Generator[JudgmentLine, None, None]:
    """Yield all judgments in the order they were stored."""
    statement = _LINES.format(collection.pk).as_string(None)
    with without_timeout(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in copy.rows():
            yield JudgmentLine._make(
                (
                    *row[:4],
                    int(row[4]),
                    row[5],
                    json.loads(row[6]) if row[6] else [],
                    *row[7:9],
                    *(None if cell is None else int(cell) for cell in row[9:14]),
                    None if row[14] is None else row[14] == "t",
                    *row[15:],
                )
            )


def write(*, collection: Collection, kind: str) -> Iterator[bytes]:
    """The judgments as a file of one of FORMATS."""
    # a COPY left open would hold the connection
    with closing(judgment_lines(collection=collection)) as lines:
        yield from FORMATS[kind].write(lines)
