"""The collection's counts, kept up to date by difference: what was counted of changed pairs goes, what is there comes.

Everything that agreement, progress, labels, people and conflicts need adds up over pairs, in whole numbers. Pairs with
neighbouring keys form a block; a Block row holds what its pairs add, and a Tally row is the sum of one count over all
blocks. So a refresh reads the changed blocks alone, and nothing drifts: both tables are pure functions of seats,
judgments, resolutions, reports and reference labels, and counting everything again gives the same rows.

A count is named by words: what is counted, then keys and grades.

    judgments                          judgments ever given, counting or not
    given PLANNED GRADE ...            pairs by the grades of their labels: first the PLANNED ones that were asked for
                                       whatever others said (why: first or double), then the rest (why: disagreement
                                       or top-up); within both in the order of the seats
    several QUERY PLANNED GRADE ...    the same of a query's pairs, where they have two labels or more
    said ANNOTATOR PURPOSE GRADE       judgments that count for a seat
    time ANNOTATOR TENTHS              the same by active time, rounded to tenths of a second
    gold ANNOTATOR GRADE TRUTH         answers to golds in use, with the gold's grade
    repeat ANNOTATOR QUERY FIRST SECOND   pairs of a query that came back to her, with both her grades
    shared ANNOTATOR, equal ANNOTATOR  other people's labels on the pairs she labelled; those equal to hers
    resolution STATUS GRADE            pairs by resolution; GRADE is "-" where there is none
    pairs ROUND STATE                  a round's pairs by state, see annotate/core/pair_states.py
    wanted STATE                       pairs of rounds for labels, each once
    left ROUND, done ROUND             seats for labels: without one yet, with one
    conflict REFERENCE GRADE SAID      pairs that a reference set and people both graded
    rules                              which RULES the counts follow
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection

from annotate.models import Collection
from metrics.models import BLOCK_SIZE, Block, Tally
from metrics.services.count_sql import COUNTS_OF_ALL, COUNTS_OF_SOME

RULES = 8  # changes when the same rows would give other counts
MANY = 2_000  # changed blocks from which on all are counted again

_SUMS = "SELECT key, sum(n)::bigint FROM moved, unnest(keys, numbers) AS counted(key, n) GROUP BY key"
_FORGET = f"""
    WITH moved AS (
        DELETE FROM metrics_block WHERE collection_id = %(collection)s AND number = ANY(%(blocks)s::bigint[])
        RETURNING keys, numbers)
    {_SUMS}
"""  # noqa: S608 - own text
_COUNT = """
    WITH {counts},
    moved AS (
        INSERT INTO metrics_block (collection_id, number, keys, numbers)
        SELECT %(collection)s, block, array_agg(key), array_agg(n) FROM counted GROUP BY block
        RETURNING keys, numbers)
    {sums}
"""
_COUNT_ALL = _COUNT.format(counts=COUNTS_OF_ALL, sums=_SUMS)
_COUNT_SOME = _COUNT.format(counts=COUNTS_OF_SOME, sums=_SUMS)
_DRIFTED = f"""
    WITH {COUNTS_OF_ALL},
    kept AS (
        SELECT number AS block, said.key, said.n FROM metrics_block, unnest(keys, numbers) AS said(key, n)
        WHERE collection_id = %(collection)s)
    SELECT block, key, kept.n, counted.n FROM counted FULL JOIN kept USING (block, key)
    WHERE counted.n IS DISTINCT FROM kept.n AND block NOT IN (
        SELECT pair_id / {BLOCK_SIZE} FROM annotate_change WHERE collection_id = %(collection)s)
    ORDER BY block, key
"""  # noqa: S608 - own text
_ADD = """
    INSERT INTO metrics_tally (collection_id, key, n)
    SELECT %s, key, n FROM unnest(%s::text[], %s::bigint[]) AS more(key, n)
    ON CONFLICT (collection_id, key) DO UPDATE SET n = metrics_tally.n + excluded.n
"""


# A row a sequence of grades rather than a row a count: of these there are as many as queries, and more.
_SEVERAL = """
    SELECT labels, array_agg(query ORDER BY query), array_agg(n ORDER BY query)
    FROM (SELECT query::bigint, substr(key, 10 + length(query)) AS labels, n  -- what stands behind "several QUERY "
          FROM metrics_tally, split_part(key, ' ', 2) AS query
          WHERE collection_id = %s AND key LIKE 'several %%') counted
    GROUP BY labels ORDER BY labels
"""


class Several(NamedTuple):
    """Pairs whose labels are these grades, the planned ones first: n of each query."""

    n_planned: int
    grades: list[int]
    queries: list[int]
    n: list[int]


class Tallies(NamedTuple):
    """The sums of all counts of a collection, by their first word: the words after it, and the number.

    several : those of that name
    """

    by_name: Mapping[str, list[tuple[list[str], int]]]
    several: list[Several]

    def rows(self, name: str) -> list[tuple[list[str], int]]:
        """The counts of that name."""
        return self.by_name.get(name, [])

    def number(self, *words: object) -> int:
        """The one count of that name."""
        name, *rest = map(str, words)
        return sum(n for words, n in self.rows(name) if words == rest)


def read_tallies(*, collection: Collection) -> Tallies:
    """The counts as the last update left them; two queries."""
    by_name: dict[str, list[tuple[list[str], int]]] = {}
    rows = Tally.objects.filter(collection=collection).exclude(key__startswith="several ").order_by("key")
    for key, n in rows.values_list("key", "n"):
        name, *words = key.split(" ")
        by_name.setdefault(name, []).append((words, n))
    with connection.cursor() as cursor:
        cursor.execute(_SEVERAL, [collection.pk])
        return Tallies(by_name, [_several(*row) for row in cursor.fetchall()])


def _several(labels: str, queries: list[int], n: list[int]) -> Several:
    n_planned, *grades = map(int, labels.split())
    return Several(n_planned, grades, queries, n)


def update_tallies(*, collection: Collection, pairs: Iterable[int] | None) -> None:
    """Let the counts be those of this moment; to be called by one at a time a collection.

    pairs : the keys of those that may have changed; None means all. All are counted, too, where nothing was counted
        before or by other rules.
    """
    blocks = None if pairs is None else sorted({pair // BLOCK_SIZE for pair in pairs})
    if blocks is None or len(blocks) > MANY or not _is_counted(collection):
        _count_all(collection)
    elif blocks:
        _count_again(collection, blocks)


def drifted(*, collection: Collection) -> list[tuple[int, str, int | None, int | None]]:
    """What a recount finds different: block, key, the number kept and the true one, None for none; writes nothing.

    Blocks whose changes wait for a refresh are left out.
    """
    return _fetch(_DRIFTED, collection)


def _is_counted(collection: Collection) -> bool:
    return Tally.objects.filter(collection=collection, key="rules", n=RULES).exists()


def _count_all(collection: Collection) -> None:
    Block.objects.filter(collection=collection).delete()
    Tally.objects.filter(collection=collection).delete()
    _add(collection, {**dict(_fetch(_COUNT_ALL, collection)), "rules": RULES})


def _count_again(collection: Collection, blocks: list[int]) -> None:
    with connection.cursor() as cursor:
        # Changed pairs are few and were touched a moment ago: their rows lie in memory, whatever the planner thinks.
        cursor.execute("SELECT set_config('random_page_cost', '1.1', true)")
    before = dict(_fetch(_FORGET, collection, blocks))
    change = Counter(dict(_fetch(_COUNT_SOME, collection, blocks)))
    change.subtract(before)
    _add(collection, change)


def _fetch(sql: str, collection: Collection, blocks: Sequence[int] = ()) -> list[Any]:
    pairs = [block * BLOCK_SIZE + place for block in blocks for place in range(BLOCK_SIZE)]
    # As text: the keys stand in the statement a dozen times, and a list is put into words anew each time.
    arguments = {"collection": collection.pk, "blocks": _array(blocks), "pairs": _array(pairs)}
    with connection.cursor() as cursor:
        cursor.execute(sql, arguments)
        return cursor.fetchall()


def _array(numbers: Sequence[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _add(collection: Collection, change: Mapping[str, int]) -> None:
    keys = [key for key, n in change.items() if n]
    with connection.cursor() as cursor:
        cursor.execute(_ADD, [collection.pk, keys, [change[key] for key in keys]])
    Tally.objects.filter(collection=collection, key__in=keys, n=0).delete()
