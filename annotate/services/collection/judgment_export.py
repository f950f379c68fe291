"""Export of a collection's judgments as a file: streamed, one snapshot, the same bytes each time.

People appear under their pseudonyms alone; comments, which may name anybody, are not in it.
"""

from collections.abc import Generator, Iterator
from contextlib import closing

from django.db import connection
from psycopg.sql import SQL, Identifier

from annotate.core.files.judgments.judgment_exports import FORMATS, LINES_A_PIECE
from annotate.core.labels.answers import Telemetry
from annotate.models import Collection
from annotate.statements import without_timeout

KEYS_A_ROW = 200  # of judgments; those of other collections leave gaps
# One COPY: a million lines without a million objects, and no later judgment among them. The server
# writes the lines, and sends some hundred at a time: a row of a COPY costs as much as ten of them.
_PIECES = SQL("""
    COPY (
        SELECT string_agg(row_to_json(line)::text || E'\n', '' ORDER BY judgment.id)
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
        CROSS JOIN LATERAL (
            SELECT query.external_id AS query, document.external_id AS document,
                annotator.pseudonym AS annotator, annotator.origin,
                level.grade, level.name AS level, judgment.reasons,
                to_char(judgment.shown_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
                    AS shown_at,
                to_char(judgment.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
                {telemetry}, guidelines.version AS guidelines, judgment.grouped, judgment.purpose,
                coalesce(seat.why, handed_seat.why, 'first') AS why,
                coalesce(round.name, '') AS round, standing.outcome AS status) line
        WHERE judgment.collection_id = {collection}{condition}
        GROUP BY judgment.id / {keys_a_row} ORDER BY judgment.id / {keys_a_row}
    ) TO STDOUT (FORMAT BINARY)
""")


def judgment_pieces(
    *, collection: Collection, keys: list[int] | None = None
) -> Generator[bytes, None, None]:
    """Yield judgments as JSON lines in the order they were stored, some thousand in a piece.

    keys : of those that are yielded; None means all
    """
    telemetry = SQL(", ").join(Identifier("judgment", name) for name in Telemetry._fields)
    condition = SQL("") if keys is None else SQL(" AND judgment.id = ANY({})").format(keys)
    statement = _PIECES.format(
        telemetry=telemetry,
        collection=collection.pk,
        condition=condition,
        keys_a_row=KEYS_A_ROW,
    ).as_string(None)
    lines, n_lines = [], 0
    with without_timeout(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        for (some_lines,) in copy.rows():
            lines.append(some_lines)
            n_lines += some_lines.count(b"\n")
            if n_lines >= LINES_A_PIECE:
                yield b"".join(lines)
                lines, n_lines = [], 0
        if lines:
            yield b"".join(lines)


def write(*, collection: Collection, kind: str) -> Iterator[bytes]:
    """The judgments as a file of one of FORMATS."""
    # a COPY left open would hold the connection
    with closing(judgment_pieces(collection=collection)) as pieces:
        yield from FORMATS[kind](pieces)
