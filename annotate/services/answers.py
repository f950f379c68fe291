"""What the database is asked and told for one answer, in few statements.

They are written out: a busy day brings a hundred answers a second, and putting twenty queries together anew for each
would take longer than running them. Call all of these behind the annotator's lock.
"""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb

from annotate.models import Annotator, Judgment
from annotate.statements import prepared

# The pair is locked before any label of it is read: of two disagreeing people the second must see the first one's.
_READ = """
    WITH locked AS (
        SELECT id, collection_id, query_id, document_id FROM annotate_pair
        WHERE id = (SELECT seat.pair_id FROM annotate_handout given
                    JOIN annotate_batch batch ON batch.id = given.batch_id
                    JOIN annotate_seat seat ON seat.id = given.seat_id
                    WHERE given.token = %(token)s AND batch.annotator_id = %(annotator)s)
        FOR NO KEY UPDATE)
    SELECT (SELECT id FROM annotate_judgment
            WHERE annotator_id = %(annotator)s AND submission_id = %(submission)s) AS replayed,
           level.id, level.name, level.reasons::json,
           (SELECT id FROM annotate_guidelines
            WHERE collection_id = %(collection)s AND version <= coalesce(%(version)s, version)
            ORDER BY version DESC LIMIT 1),
           given.id, given.shown_at, batch.id, batch.number, batch.grouped, batch.settled_at IS NOT NULL,
           (SELECT count(*) FROM annotate_handout other
            WHERE other.batch_id = batch.id AND other.answered_at IS NULL AND other.id <> given.id),
           seat.id, pair.id, pair.query_id, pair.document_id, seat.purpose, seat.leased_until,
           -- the end of her chain of answers to this pair, for this purpose; each check has a chain of its own
           (SELECT said.id FROM annotate_judgment said
            LEFT JOIN annotate_handout first ON first.id = said.hand_out_id
            WHERE said.annotator_id = %(annotator)s AND said.pair_id = seat.pair_id AND said.purpose = seat.purpose
              AND (seat.purpose IN ('label', 'import') OR first.seat_id = seat.id)
              AND NOT EXISTS (SELECT FROM annotate_judgment later WHERE later.supersedes_id = said.id)
            ORDER BY said.id DESC LIMIT 1),
           EXISTS (SELECT FROM annotate_report report WHERE report.hand_out_id = given.id AND report.state = 'open')
    FROM (SELECT) nothing
    LEFT JOIN annotate_level level ON level.collection_id = %(collection)s AND level.grade = %(grade)s
    LEFT JOIN (annotate_handout given JOIN annotate_batch batch ON batch.id = given.batch_id
               JOIN annotate_seat seat ON seat.id = given.seat_id JOIN locked pair ON pair.id = seat.pair_id)
           ON given.token = %(token)s AND batch.annotator_id = %(annotator)s
"""
# The judgment counts if the seat is hers, free or lapsed, and she counts for this pair nowhere else.
_STORE = """
    WITH said AS (
        INSERT INTO annotate_judgment (
            collection_id, pair_id, annotator_id, hand_out_id, purpose, level_id, guidelines_id, submission_id,
            supersedes_id, reasons, active_ms, grouped, played_ms, n_replays, n_changes, shown_at)
        VALUES (
            %(collection)s, %(pair)s, %(annotator)s, %(hand_out)s, %(purpose)s, %(level)s, %(guidelines)s,
            %(submission)s, %(last)s, %(reasons)s, %(active_ms)s, %(grouped)s, %(played_ms)s, %(n_replays)s,
            %(n_changes)s, %(shown_at)s)
        RETURNING id, at),
    taken AS (
        UPDATE annotate_seat seat
        SET state = 'done', annotator_id = %(annotator)s, leased_until = NULL, judgment_id = (SELECT id FROM said)
        WHERE seat.id = %(seat)s
          AND (seat.annotator_id = %(annotator)s AND seat.state IN ('held', 'done') OR seat.state = 'free'
               OR seat.state = 'held' AND seat.leased_until < clock_timestamp())
          AND (seat.purpose <> 'label' OR NOT EXISTS (
               SELECT FROM annotate_seat other
               WHERE other.annotator_id = %(annotator)s AND other.pair_id = seat.pair_id AND other.id <> seat.id
                 AND other.purpose IN ('label', 'import')))),
    answered AS (
        UPDATE annotate_handout SET answered_at = clock_timestamp() WHERE id = %(hand_out)s AND answered_at IS NULL)
    SELECT id, at FROM said
"""


class Said(NamedTuple):
    """What an answer says beside its grade, as it is kept: milliseconds and times, None where unknown."""

    reasons: list[str]
    active_ms: int | None
    played_ms: int | None
    n_replays: int | None
    n_changes: int | None


class Asked(NamedTuple):
    """All that an answer hangs on.

    replayed : the judgment that the same submission made before
    level, guidelines : what the answer says, and what its author was told; None where there is none
    hand_out : None where this token was not handed to this person; with it all that follows
    is_settled : whether the batch's answers can no longer be changed
    n_left : what else of the batch waits for an answer
    last : her last judgment of this pair for this purpose, if any
    is_reported : whether she reported the pair instead of judging it
    """

    replayed: int | None
    level: int | None
    level_name: str
    level_reasons: list[Any]
    guidelines: int | None
    hand_out: int | None
    shown_at: datetime | None
    batch: int
    batch_number: int
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


def read(*, annotator: Annotator, token: UUID, submission_id: UUID, grade: int, guidelines: int | None) -> Asked:
    """What stands, once her lock is held; guidelines : the version on her screen, None for the newest."""
    asked = {
        "annotator": annotator.pk, "collection": annotator.collection_id, "token": token, "submission": submission_id,
        "grade": grade, "version": guidelines,
    }  # fmt: skip
    with prepared() as cursor:
        cursor.execute(_READ, asked)
        return Asked(*cursor.fetchone())


def store(*, annotator: Annotator, asked: Asked, submission_id: UUID, said: Said) -> Judgment:
    """Write the judgment; it counts if its seat is still to be had, else it stays a surplus. The hand-out is answered.

    Call it once the hand-out's pair is locked, as it is after `read`.
    """
    judgment = Judgment(
        collection_id=annotator.collection_id, pair_id=asked.pair, annotator=annotator, hand_out_id=asked.hand_out,
        purpose=asked.purpose, level_id=asked.level, guidelines_id=asked.guidelines, submission_id=submission_id,
        supersedes_id=asked.last, grouped=asked.grouped, shown_at=asked.shown_at, **said._asdict(),
    )  # fmt: skip
    written = {
        "collection": annotator.collection_id, "pair": asked.pair, "annotator": annotator.pk,
        "hand_out": asked.hand_out, "purpose": asked.purpose, "level": asked.level, "guidelines": asked.guidelines,
        "submission": submission_id, "last": asked.last, "grouped": asked.grouped, "shown_at": asked.shown_at,
        "seat": asked.seat, **said._asdict(), "reasons": Jsonb(said.reasons),
    }  # fmt: skip
    with prepared() as cursor:
        cursor.execute(_STORE, written)
        judgment.pk, judgment.at = cursor.fetchone()
    judgment._state.adding = False
    return judgment
