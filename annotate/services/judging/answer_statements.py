"""The SQL statements that read the context of one answer and store its judgment.

They are written out: a busy day brings a hundred answers a second, and composing twenty queries
anew for each would take longer than running them. Call all of these behind the annotator's lock.
"""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import Annotator, Judgment, Seat
from annotate.services.seating.eligibility import CLAIMABLE, has_no_other_label
from annotate.statements import SqlValue, prepared_cursor, text_list


def chain_end(annotator: str, *, pair: str, purpose: str, seat: str) -> str:
    """The key of an annotator's last answer to a pair for one purpose; NULL before the first.

    Her answers are a chain, in which each supersedes the one before. Her labels of a pair are one
    chain, and each check has one of its own, by its seat.
    """
    return f"""
        (SELECT judgment.id FROM annotate_judgment judgment
         LEFT JOIN annotate_handout answered ON answered.id = judgment.hand_out_id
         WHERE judgment.annotator_id = {annotator} AND judgment.pair_id = {pair}
           AND judgment.purpose = {purpose}
           AND ({purpose} IN {text_list(Seat.FOR_LABELS)} OR answered.seat_id = {seat})
           AND NOT EXISTS (SELECT FROM annotate_judgment later
                           WHERE later.supersedes_id = judgment.id)
         ORDER BY judgment.id DESC LIMIT 1)
    """  # noqa: S608 - own words


_CHAIN_END = chain_end("%(annotator)s", pair="seat.pair_id", purpose="seat.purpose", seat="seat.id")
# The pair is locked before any label of it is read: of two disagreeing people the second must see
# the first one's.
_READ = f"""
    WITH locked AS (
        SELECT id, collection_id, query_id, document_id FROM annotate_pair
        WHERE id = (SELECT seat.pair_id FROM annotate_handout hand_out
                    JOIN annotate_batch batch ON batch.id = hand_out.batch_id
                    JOIN annotate_seat seat ON seat.id = hand_out.seat_id
                    WHERE hand_out.token = %(token)s AND batch.annotator_id = %(annotator)s)
        FOR NO KEY UPDATE)
    SELECT (SELECT id FROM annotate_judgment
            WHERE annotator_id = %(annotator)s AND submission_id = %(submission)s) AS replayed,
           level.id, level.name, level.reasons::json, guidelines.id,
           coalesce(guidelines.wording <> '[]'
                    AND ARRAY(SELECT (words->>'grade')::smallint
                              FROM jsonb_array_elements(guidelines.wording) words ORDER BY 1)
                        <> ARRAY(SELECT grade FROM annotate_level
                                 WHERE collection_id = %(collection)s ORDER BY 1), FALSE),
           hand_out.id, hand_out.shown_at,
           batch.id, batch.grouped, batch.settled_at IS NOT NULL,
           (SELECT count(*) FROM annotate_handout other
            WHERE other.batch_id = batch.id AND other.answered_at IS NULL
              AND other.id <> hand_out.id),
           seat.id, pair.id, pair.query_id, pair.document_id, seat.purpose, seat.leased_until,
           {_CHAIN_END},
           EXISTS (SELECT FROM annotate_report report
                   WHERE report.hand_out_id = hand_out.id AND report.state = 'open')
    FROM (SELECT) one_row
    LEFT JOIN annotate_level level
           ON level.collection_id = %(collection)s AND level.grade = %(grade)s
    LEFT JOIN annotate_guidelines guidelines
           ON guidelines.id = (
               SELECT id FROM annotate_guidelines
               WHERE collection_id = %(collection)s AND version <= coalesce(%(version)s, version)
               ORDER BY version DESC LIMIT 1)
    LEFT JOIN (annotate_handout hand_out JOIN annotate_batch batch ON batch.id = hand_out.batch_id
               JOIN annotate_seat seat ON seat.id = hand_out.seat_id
               JOIN locked pair ON pair.id = seat.pair_id)
           ON hand_out.token = %(token)s AND batch.annotator_id = %(annotator)s
"""  # noqa: S608 - own words
# The judgment counts if the seat is hers or to be had, and no other label of this pair is hers.
_STORE = f"""
    WITH stored AS (
        INSERT INTO annotate_judgment (
            collection_id, pair_id, annotator_id, hand_out_id, purpose, level_id, guidelines_id,
            submission_id, supersedes_id, reasons, grouped, shown_at,
            {", ".join(Telemetry._fields)})
        VALUES (
            %(collection)s, %(pair)s, %(annotator)s, %(hand_out)s, %(purpose)s, %(level)s,
            %(guidelines)s, %(submission)s, %(last)s, %(reasons)s, %(grouped)s, %(shown_at)s,
            {", ".join(f"%({name})s" for name in Telemetry._fields)})
        RETURNING id, at),
    updated_seat AS (
        UPDATE annotate_seat seat
        SET state = 'done', annotator_id = %(annotator)s, leased_until = NULL,
            judgment_id = (SELECT id FROM stored)
        WHERE seat.id = %(seat)s
          AND (seat.annotator_id = %(annotator)s AND seat.state IN ('held', 'done')
               OR {CLAIMABLE})
          AND {has_no_other_label("%(annotator)s")}),
    answered_hand_out AS (
        UPDATE annotate_handout SET answered_at = clock_timestamp()
        WHERE id = %(hand_out)s AND answered_at IS NULL)
    SELECT id, at FROM stored
"""  # noqa: S608 - own words


class AnswerContext(NamedTuple):
    """The context of an answer: everything that decides what it does.

    replayed : key of the judgment that the same submission made before
    level, guidelines : the level of the answer and the guidelines its author saw; None if missing
    has_other_grades : whether the levels that its author saw had other grades than today's
    hand_out : None if this token was not handed to this person; so are the fields after it then
    is_settled : whether the batch's answers can no longer be changed
    n_left : other hand-outs of the batch that wait for an answer
    last : key of her last judgment of this pair for this purpose, if any
    is_reported : whether she reported the pair instead of judging it
    """

    replayed: int | None
    level: int | None
    level_name: str
    level_reasons: list[Any]
    guidelines: int | None
    has_other_grades: bool
    hand_out: int | None
    shown_at: datetime | None
    batch: int
    grouped: bool | None
    is_settled: bool
    n_left: int
    seat: int
    pair: int
    query: int
    document: int
    purpose: str
    leased_until: datetime | None
    last: int | None
    is_reported: bool


def read_context(
    *, annotator: Annotator, token: UUID, submission_id: UUID, grade: int, guidelines: int | None
) -> AnswerContext:
    """Read the context of an answer; call it behind her lock.

    guidelines : the version on her screen, None for the newest
    """
    parameters: dict[str, SqlValue] = {
        "annotator": annotator.pk,
        "collection": annotator.collection_id,
        "token": token,
        "submission": submission_id,
        "grade": grade,
        "version": guidelines,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_READ, parameters)
        return AnswerContext(*cursor.fetchone())


def store_judgment(
    *, annotator: Annotator, context: AnswerContext, answer: JudgmentAnswer
) -> Judgment:
    """Store the judgment; it counts if its seat is still free or hers, else it is a surplus.

    The hand-out is answered by it. Call it once the hand-out's pair is locked, as after
    `read_context`, and for a level that there is.
    """
    assert context.level is not None, "an unknown level was refused"  # noqa: S101
    telemetry = answer.telemetry.within_limits()._asdict()
    judgment = Judgment(
        collection_id=annotator.collection_id,
        pair_id=context.pair,
        annotator=annotator,
        hand_out_id=context.hand_out,
        purpose=context.purpose,
        level_id=context.level,
        guidelines_id=context.guidelines,
        submission_id=answer.submission_id,
        supersedes_id=context.last,
        reasons=list(answer.reasons),
        grouped=context.grouped,
        shown_at=context.shown_at,
        **telemetry,
    )
    parameters = {
        "collection": annotator.collection_id,
        "pair": context.pair,
        "annotator": annotator.pk,
        "hand_out": context.hand_out,
        "purpose": context.purpose,
        "level": context.level,
        "guidelines": context.guidelines,
        "submission": answer.submission_id,
        "last": context.last,
        "reasons": Jsonb(judgment.reasons),
        "grouped": context.grouped,
        "shown_at": context.shown_at,
        "seat": context.seat,
        **telemetry,
    }
    with prepared_cursor() as cursor:
        cursor.execute(_STORE, parameters)
        judgment.pk, judgment.at = cursor.fetchone()
    judgment._state.adding = False
    return judgment
