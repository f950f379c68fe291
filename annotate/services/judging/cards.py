"""The cards an annotator's browser gets next, and her own figures with them.

They are read with every answer, a hundred times a second on a busy day: one statement, written out.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from annotate.core.labels.cards import Card, CardItem, CardPart
from annotate.models import Annotator
from annotate.statements import SqlValue, prepared_cursor

# The card to judge and ten behind it, so that a minute without network stops nobody. A browser gets
# each once: of those it holds already an answer names the tokens alone.
N_CARDS = 11
# The open hand-outs, next one first, deferred ones last; the first is on screen from now on.
_NEXT = """
    WITH next AS (
        SELECT hand_out.id, hand_out.token = ANY(%(at_hand)s::uuid[]) AS is_at_hand,
               row_number() OVER (ORDER BY batch.number, hand_out.deferred_at NULLS FIRST,
                                  hand_out.position) AS rank
        FROM annotate_handout hand_out
        JOIN annotate_batch batch ON batch.id = hand_out.batch_id
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        WHERE batch.annotator_id = %(annotator)s AND hand_out.answered_at IS NULL
          AND seat.purpose <> 'training'
          AND (NOT %(only_held)s OR seat.state = 'held' AND seat.annotator_id = %(annotator)s)
        ORDER BY rank LIMIT %(limit)s),
    first_shown AS (
        UPDATE annotate_handout SET shown_at = clock_timestamp()
        WHERE id = (SELECT id FROM next WHERE rank = 1) AND shown_at IS NULL)
"""
_REQUESTED = """
    WITH next AS (
        SELECT id, false AS is_at_hand, rank
        FROM unnest(%(hand_outs)s::bigint[]) WITH ORDINALITY AS requested(id, rank))
"""
_CARDS = """
    SELECT next.rank, next.is_at_hand, hand_out.id, hand_out.token, hand_out.position,
           query.external_id AS query, query.warning AS query_warning, query.parts AS query_parts,
           document.external_id AS document, document.warning AS document_warning,
           document.parts AS document_parts
    FROM next
    JOIN annotate_handout hand_out ON hand_out.id = next.id
    JOIN annotate_seat seat ON seat.id = hand_out.seat_id
    JOIN annotate_pair pair ON pair.id = seat.pair_id
    LEFT JOIN LATERAL (
        SELECT item.external_id, item.warning, (
            SELECT json_agg(json_build_array(part.id, part.kind, part.text, part.path,
                                             part.start, part.end, part.type, part.also,
                                             part.looked_at IS NOT NULL, part.checksum)
                            ORDER BY part.position)
            FROM annotate_part part WHERE part.item_id = item.id) AS parts
        FROM annotate_item item
        WHERE item.id = pair.query_id AND NOT next.is_at_hand) query ON true
    LEFT JOIN LATERAL (
        SELECT item.external_id, item.warning, (
            SELECT json_agg(json_build_array(part.id, part.kind, part.text, part.path,
                                             part.start, part.end, part.type, part.also,
                                             part.looked_at IS NOT NULL, part.checksum)
                            ORDER BY part.position)
            FROM annotate_part part WHERE part.item_id = item.id) AS parts
        FROM annotate_item item
        WHERE item.id = pair.document_id AND NOT next.is_at_hand) document ON true
"""
# Answers of the last 24 hours are the chains that began in them and do not end in an undone answer,
# whatever the day is where their author lives; what became of an answer is looked up for the few
# that were ever undone.
_LAST_DAY = """,
    last_day AS (
        SELECT id, supersedes_id FROM annotate_judgment
        WHERE annotator_id = %(annotator)s AND purpose <> 'training'
          AND at >= now() - interval '24 hours')
"""
# The batch is that of the next card, else the newest. Golds have a round of their own, whose policy
# asks for no reasons by itself.
_CONTEXT = """
    SELECT (SELECT count(*) FILTER (WHERE supersedes_id IS NULL) - count(*) FILTER (WHERE EXISTS (
                SELECT FROM annotate_judgmentevent event
                WHERE event.judgment_id = last_day.id AND event.kind = 'undone')
                AND (SELECT outcome FROM annotate_judgmentoutcome standing
                     WHERE standing.judgment_id = last_day.id) = 'undone')
            FROM last_day) AS n_last_day,
           guidelines.version, guidelines.at,
           batch.number - (SELECT count(*) FROM annotate_trainingtry try
                           JOIN annotate_batch training ON training.id = try.batch_id
                           WHERE try.annotator_id = %(annotator)s
                             AND training.number < batch.number) AS judging_number,
           counts.n, counts.n_left, counts.n_asking
    FROM (SELECT) one_row
    LEFT JOIN (SELECT id, number FROM annotate_batch
          WHERE annotator_id = %(annotator)s
            AND id = coalesce((SELECT hand_out.batch_id FROM annotate_handout hand_out
                               JOIN next ON next.id = hand_out.id
                               WHERE next.rank = 1), id)
            AND NOT EXISTS (SELECT FROM annotate_trainingtry try
                            WHERE try.batch_id = annotate_batch.id)
          ORDER BY number DESC LIMIT 1) batch ON true
    LEFT JOIN LATERAL (
        SELECT count(*) AS n, count(*) FILTER (WHERE hand_out.answered_at IS NULL) AS n_left,
               count(*) FILTER (WHERE policy.ask_reasons AND seat.purpose <> 'gold') AS n_asking
        FROM annotate_handout hand_out
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        JOIN annotate_round round ON round.id = seat.round_id
        JOIN annotate_policy policy ON policy.id = round.policy_id
        WHERE hand_out.batch_id = batch.id) counts ON true
    LEFT JOIN LATERAL (
        SELECT version, at FROM annotate_guidelines WHERE collection_id = %(collection)s
        ORDER BY version DESC LIMIT 1) guidelines ON true
"""
_CARDS_AND_CONTEXT = f"""
    {_LAST_DAY} SELECT context.*, card.*
    FROM ({_CONTEXT}) context LEFT JOIN ({_CARDS}) card ON true ORDER BY card.rank
"""  # noqa: S608 - own text
_N_CONTEXT_COLUMNS = 7  # columns of _CONTEXT


class _CardRow(NamedTuple):
    """A row of _CARDS; of a card at hand without what it shows, and empty where there is none."""

    rank: int | None
    is_at_hand: bool
    hand_out: int
    token: UUID
    position: int
    query: str
    query_warning: str
    query_parts: list[list] | None
    document: str
    document_warning: str
    document_parts: list[list] | None


class NextCards(NamedTuple):
    """The cards that a person's browser is to hold.

    order : tokens of the hand-outs, the one to judge first
    cards : the cards of those that the browser does not hold yet, in the same order
    """

    order: list[UUID]
    cards: list[Card]


class CardContext(NamedTuple):
    """The figures sent with the cards.

    n_last_day : pairs this person judged in the last 24 hours
    guidelines : version of the newest guidelines
    batch, n, n_left : number of the batch, its pairs, and those that wait for an answer; 0 before
        the first batch
    asks_reasons : the same for all of a batch, so that it distinguishes no card from another
    """

    n_last_day: int
    guidelines: int | None
    guidelines_at: datetime | None
    batch: int
    n: int
    n_left: int
    asks_reasons: bool


def next_cards(
    *, annotator: Annotator, at_hand: Sequence[UUID] = ()
) -> tuple[NextCards, CardContext]:
    """Return the next cards, N_CARDS at most, and their context; the first is shown from now on.

    at_hand : tokens of the hand-outs whose cards the browser holds

    No cards while she is paused; in an archived collection those that she still holds.
    """
    rows, context = _read(
        _NEXT,
        annotator,
        at_hand=list(at_hand),
        only_held=annotator.collection.archived_at is not None,
        limit=0 if annotator.paused_at is not None else N_CARDS,
    )
    new_cards = [_card(row) for row in rows if not row.is_at_hand]
    return NextCards([row.token for row in rows], new_cards), context


def card(*, annotator: Annotator, hand_out: int) -> tuple[Card, CardContext]:
    """Return the card of one of her hand-outs, answered or not, and its context."""
    (row,), context = _read(_REQUESTED, annotator, hand_outs=[hand_out])
    return _card(row), context


def card_context(*, annotator: Annotator) -> CardContext:
    """Return the context alone, for a screen without a card."""
    return _read(_REQUESTED, annotator, hand_outs=[])[1]


def cards_of(*, hand_outs: Sequence[int]) -> list[Card]:
    """Return the cards of these hand-outs, in this order; one query."""
    with prepared_cursor() as cursor:
        cursor.execute(f"{_REQUESTED} {_CARDS} ORDER BY next.rank", {"hand_outs": list(hand_outs)})
        return [_card(_CardRow(*row)) for row in cursor.fetchall()]


def _read(
    with_clause: str, annotator: Annotator, **parameters: SqlValue
) -> tuple[list[_CardRow], CardContext]:
    """Return the rows of the cards that a WITH clause selects, and their context."""
    with prepared_cursor() as cursor:
        cursor.execute(
            with_clause + _CARDS_AND_CONTEXT,
            {"annotator": annotator.pk, "collection": annotator.collection_id, **parameters},
        )
        rows = cursor.fetchall()
    n_last_day, version, at, number, n, n_left, n_asking = rows[0][:_N_CONTEXT_COLUMNS]
    context = CardContext(
        max(0, n_last_day), version, at, number or 0, n or 0, n_left or 0, bool(n_asking)
    )
    card_rows = [_CardRow(*row[_N_CONTEXT_COLUMNS:]) for row in rows]
    return [row for row in card_rows if row.rank is not None], context


def _card(row: _CardRow) -> Card:
    """Return the card of a row of _CARDS."""
    return Card(
        row.hand_out,
        row.token,
        row.position,
        _item(row.query, row.query_warning, row.query_parts),
        _item(row.document, row.document_warning, row.document_parts),
    )


def _item(external_id: str, warning: str, parts: list[list] | None) -> CardItem:
    return CardItem(external_id, warning, [CardPart(*part) for part in parts or []])
