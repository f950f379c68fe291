"""Search for items of a collection by their ids and words, in bounded time however many there are.

Ids and their beginnings come from the index of ids. Words have none: they are looked for in the
first items of each side, and there in the beginning of the first text.
"""

from typing import NamedTuple

from django.db import connection

from annotate.models import Collection, Direction, Side
from annotate.services.collection.query_sets import EVERYTHING

MAX_ITEMS = 6  # of each side
MAX_WORDS = 8
SCANNED_ITEMS = 10_000
SCANNED_LETTERS = 300
ITEM_LETTERS = 160

# Its limit keeps the database from looking through the texts of all items first.
_FIRST_TEXT = """
    SELECT left(part.text, {n_letters}) AS text FROM annotate_part part
    WHERE part.item_id = {item}.id AND part.kind = 'text' ORDER BY part.position LIMIT 1
"""
# A side's rows by rank: its id, the beginning of its id, its words. Of items that no query set
# holds no page tells: they are left out. The set of all items comes before others.
_MATCHES = f"""
    WITH match AS (
        (SELECT id, 0 AS rank FROM annotate_item
         WHERE collection_id = %(collection)s AND side = %(side)s AND external_id = %(text)s)
        UNION ALL
        (SELECT id, 1 FROM annotate_item
         WHERE collection_id = %(collection)s AND side = %(side)s
           AND external_id LIKE %(beginning)s
         ORDER BY external_id LIMIT %(most)s)
        UNION ALL
        (SELECT first_item.id, 2 FROM (
            SELECT id, external_id FROM annotate_item
            WHERE collection_id = %(collection)s AND side = %(side)s
            ORDER BY external_id LIMIT {SCANNED_ITEMS}
         ) AS first_item
         LEFT JOIN LATERAL ({_FIRST_TEXT.format(item="first_item", n_letters=SCANNED_LETTERS)})
            AS beginning ON true
         WHERE external_id ILIKE %(anywhere)s OR beginning.text ILIKE ALL (%(words)s)
         LIMIT %(most)s)
    ), best AS (
        SELECT id, min(rank) AS rank FROM match GROUP BY id
    )
    SELECT item.external_id, best.rank, query_set.name, coalesce(beginning.text, '')
    FROM best
    JOIN annotate_item item ON item.id = best.id AND item.excluded_at IS NULL
    CROSS JOIN LATERAL (
        SELECT candidate.name FROM annotate_querysetitem member
        JOIN annotate_queryset candidate ON candidate.id = member.query_set_id
        WHERE member.item_id = item.id AND member.part = 'source'
          AND candidate.direction = %(direction)s
        ORDER BY candidate.name <> '{EVERYTHING}', candidate.id LIMIT 1
    ) AS query_set
    LEFT JOIN LATERAL ({_FIRST_TEXT.format(item="item", n_letters=ITEM_LETTERS)})
        AS beginning ON true
    ORDER BY best.rank, item.external_id LIMIT %(most)s
"""  # noqa: S608 - numbers and a name of our own


class ItemMatch(NamedTuple):
    """An item with the text in its id or its words.

    rank : 0 for its whole id, 1 for the beginning of it, 2 for what is elsewhere in it
    query_set : the name of one that has it among its sources
    text : the beginning of its first text, "" where it has none
    """

    external_id: str
    rank: int
    query_set: str
    text: str


def matches(*, collection: Collection, direction: Direction, text: str) -> list[ItemMatch]:
    """The sources of a direction with the text, best first; one query of the database.

    Large and small letters are the same but for the beginnings of ids.
    """
    beginning, *words = (_escaped(part) for part in (text, *text.split()[:MAX_WORDS]))
    values = {
        "collection": collection.pk,
        "side": Side.QUERY if direction == Direction.FORWARD else Side.DOCUMENT,
        "direction": direction,
        "text": text,
        "beginning": f"{beginning}%",
        "anywhere": f"%{beginning}%",
        "words": [f"%{word}%" for word in words],
        "most": MAX_ITEMS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_MATCHES, values)
        return [ItemMatch(*row) for row in cursor.fetchall()]


def _escaped(text: str) -> str:
    r"""A text as it stands in a pattern of LIKE, where \, % and _ mean something else."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
