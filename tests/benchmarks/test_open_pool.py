"""Opening, closing and opening again a pool of 555,391 pairs, beside COPY of the same rows into the same tables.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_open_pool.py

The peer is PostgreSQL's own COPY of the rows that opening made, keys included, in one transaction, with every index,
constraint and foreign key in place. Opening also reads the run, chooses pairs, doubles and places in the queue.
"""

import io
import os
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest
from django.db import connection, transaction
from django.utils.timezone import now

from annotate.models import Round, Seat
from pooling.models import Pool, Run
from pooling.services import pools
from tests import cast
from tests.sizes import peak

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
N_QUERIES, N_DOCUMENTS, DEPTH, N_DEEPER = 27_763, 5_000, 20, 131
N_PAIRS = N_QUERIES * DEPTH + N_DEEPER
N_TIMES = int(os.environ.get("OPEN_POOL_TIMES", "3"))
TABLES = ("annotate_pair", "pooling_poolpair", "annotate_roundpair", "annotate_seat")  # as they point to each other
FILL = [
    """INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
       SELECT %(c)s, 'query', 'q' || i, 'test', '', '' FROM generate_series(1, %(queries)s) i
       UNION ALL SELECT %(c)s, 'document', 'd' || i, 'test', '', '' FROM generate_series(1, %(documents)s) i""",
    """WITH place AS (SELECT id, side, (row_number() OVER (PARTITION BY side ORDER BY id) - 1)::int AS n
                     FROM annotate_item WHERE collection_id = %(c)s)
       INSERT INTO pooling_ranking (run_id, source_id, targets, scores)
       SELECT %(run)s, q.id, array_agg(d.id ORDER BY k), array_agg(0::float8) FROM place q
       CROSS JOIN LATERAL generate_series(0, %(depth)s - 1 + (q.n < %(deeper)s)::int) k
       JOIN place d ON d.side = 'document' AND d.n = (q.n * 7 + k * 31) %% %(documents)s
       WHERE q.side = 'query' GROUP BY q.id""",
    "ANALYZE",
]  # fmt: skip


def fill() -> Pool:
    """A draft of the pool: items and one run, written by SQL."""
    collection = cast.collection("large", double_share="0.1", gold_positives=0, gold_negatives=0)
    run = Run.objects.create(
        collection=collection, name="system", direction="forward", state="ready", finished_at=now()
    )
    sizes = {
        "c": collection.pk,
        "run": run.pk,
        "queries": N_QUERIES,
        "documents": N_DOCUMENTS,
        "depth": DEPTH,
        "deeper": N_DEEPER,
    }
    for statement in FILL:
        with connection.cursor() as cursor:
            cursor.execute(statement, sizes)
    return pools.create_pool(
        collection=collection, name="all", strategy="depth-k", parameters={"depth": DEPTH + 1}, runs=[run]
    )


class Spent(NamedTuple):
    """What a piece of work cost, in seconds: by the clock, and of a CPU here and in the database's process."""

    seconds: float
    worker: float
    backend: float

    @property
    def cpu(self) -> float:
        """Both: what the machine did, however busy it was with other things."""
        return self.worker + self.backend

    def __str__(self) -> str:
        return f"{self.seconds:7.1f} s; CPU {self.worker:6.1f} s worker, {self.backend:6.1f} s database"


def clock() -> Spent:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    stat = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()
    ticks = int(stat[11]) + int(stat[12])
    return Spent(time.perf_counter(), time.process_time(), ticks / os.sysconf("SC_CLK_TCK"))


def since(begun: Spent) -> Spent:
    return Spent(*(now - then for now, then in zip(clock(), begun, strict=True)))


def spent(call, *arguments, **named) -> Spent:
    begun = clock()
    call(*arguments, **named)
    return since(begun)


def rows(tables: Sequence[str] = TABLES) -> list[bytes]:
    """The rows of the tables, as COPY reads them."""
    told = []
    with connection.cursor() as cursor:
        for table in tables:
            kept = io.BytesIO()
            with cursor.copy(f"COPY (SELECT * FROM {table} ORDER BY 1) TO STDOUT") as copy:
                for piece in copy:
                    kept.write(piece)
            told.append(kept.getvalue())
    return told


def copy_in(kept: list[bytes], tables: Sequence[str] = TABLES) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for table, data in zip(tables, kept, strict=True):
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                copy.write(data)


def empty(tables: Sequence[str] = TABLES) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(tables)} CASCADE")
        cursor.execute("CHECKPOINT")


def as_draft(pool: Pool) -> None:
    Pool.objects.filter(pk=pool.pk).update(state="draft", round=None, opened_at=None, work=None)
    Round.objects.all().delete()
    pool.refresh_from_db()


def test_opening_half_a_million_pairs_beside_copy():
    pool = fill()
    figures: dict[str, list[Spent]] = {"open": [], "COPY": [], "close": [], "open again": []}
    opened_in = 0  # MB; before the rows are kept for COPY
    for _ in range(N_TIMES):
        empty()
        as_draft(pool)
        figures["open"].append(spent(pools.open_pool, pool=pool))
        opened_in = opened_in or peak()
        assert (pool.state, pool.pool_pairs.count()) == ("open", N_PAIRS), pool.work.error
        kept, n_seats = rows(), Seat.objects.count()
        figures["close"].append(spent(pools.close_pool, pool=pool))
        assert Seat.objects.filter(state="free").count() == 0
        figures["open again"].append(spent(pools.reopen_pool, pool=pool))
        assert Seat.objects.filter(state="free").count() == n_seats == Seat.objects.count()
        empty()
        figures["COPY"].append(spent(copy_in, kept))
    copied = figures["COPY"]
    print(f"\n{N_PAIRS:,} pairs, {n_seats:,} seats; opening took at most {opened_in} MB")
    for name, each in figures.items():
        by_clock = median(one.seconds for one in each) / median(one.seconds for one in copied)
        by_cpu = median(one.cpu for one in each) / median(one.cpu for one in copied)
        print(f"{name:12} {by_clock:5.2f} x COPY, {by_cpu:5.2f} x its CPU:", *each, sep="\n    ")
    assert opened_in < 700
