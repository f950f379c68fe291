"""What an annotator's browser gets next: the cards, and her own figures.

It is asked for with every answer, a hundred times a second on a busy day: one statement, written out.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from annotate.core.cards import Dealt, ItemShown, PartShown
from annotate.models import Annotator
from annotate.statements import prepared

N_CARDS = 3  # the card to judge and the ones whose media the browser loads meanwhile
# What is left to do, next one first, what was put off last; the first is on screen from now on.
_NEXT = """
    WITH next AS (
        SELECT given.id,
               row_number() OVER (ORDER BY batch.number, given.deferred_at NULLS FIRST, given.position) AS place
        FROM annotate_handout given
        JOIN annotate_batch batch ON batch.id = given.batch_id
        JOIN annotate_seat seat ON seat.id = given.seat_id
        WHERE batch.annotator_id = %(annotator)s AND given.answered_at IS NULL AND seat.purpose <> 'training'
        ORDER BY place LIMIT %(limit)s),
    shown AS (
        UPDATE annotate_handout SET shown_at = clock_timestamp()
        WHERE id = (SELECT id FROM next WHERE place = 1) AND shown_at IS NULL)
"""
_THESE = "WITH next AS (SELECT * FROM unnest(%(hand_outs)s::bigint[]) WITH ORDINALITY AS these(id, place))"
_DEALT = """
    SELECT next.place, given.id, given.token, given.position,
           query.external_id AS query, query.warning AS query_warning, query.parts AS query_parts,
           document.external_id AS document, document.warning AS document_warning, document.parts AS document_parts
    FROM next
    JOIN annotate_handout given ON given.id = next.id
    JOIN annotate_seat seat ON seat.id = given.seat_id
    JOIN annotate_pair pair ON pair.id = seat.pair_id
    CROSS JOIN LATERAL (
        SELECT item.external_id, item.warning, (
            SELECT json_agg(json_build_array(part.id, part.kind, part.text, part.path, part.start, part.end,
                                             part.type, part.also, part.looked_at IS NOT NULL)
                            ORDER BY part.position)
            FROM annotate_part part WHERE part.item_id = item.id) AS parts
        FROM annotate_item item WHERE item.id = pair.query_id) query
    CROSS JOIN LATERAL (
        SELECT item.external_id, item.warning, (
            SELECT json_agg(json_build_array(part.id, part.kind, part.text, part.path, part.start, part.end,
                                             part.type, part.also, part.looked_at IS NOT NULL)
                            ORDER BY part.position)
            FROM annotate_part part WHERE part.item_id = item.id) AS parts
        FROM annotate_item item WHERE item.id = pair.document_id) document
"""
# What was given today are the chains that began today and do not end in an undone answer; a day is UTC's.
_TODAY = """,
    today AS (
        SELECT id, supersedes_id FROM annotate_judgment
        WHERE annotator_id = %(annotator)s AND purpose <> 'training' AND at >= date_trunc('day', now(), 'UTC'))
"""
# The batch is that of the next card, else the newest. Golds have a round of their own, which asks nothing of itself.
_AROUND = """
    SELECT (SELECT count(*) FILTER (WHERE supersedes_id IS NULL) - count(*) FILTER (WHERE EXISTS (
                SELECT FROM annotate_judgmentevent event WHERE event.judgment_id = today.id AND event.kind = 'undone')
                AND NOT EXISTS (SELECT FROM annotate_judgment later WHERE later.supersedes_id = today.id))
            FROM today) AS n_today,
           said.version, said.at, batch.number, counted.n, counted.n_left, counted.n_asking
    FROM (SELECT) nothing
    LEFT JOIN (SELECT id, number FROM annotate_batch
          WHERE annotator_id = %(annotator)s
            AND id = coalesce((SELECT given.batch_id FROM annotate_handout given JOIN next ON next.id = given.id
                               WHERE next.place = 1), id)
            AND NOT EXISTS (SELECT FROM annotate_trainingtry try WHERE try.batch_id = annotate_batch.id)
          ORDER BY number DESC LIMIT 1) batch ON true
    LEFT JOIN LATERAL (
        SELECT count(*) AS n, count(*) FILTER (WHERE given.answered_at IS NULL) AS n_left,
               count(*) FILTER (WHERE policy.ask_reasons AND seat.purpose <> 'gold') AS n_asking
        FROM annotate_handout given
        JOIN annotate_seat seat ON seat.id = given.seat_id
        JOIN annotate_round round ON round.id = seat.round_id
        JOIN annotate_policy policy ON policy.id = round.policy_id
        WHERE given.batch_id = batch.id) counted ON true
    LEFT JOIN LATERAL (
        SELECT version, at FROM annotate_guidelines WHERE collection_id = %(collection)s
        ORDER BY version DESC LIMIT 1) said ON true
"""
_WITH_AROUND = f"""
    {_TODAY} SELECT around.*, dealt.* FROM ({_AROUND}) around LEFT JOIN ({_DEALT}) dealt ON true ORDER BY dealt.place
"""  # noqa: S608 - own text
_N_AROUND = 7  # columns of _AROUND


class Around(NamedTuple):
    """What is said with the cards.

    n_today : what this person judged today
    guidelines : version of the newest ones
    batch, n, n_left : number of the batch, its pairs, and how many of them wait for an answer; 0 before the first
    asks_reasons : the same for all of a batch, so that it tells no card from another
    """

    n_today: int
    guidelines: int | None
    guidelines_at: datetime | None
    batch: int
    n: int
    n_left: int
    asks_reasons: bool


def next_cards(*, annotator: Annotator) -> tuple[list[Dealt], Around]:
    """The cards that come next, N_CARDS at most, the first shown from now on, and what is said with them.

    None while she is paused.
    """
    return _read(_NEXT, annotator, limit=0 if annotator.paused_at is not None else N_CARDS)


def card(*, annotator: Annotator, hand_out: int) -> tuple[Dealt, Around]:
    """The card of one of her hand-outs, whether it waits for an answer or not, and what is said with it."""
    (dealt,), around_ = _read(_THESE, annotator, hand_outs=[hand_out])
    return dealt, around_


def around(*, annotator: Annotator) -> Around:
    """What is said where there is no card."""
    return _read(_THESE, annotator, hand_outs=[])[1]


def deal(*, hand_outs: Sequence[int]) -> list[Dealt]:
    """The cards of these hand-outs, in this order; one query."""
    with prepared() as cursor:
        cursor.execute(f"{_THESE} {_DEALT} ORDER BY next.place", {"hand_outs": list(hand_outs)})
        return [_dealt(row) for row in cursor.fetchall()]


def _read(next_: str, annotator: Annotator, **asked: object) -> tuple[list[Dealt], Around]:
    """The cards that a WITH names, and what is said with them."""
    with prepared() as cursor:
        cursor.execute(
            next_ + _WITH_AROUND, {"annotator": annotator.pk, "collection": annotator.collection_id, **asked}
        )
        rows = cursor.fetchall()
    n_today, version, at, number, n, n_left, n_asking = rows[0][:_N_AROUND]
    said = Around(max(0, n_today), version, at, number or 0, n or 0, n_left or 0, bool(n_asking))
    dealt = [row[_N_AROUND:] for row in rows]
    return [_dealt(row) for row in dealt if row[0] is not None], said


def _dealt(row: Sequence[Any]) -> Dealt:
    """The card of a row of _DEALT."""
    _place, key, token, position, *sides = row
    return Dealt(key, token, position, _item(*sides[:3]), _item(*sides[3:]))


def _item(external_id: str, warning: str, parts: list[list] | None) -> ItemShown:
    return ItemShown(external_id, warning, [PartShown(*part) for part in parts or []])
