"""Pools of any size, written by SQL, unknown to the planner; and what work on them reads."""

from typing import NamedTuple

from django.db import connection
from django.utils.timezone import now

from pooling.models import Pool, Run
from pooling.services.pools import pools
from tests import cast
from tests.tables.table_cleanup import MAY_TRUNCATE, empty_tables, tables_of_tests

N_DOCUMENTS, DEPTH = 5_000, 20
FILL = (
    """INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
       SELECT %(c)s, 'query', 'q' || i, 'test', '', '' FROM generate_series(1, %(queries)s) i
       UNION ALL SELECT %(c)s, 'document', 'd' || i, 'test', '', ''
                 FROM generate_series(1, %(documents)s) i""",
    """WITH place AS (SELECT id, side,
                            (row_number() OVER (PARTITION BY side ORDER BY id) - 1)::int AS n
                     FROM annotate_item WHERE collection_id = %(c)s)
       INSERT INTO pooling_ranking (run_id, source_id, targets, scores)
       SELECT %(run)s, q.id, array_agg(d.id ORDER BY k), array_agg(0::float8) FROM place q
       CROSS JOIN LATERAL generate_series(0, %(depth)s - 1 + (q.n < %(deeper)s)::int) k
       JOIN place d ON d.side = 'document' AND d.n = (q.n * 7 + k * 31) %% %(documents)s
       WHERE q.side = 'query' GROUP BY q.id""",
)
TABLES = (
    "annotate_item",
    "annotate_pair",
    "annotate_round",
    "annotate_roundpair",
    "annotate_seat",
    "annotate_resolution",
    "annotate_pairexclusion",
    "pooling_poolpair",
    "pooling_ranking",
)


class Read(NamedTuple):
    """What the server has read here: pages, from its memory or not, and rows, wanted or not."""

    pages: int
    rows: int


def draft(n_queries: int, *, deeper: int = 0, name: str = "large") -> Pool:
    """A draft of twenty pairs a query, of so many queries of one more."""
    collection = cast.collection(name, double_share="0.1", gold_positives=0, gold_negatives=0)
    run = Run.objects.create(
        collection=collection, name="system", direction="forward", state="ready", finished_at=now()
    )
    sizes = {
        "c": collection.pk,
        "run": run.pk,
        "queries": n_queries,
        "documents": N_DOCUMENTS,
        "depth": DEPTH,
        "deeper": deeper,
    }
    with connection.cursor() as cursor:
        for statement in FILL:
            cursor.execute(statement, sizes)
    return pools.create_pool(
        collection=collection,
        name="all",
        strategy="depth-k",
        parameters={"depth": DEPTH + 1},
        runs=[run],
    )


def nothing_is_known() -> None:
    """Let no table have been analysed, and nothing been stored.

    All tables are truncated. Rows that earlier tests deleted, whose keys are used again, would be
    read by index as long as any transaction of the server is older than their end: also one of the
    test that runs beside this one, in a database of its own.
    """
    empty_tables()
    with connection.cursor() as cursor:
        tables = ", ".join(tables_of_tests())
        cursor.execute(f"BEGIN; {MAY_TRUNCATE}; TRUNCATE {tables}; COMMIT")
        cursor.execute(
            "DELETE FROM pg_statistic WHERE starelid = ANY(%s::text[]::regclass[])", [list(TABLES)]
        )


def tables_count_as_empty() -> None:
    """All tables were analysed when their rows were gone, as after a cancelled opening."""
    another_round_is_known()
    empty_tables()
    _analyze()


def another_round_is_known() -> None:
    """All tables were analysed when they held a small pool of another collection."""
    nothing_is_known()
    pools.open_pool(pool=draft(45, name="small"))
    _analyze()


def _analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(TABLES)}")


def read() -> Read:
    """What was read up to now, outside a transaction; nobody else may be in the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT blks_hit + blks_read, tup_returned FROM pg_stat_database WHERE datname = "
            "current_database()"
        )
        return Read(*cursor.fetchone())
