"""The collection's counts, updated by difference.

The old counts of changed pairs are subtracted, their new ones added.

Everything that agreement, progress, labels, people and conflicts need adds up over pairs, in whole
numbers. Pairs with neighbouring keys form a block; a Block row holds what its pairs add, and a
Tally row is the sum of one count over all blocks. So a refresh reads the changed blocks alone, and
nothing drifts: both tables are pure functions of seats, judgments, resolutions, reports and
reference labels, and counting everything again gives the same rows.

The key of a count is its name, then keys and grades.

    judgments                          judgments ever given, counting or not
    given PLANNED GRADE ...            pairs by the grades of their labels: first the PLANNED
                                       ones, requested whatever other labels the pair has (why:
                                       first or double), then the rest (why: disagreement or
                                       top-up); within both in the order of the seats
    several QUERY PLANNED GRADE ...    the same of a query's pairs with two labels or more
    said ANNOTATOR PURPOSE GRADE       judgments that count for a seat
    time ANNOTATOR TENTHS              the same by active time, rounded to tenths of a second
    gold ANNOTATOR GRADE TRUTH         answers to golds in use, with the gold's grade
    repeat ANNOTATOR QUERY FIRST SECOND
                                       pairs of a query that came back to her, and both her grades
    shared ANNOTATOR, equal ANNOTATOR  other people's labels on the pairs she labelled; those
                                       equal to hers
    resolution STATUS GRADE            pairs by resolution; GRADE is "-" where there is none
    pairs ROUND STATE                  a round's pairs by state, see core.labels.pair_states
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
from metrics.services.numbers.count_sql import COUNTS_OF_ALL, COUNTS_OF_SOME

RULES = 8  # changes when the same rows would give other counts
MAX_CHANGED_BLOCKS = 2_000  # changed blocks from which on all are counted again

_SUMS = (
    "SELECT key, sum(n)::bigint FROM changed_block, unnest(keys, numbers) AS entry(key, n) "
    "GROUP BY key"
)
_DELETE_BLOCKS = f"""
    WITH changed_block AS (
        DELETE FROM metrics_block
        WHERE collection_id = %(collection)s AND number = ANY(%(blocks)s::bigint[])
        RETURNING keys, numbers)
    {_SUMS}
"""  # noqa: S608 - own text
_COUNT = """
    WITH {counts},
    changed_block AS (
        INSERT INTO metrics_block (collection_id, number, keys, numbers)
        SELECT %(collection)s, block, array_agg(key), array_agg(n) FROM pair_count GROUP BY block
        RETURNING keys, numbers)
    {sums}
"""
_COUNT_ALL = _COUNT.format(counts=COUNTS_OF_ALL, sums=_SUMS)
_COUNT_SOME = _COUNT.format(counts=COUNTS_OF_SOME, sums=_SUMS)
_SUM_OF_BLOCKS = f"""
    WITH changed_block AS (
        SELECT keys, numbers FROM metrics_block
        WHERE collection_id = %(collection)s AND number = ANY(%(blocks)s::bigint[]))
    {_SUMS}
"""  # noqa: S608 - own text
_SUM = "WITH {counts} SELECT key, sum(n)::bigint FROM pair_count GROUP BY key"
# sums over all pairs need no blocks: a few groups instead of one a block and key
_SUM_OF_ALL = _SUM.format(
    counts=COUNTS_OF_ALL.replace(f"pair_id / {BLOCK_SIZE} AS block", "0 AS block")
)
_SUM_OF_SOME = _SUM.format(counts=COUNTS_OF_SOME)
_DRIFT = f"""
    WITH {COUNTS_OF_ALL},
    stored_count AS (
        SELECT number AS block, entry.key, entry.n
        FROM metrics_block, unnest(keys, numbers) AS entry(key, n)
        WHERE collection_id = %(collection)s)
    SELECT block, key, stored_count.n, pair_count.n
    FROM pair_count FULL JOIN stored_count USING (block, key)
    WHERE pair_count.n IS DISTINCT FROM stored_count.n AND block NOT IN (
        SELECT pair_id / {BLOCK_SIZE} FROM annotate_change WHERE collection_id = %(collection)s)
    ORDER BY block, key
"""  # noqa: S608 - own text
_ADD_TO_TALLIES = """
    INSERT INTO metrics_tally (collection_id, key, n)
    SELECT %s, key, n FROM unnest(%s::text[], %s::bigint[]) AS change(key, n)
    ON CONFLICT (collection_id, key) DO UPDATE SET n = metrics_tally.n + excluded.n
"""


# A row a sequence of grades rather than a row a count: there are at least as many counts as
# queries.
_SHARED_PAIRS = """
    SELECT labels, array_agg(query ORDER BY query), array_agg(n ORDER BY query)
    FROM (-- labels: the text after "several QUERY "
          SELECT query::bigint, substr(key, 10 + length(query)) AS labels, n
          FROM metrics_tally, split_part(key, ' ', 2) AS query
          WHERE collection_id = %s AND key LIKE 'several %%') several
    GROUP BY labels ORDER BY labels
"""


class SharedPairs(NamedTuple):
    """Numbers of pairs with these grades, the planned ones first: n[i] pairs of queries[i]."""

    n_planned: int
    grades: list[int]
    queries: list[int]
    n: list[int]


class CollectionTallies(NamedTuple):
    """The sums of all counts of a collection.

    by_name : by their first word: the words after it, and the number
    shared_pairs : the counts named "several"
    """

    by_name: Mapping[str, list[tuple[list[str], int]]]
    shared_pairs: list[SharedPairs]

    def rows(self, name: str) -> list[tuple[list[str], int]]:
        """The counts of a name, as the words after it and the number."""
        return self.by_name.get(name, [])

    def number(self, *words: object) -> int:
        """The number of the single count with these words."""
        name, *further_words = map(str, words)
        return sum(n for words, n in self.rows(name) if words == further_words)


def read_tallies(*, collection: Collection) -> CollectionTallies:
    """The stored counts; two database queries."""
    rows = (
        Tally.objects.filter(collection=collection)
        .exclude(key__startswith="several ")
        .order_by("key")
    )
    by_name = _by_name(rows.values_list("key", "n"))
    with connection.cursor() as cursor:
        cursor.execute(_SHARED_PAIRS, [collection.pk])
        shared_pairs = []
        for labels, queries, numbers in cursor.fetchall():
            n_planned, *grades = map(int, labels.split())
            shared_pairs.append(SharedPairs(n_planned, grades, queries, numbers))
    return CollectionTallies(by_name, shared_pairs)


def current_tallies(*, collection: Collection, pairs: Iterable[int] | None) -> CollectionTallies:
    """The counts as `update_tallies` would leave them; it writes nothing. Four queries at most.

    pairs : keys of the pairs that may have changed since the counts were stored; None means all
    """
    blocks = None if pairs is None else sorted({pair // BLOCK_SIZE for pair in pairs})
    n_by_key = dict(Tally.objects.filter(collection=collection).values_list("key", "n"))
    if blocks is None or len(blocks) > MAX_CHANGED_BLOCKS or n_by_key.pop("rules", None) != RULES:
        return _tallies_of(_fetch_rows(_SUM_OF_ALL, collection))
    counts = Counter(n_by_key)
    if blocks:
        _expect_rows_in_memory()
        counts.update(dict(_fetch_rows(_SUM_OF_SOME, collection, blocks)))
        counts.subtract(dict(_fetch_rows(_SUM_OF_BLOCKS, collection, blocks)))
    return _tallies_of((key, n) for key, n in counts.items() if n)


def _tallies_of(counts: Iterable[tuple[str, int]]) -> CollectionTallies:
    by_name = _by_name(sorted(counts))
    queries_by_labels: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for (query, *labels), n in by_name.pop("several", []):
        queries_by_labels.setdefault(tuple(labels), []).append((int(query), n))
    shared_pairs = []
    for (n_planned, *grades), numbers in sorted(queries_by_labels.items()):
        queries, ns = zip(*sorted(numbers), strict=True)
        shared_pairs.append(
            SharedPairs(int(n_planned), [*map(int, grades)], list(queries), list(ns))
        )
    return CollectionTallies(by_name, shared_pairs)


def _by_name(rows: Iterable[tuple[str, int]]) -> dict[str, list[tuple[list[str], int]]]:
    by_name: dict[str, list[tuple[list[str], int]]] = {}
    for key, n in rows:
        name, *words = key.split(" ")
        by_name.setdefault(name, []).append((words, n))
    return by_name


def update_tallies(*, collection: Collection, pairs: Iterable[int] | None) -> None:
    """Bring the counts up to date; only one call at a time may run for a collection.

    pairs : keys of the pairs that may have changed; None means all. All are counted, too, where
        there are no counts yet or counts by other rules.
    """
    blocks = None if pairs is None else sorted({pair // BLOCK_SIZE for pair in pairs})
    tallies = Tally.objects.filter(collection=collection)
    current_rules = tallies.filter(key="rules", n=RULES)
    if blocks is None or len(blocks) > MAX_CHANGED_BLOCKS or not current_rules.exists():
        Block.objects.filter(collection=collection).delete()
        tallies.delete()
        _add(collection, {**dict(_fetch_rows(_COUNT_ALL, collection)), "rules": RULES})
    elif blocks:
        _count_again(collection, blocks)


def drift(*, collection: Collection) -> list[tuple[int, str, int | None, int | None]]:
    """Differences from a recount: block, key, stored and true number, None where missing.

    It writes nothing. Blocks whose changes wait for a refresh are left out.
    """
    return _fetch_rows(_DRIFT, collection)


def _count_again(collection: Collection, blocks: list[int]) -> None:
    _expect_rows_in_memory()
    old_counts = dict(_fetch_rows(_DELETE_BLOCKS, collection, blocks))
    changes = Counter(dict(_fetch_rows(_COUNT_SOME, collection, blocks)))
    changes.subtract(old_counts)
    _add(collection, changes)


def _expect_rows_in_memory() -> None:
    """Tell the planner so for the rest of the transaction.

    Changed pairs are few and were touched a moment ago, whatever it expects.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('random_page_cost', '1.1', true)")


def _fetch_rows(sql: str, collection: Collection, blocks: Sequence[int] = ()) -> list[Any]:
    pairs = [block * BLOCK_SIZE + offset for block in blocks for offset in range(BLOCK_SIZE)]
    # As text: the statement names the keys a dozen times, and a list would be formatted each time.
    arguments: dict[str, int | str] = {
        "collection": collection.pk,
        "blocks": _array(blocks),
        "pairs": _array(pairs),
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, arguments)
        return cursor.fetchall()


def _array(numbers: Sequence[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _add(collection: Collection, changes: Mapping[str, int]) -> None:
    keys = [key for key, n in changes.items() if n]
    with connection.cursor() as cursor:
        cursor.execute(_ADD_TO_TALLIES, [collection.pk, keys, [changes[key] for key in keys]])
    Tally.objects.filter(collection=collection, key__in=keys, n=0).delete()
