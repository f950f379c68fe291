"""Provenance of pairs at 100 runs x 27,763 queries x 100 results, and the size of the database.

Run: python3 manage.py test --heavy -s tests/benchmarks/pools/test_provenance.py
It takes minutes and some 7 GB of disk. Smaller: ASSAYER_BENCH_RUNS=10, ASSAYER_BENCH_QUERIES=2776.
"""

import os
import random
import statistics
import time
from collections.abc import Callable

import pytest
from django.db import connection

from annotate.models import Pair
from pooling.models import Pool, Run
from pooling.pair_filter import PairFilter
from pooling.services.pages import pool_pairs, provenance
from tests import cast

pytestmark = [pytest.mark.heavy, pytest.mark.django_db, pytest.mark.timeout(3600)]
N_RUNS = int(os.environ.get("ASSAYER_BENCH_RUNS", "100"))
N_QUERIES = int(os.environ.get("ASSAYER_BENCH_QUERIES", "27763"))
N_DOCUMENTS, DEPTH, POOLED, POOL_DEPTH = 5_000, 100, 3, 10
ITEMS = """
    INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
    SELECT %(c)s, 'query', 'q' || i, 'test', '', '' FROM generate_series(1, %(queries)s) i
    UNION ALL SELECT %(c)s, 'document', 'd' || i, 'test', '', ''
    FROM generate_series(0, %(documents)s - 1) i
"""
NUMBERED_ITEMS = """
    CREATE TEMPORARY TABLE numbered_item AS
    SELECT id, side, (row_number() OVER (PARTITION BY side ORDER BY id) - 1)::int AS n
    FROM annotate_item WHERE collection_id = %(c)s
"""
# Steps without a common factor with 5,000 reach different documents, which have consecutive keys.
RANKINGS = """
    INSERT INTO pooling_ranking (run_id, source_id, targets, scores)
    SELECT %(run)s, q.id,
           ARRAY(SELECT %(first)s + (q.n * 37 + %(nth)s * 101
                     + i * (CASE %(nth)s %% 4 WHEN 0 THEN 1 WHEN 1 THEN 3 WHEN 2 THEN 7
                            ELSE 9 END)::bigint) %% %(documents)s
                 FROM generate_series(0, %(depth)s - 1) i),
           ARRAY(SELECT (1 - i * 0.003 - random() * 0.001)::real::float8
                 FROM generate_series(0, %(depth)s - 1) i)
    FROM numbered_item q WHERE q.side = 'query'
"""
PAIRS = """
    WITH ranked AS (
        SELECT DISTINCT ranking.source_id, target
        FROM pooling_ranking ranking, unnest(targets[1:%(top)s]) target
        WHERE run_id = ANY(%(pooled)s)
    ), new_pair AS (
        INSERT INTO annotate_pair (collection_id, query_id, document_id)
        SELECT %(c)s, source_id, target FROM ranked ORDER BY 1, 2 RETURNING id
    ) INSERT INTO pooling_poolpair (pool_id, pair_id, best_rank, stratum, inclusion_probability)
      SELECT %(pool)s, id, 1, 0, 1 FROM new_pair
"""
TABLES = ("pooling_ranking", "annotate_pair", "pooling_poolpair", "annotate_item")
NARROW = {
    "int4[] and float4[]": "targets::int4[], scores::float4[]",
    "int4[] and float8[]": "targets::int4[], scores",
    "bigint[] and float8[] (as it is)": "targets, scores",
}


def run_sql(statement: str, **values: object) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def percentiles_ms(
    work: Callable[[object], object], arguments: list[object]
) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds."""
    spent = []
    for argument in arguments:
        start = time.perf_counter()
        work(argument)
        spent.append(1000 * (time.perf_counter() - start))
    return statistics.median(spent), sorted(spent)[int(0.95 * len(spent))]


def pool_of_large_runs() -> tuple[Pool, list[Run], float]:
    """A pool of some of N_RUNS runs, all the runs, and the seconds that their rankings took."""
    collection = cast.collection()
    fields = {
        "collection": collection,
        "direction": "forward",
        "state": "ready",
        "finished_at": collection.created_at,
    }
    runs = Run.objects.bulk_create(Run(name=f"run {n}", **fields) for n in range(N_RUNS))
    run_sql(ITEMS, c=collection.pk, queries=N_QUERIES, documents=N_DOCUMENTS)
    run_sql(NUMBERED_ITEMS, c=collection.pk)
    first = run_sql("SELECT min(id) FROM numbered_item WHERE side = 'document'")[0][0]
    start = time.perf_counter()
    for nth, run in enumerate(runs):
        run_sql(RANKINGS, run=run.pk, nth=nth, first=first, documents=N_DOCUMENTS, depth=DEPTH)
    loading = time.perf_counter() - start
    pool = Pool.objects.create(
        collection=collection, name="depth", strategy="depth-k", parameters={"depth": POOL_DEPTH}
    )
    pool.runs.set(runs[:POOLED])
    run_sql(
        PAIRS,
        c=collection.pk,
        pool=pool.pk,
        top=POOL_DEPTH,
        pooled=[run.pk for run in runs[:POOLED]],
    )
    for table in TABLES:
        run_sql(f"ANALYZE {table}")
    return pool, runs, loading


def test_provenance_at_size(capsys):
    pool, runs, loading = pool_of_large_runs()
    keys = list(Pair.objects.filter(collection=pool.collection).values_list("pk", flat=True))
    chosen = random.Random(4).sample(keys, 300)
    pairs = list(Pair.objects.filter(pk__in=chosen))
    single = percentiles_ms(lambda pair: provenance.origin(pair=pair, viewer=None), pairs)
    starts = [PairFilter(after=key) for key in chosen[:40]]
    page = percentiles_ms(
        lambda request: pool_pairs.pairs_of(pool=pool, pair_filter=request, viewer=None), starts
    )
    of_run = [PairFilter(after=key, run=runs[1]) for key in chosen[:40]]
    filtered = percentiles_ms(
        lambda request: pool_pairs.pairs_of(pool=pool, pair_filter=request, viewer=None), of_run
    )
    assert len(provenance.origin(pair=pairs[0], viewer=None).run_ranks) >= 1
    with capsys.disabled():
        print(
            f"\n{N_RUNS} runs x {N_QUERIES:,} queries x {DEPTH}: "
            f"{N_RUNS * N_QUERIES * DEPTH:,} results"
        )
        print(f"rankings made in SQL in {loading:.0f} s; {len(keys):,} pairs pooled")
        print(
            f"origin of one pair                {single[0]:8.2f} ms median {single[1]:8.2f} ms p95"
        )
        print(f"page of 50 pairs                  {page[0]:8.2f} ms median {page[1]:8.2f} ms p95")
        print(
            f"page of 50 pairs brought by a run {filtered[0]:8.2f} ms median "
            f"{filtered[1]:8.2f} ms p95"
        )
        print_sizes(runs[0])


def print_sizes(run: Run) -> None:
    """Print the sizes of tables, of the database, and of rankings with narrower types."""
    for table in TABLES:
        print(f"{table:34s}{size_of(table):10.1f} MB with its indexes")
    n_bytes = run_sql("SELECT pg_database_size(current_database())")[0][0]
    print(f"{'database':34s}{n_bytes / 1e6:10.1f} MB")
    for name, columns in NARROW.items():
        per_row = bytes_a_ranking(columns, run.pk)
        print(f"{name:34s}{per_row:10.0f} bytes a ranking of {DEPTH}, without indexes")


def size_of(table: str) -> float:
    """Megabytes with indexes and out-of-line storage."""
    return run_sql("SELECT pg_total_relation_size(%(table)s::regclass)", table=table)[0][0] / 1e6


def bytes_a_ranking(columns: str, run: int) -> float:
    """Bytes of a row whose arrays have other types, measured on one run."""
    run_sql("DROP TABLE IF EXISTS narrow")
    own = f"SELECT id, run_id, source_id, {columns} FROM pooling_ranking WHERE run_id = {run}"
    run_sql(f"CREATE TEMPORARY TABLE narrow AS {own}")
    return 1e6 * size_of("narrow") / N_QUERIES
