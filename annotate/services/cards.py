"""What an annotator's browser gets next: the cards, and her own figures.

It is asked for with every answer, a hundred times a second on a busy day: two statements, written out.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

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
_SHOWN = """
    SELECT given.id, given.token, given.position, query.external_id, query.warning, query.parts,
           document.external_id, document.warning, document.parts
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
    ORDER BY next.place
"""
# Golds stand in a round of their own, which asks nothing of itself. What was given today are the chains that began
# today and do not end in an undone answer; a day is UTC's.
_AROUND = """
    WITH today AS (
        SELECT id, supersedes_id FROM annotate_judgment
        WHERE annotator_id = %(annotator)s AND purpose <> 'training' AND at >= date_trunc('day', now(), 'UTC'))
    SELECT (SELECT count(*) FILTER (WHERE supersedes_id IS NULL) - count(*) FILTER (WHERE EXISTS (
                SELECT FROM annotate_judgmentevent event WHERE event.judgment_id = today.id AND event.kind = 'undone')
                AND NOT EXISTS (SELECT FROM annotate_judgment later WHERE later.supersedes_id = today.id))
            FROM today),
           said.version, said.at, batch.number, counted.n, counted.n_left, counted.n_asking
    FROM (SELECT) nothing
    LEFT JOIN (SELECT id, number FROM annotate_batch
          WHERE annotator_id = %(annotator)s
            AND id = coalesce((SELECT batch_id FROM annotate_handout WHERE id = %(hand_out)s), id)
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


def next_cards(*, annotator: Annotator) -> list[Dealt]:
    """The cards that come next, N_CARDS at most; the first counts as shown from now on. None while she is paused."""
    if annotator.paused_at is not None:
        return []
    return _dealt(_NEXT + _SHOWN, {"annotator": annotator.pk, "limit": N_CARDS})


def deal(*, hand_outs: Sequence[int]) -> list[Dealt]:
    """The cards of these hand-outs, in this order; one query."""
    return _dealt(_THESE + _SHOWN, {"hand_outs": list(hand_outs)})


def around(*, annotator: Annotator, hand_out: int | None = None) -> Around:
    """What is said with the cards: of the batch of this hand-out, or else of the newest."""
    asked = {"annotator": annotator.pk, "collection": annotator.collection_id, "hand_out": hand_out}
    with prepared() as cursor:
        cursor.execute(_AROUND, asked)
        n_today, version, at, number, n, n_left, n_asking = cursor.fetchone()
    return Around(max(0, n_today), version, at, number or 0, n or 0, n_left or 0, bool(n_asking))


def _dealt(statement: str, asked: dict[str, object]) -> list[Dealt]:
    with prepared() as cursor:
        cursor.execute(statement, asked)
        return [
            Dealt(key, token, position, _item(*sides[:3]), _item(*sides[3:]))
            for key, token, position, *sides in cursor.fetchall()
        ]


def _item(external_id: str, warning: str, parts: list[list] | None) -> ItemShown:
    return ItemShown(external_id, warning, [PartShown(*part) for part in parts or []])
