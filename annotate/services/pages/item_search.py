"""Search for items of a collection by their ids and words, in bounded time however many there are.

Ids and their beginnings come from the index of ids. Words have none: they are looked for in the
first items of each side, and there in the beginning of the first text.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from annotate.core.phrases import counted, enumeration
from annotate.models import Collection, Direction, Item, Side
from annotate.services.collection.query_sets import EVERYTHING
from annotate.services.seating.in_use import item_in_use

MAX_ITEMS = 6  # of each side
MAX_COUNTED = 100  # matches of a side; more are "more than 100"
MAX_WORDS = 8
SCANNED_ITEMS = 10_000
SCANNED_LETTERS = 300

# Its limit keeps the database from looking through the texts of all items first.
_FIRST_TEXT = f"""
    SELECT left(part.text, {SCANNED_LETTERS}) AS text FROM annotate_part part
    WHERE part.item_id = first_item.id AND part.kind = 'text' ORDER BY part.position LIMIT 1
"""  # noqa: S608 - a number of our own
# A side's rows by rank: its id, the beginning of its id, its words. The set of all items comes
# before other query sets.
_MATCHES = f"""
    WITH match AS (
        (SELECT id, 0 AS rank FROM annotate_item
         WHERE collection_id = %(collection)s AND side = %(side)s AND external_id = %(text)s)
        UNION ALL
        (SELECT id, 1 FROM annotate_item
         WHERE collection_id = %(collection)s AND side = %(side)s
           AND external_id LIKE %(beginning)s AND {item_in_use("annotate_item")}
         ORDER BY external_id LIMIT {MAX_COUNTED + 1})
        UNION ALL
        (SELECT first_item.id, 2 FROM (
            SELECT id, external_id, split, excluded_at FROM annotate_item
            WHERE collection_id = %(collection)s AND side = %(side)s
            ORDER BY external_id LIMIT {SCANNED_ITEMS}
         ) AS first_item
         LEFT JOIN LATERAL ({_FIRST_TEXT}) AS beginning ON true
         WHERE (external_id ILIKE %(anywhere)s OR beginning.text ILIKE ALL (%(words)s))
           AND {item_in_use("first_item")}
         LIMIT {MAX_COUNTED + 1})
    ), best AS (
        SELECT id, min(rank) AS rank FROM match GROUP BY id
    )
    SELECT item.id, best.rank, coalesce(query_set.name, ''),
           count(*) OVER ()
    FROM best
    JOIN annotate_item item ON item.id = best.id AND {item_in_use("item")}
    LEFT JOIN LATERAL (
        SELECT candidate.name FROM annotate_querysetitem member
        JOIN annotate_queryset candidate ON candidate.id = member.query_set_id
        WHERE member.item_id = item.id AND member.part = 'source'
          AND candidate.direction = %(direction)s
        ORDER BY candidate.name <> '{EVERYTHING}', candidate.id LIMIT 1
    ) AS query_set ON true
    ORDER BY best.rank, item.external_id LIMIT %(most)s
"""  # noqa: S608 - numbers and a name of our own


class ItemMatch(NamedTuple):
    """An item in use with the text in its id or its words.

    item : with its parts
    rank : 0 for its whole id, 1 for the beginning of it, 2 for what is elsewhere in it
    query_set : the name of one that has it among its sources, "" where none has
    """

    item: Item
    rank: int
    query_set: str


class ItemMatches(NamedTuple):
    """The first items with a text, best first, and the number of all of them.

    n : 0 to MAX_COUNTED + 1, which stands for all numbers above MAX_COUNTED
    """

    first: list[ItemMatch]
    n: int


class ItemChoice(NamedTuple):
    """The items of a side that fit a text, from which one is chosen.

    n : of all that fit, as in ItemMatches
    note : on words that were not looked through, "" where all were
    """

    side: Side
    text: str
    items: list[Item]
    n: int
    note: str

    @property
    def status(self) -> str:
        """The number of items in words, or that there are none and what to try."""
        if not self.items:
            words = f"No {self.side} in use with “{self.text}”: try the beginning of its id."
        else:
            words = f"{count_text(self.n, len(self.items), self.side.value)}."
        return f"{words} {self.note}".rstrip()


def count_text(n: int, n_first: int, noun: str) -> str:
    """The number of matches: "1 query", "First 6 of 34 queries", "First 6 of over 100 queries".

    n : as in ItemMatches; n_first : of those that are listed
    """
    if n <= n_first:
        return counted(n, noun)
    is_capped = n > MAX_COUNTED
    return f"First {n_first} of {'over ' if is_capped else ''}{counted(n - is_capped, noun)}"


def matches(*, collection: Collection, side: Side, text: str) -> ItemMatches:
    """The items of a side with the text, best first; three queries of the database at most.

    Large and small letters are the same but for the beginnings of ids.
    """
    beginning, *words = (_escaped(part) for part in (text, *text.split()[:MAX_WORDS]))
    direction = Direction.FORWARD if side == Side.QUERY else Direction.REVERSE
    values: dict[str, int | str | list[str]] = {
        "collection": collection.pk,
        "side": side,
        "direction": direction,
        "text": text,
        "beginning": f"{beginning}%",
        "anywhere": f"%{beginning}%",
        "words": [f"%{word}%" for word in words],
        "most": MAX_ITEMS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_MATCHES, values)
        rows = cursor.fetchall()
    items = Item.objects.prefetch_related("parts").in_bulk([key for key, *_ in rows])
    first = [ItemMatch(items[key], rank, query_set) for key, rank, query_set, *_ in rows]
    return ItemMatches(first, min(rows[0][3], MAX_COUNTED + 1) if rows else 0)


def words_note(*, collection: Collection, sides: Sequence[Side]) -> str:
    """A sentence on the sides of which not all words are looked through; "" where all are."""
    nouns = {Side.QUERY: "queries", Side.DOCUMENT: "documents"}
    long_sides = [
        nouns[side]
        for side in sides
        if collection.items.filter(side=side).order_by("external_id")[SCANNED_ITEMS:].exists()
    ]
    if not long_sides:
        return ""
    return (
        f"Ids are looked for in all, words in the first {SCANNED_ITEMS:,} "
        f"{enumeration(long_sides)}."
    )


def _escaped(text: str) -> str:
    r"""A text as it stands in a pattern of LIKE, where \, % and _ mean something else."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
