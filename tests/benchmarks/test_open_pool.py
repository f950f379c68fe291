"""Opening, closing and opening again pools of 180,000 and 555,391 pairs, beside COPY of the same rows.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_open_pool.py

The database's planner knows nothing of the tables, and no autovacuum tells it. The peer is PostgreSQL's own COPY of the
rows that opening made, keys included, in one transaction, with every index, constraint and foreign key in place; it
analyses each table before the next points to it, without which its COMMIT may check keys for minutes. Opening also
reads the run, chooses pairs, doubles and places in the queue. Meanwhile the forecasts of the pool's page are noted.
"""

import io
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import NamedTuple

import pytest
from django.db import connection, transaction

from annotate.models import Round, Seat, Work
from annotate.services.background import progress, works
from pooling.models import Pool
from pooling.services import pools
from tests.databases import for_a_thread
from tests.lasting import MAY_TRUNCATE
from tests.pooling import large
from tests.sizes import peak

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
SIZES = [(9_000, 0), (27_763, 131)]  # queries of 20 pairs, and how many of them have one more
N_TIMES = int(os.environ.get("OPEN_POOL_TIMES", "5"))
MOST = 2.0  # times COPY, by the median of the seconds
TABLES = ("annotate_pair", "pooling_poolpair", "annotate_roundpair", "annotate_seat")  # as they point to each other


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
            cursor.execute(f"ANALYZE {table}")


def empty(tables: Sequence[str] = TABLES) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"BEGIN; {MAY_TRUNCATE}; TRUNCATE {', '.join(tables)} CASCADE; COMMIT")
        cursor.execute("DELETE FROM pg_statistic WHERE starelid = ANY(%s::text[]::regclass[])", [list(large.TABLES)])
        cursor.execute("CHECKPOINT")


def as_draft(pool: Pool) -> None:
    Pool.objects.filter(pk=pool.pk).update(state="draft", round=None, opened_at=None, work=None)
    Round.objects.all().delete()
    pool.refresh_from_db()


class Forecast(NamedTuple):
    """What the page said at a moment."""

    at: float
    seconds_left: float


@contextmanager
def watched(pool: Pool) -> Iterator[list[Forecast]]:
    """What the page of a pool would say every quarter of a second, of its latest work."""
    said: list[Forecast] = []
    ended = Event()

    @for_a_thread
    def look() -> None:
        while not ended.wait(0.25):
            work = Work.objects.filter(subject=pool.pk, kind__startswith="pool").order_by("-pk").first()
            shown = work and progress.progress_of(job=works.job_of(work))
            if shown and shown.seconds_left is not None:
                said.append(Forecast(shown.at.timestamp(), shown.seconds_left))

    thread = Thread(target=look)
    thread.start()
    try:
        yield said
    finally:
        ended.set()
        thread.join()


def worst(said: list[Forecast], ended: float) -> float:
    """The largest factor between what was said and what was, while five seconds or more were left."""
    left = [(forecast.seconds_left, ended - forecast.at) for forecast in said if ended - forecast.at >= 5]
    return max((max(told / was, was / max(told, 0.1)) for told, was in left), default=1.0)


@pytest.mark.parametrize(("n_queries", "n_deeper"), SIZES)
def test_opening_many_pairs_beside_copy(n_queries, n_deeper):
    large.nothing_is_known()
    pool, n_pairs = large.draft(n_queries, deeper=n_deeper), n_queries * large.DEPTH + n_deeper
    figures: dict[str, list[Spent]] = {"open": [], "COPY": [], "close": [], "open again": []}
    factors, opened_in = [], 0  # MB; before the rows are kept for COPY
    for _ in range(N_TIMES):
        empty()
        as_draft(pool)
        with watched(pool) as said:
            figures["open"].append(spent(pools.open_pool, pool=pool))
        factors.append(worst(said, pool.opened_at.timestamp()))
        opened_in = opened_in or peak()
        assert (pool.state, pool.pool_pairs.count()) == ("open", n_pairs), pool.work.error_data
        kept, n_seats = rows(), Seat.objects.count()
        figures["close"].append(spent(pools.close_pool, pool=pool))
        assert Seat.objects.filter(state="free").count() == 0
        figures["open again"].append(spent(pools.reopen_pool, pool=pool))
        assert Seat.objects.filter(state="free").count() == n_seats == Seat.objects.count()
        empty()
        figures["COPY"].append(spent(copy_in, kept))
    print(f"\n{n_pairs:,} pairs, {n_seats:,} seats; opening took at most {opened_in} MB")
    print("What the page said of the time left was wrong by a factor of at most", [f"{each:.1f}" for each in factors])
    by_clock = told_beside(figures, "COPY")
    assert {name: times for name, times in by_clock.items() if times >= MOST} == {}
    assert max(factors) < 2
    assert opened_in < 700


def told_beside(figures: dict[str, list[Spent]], peer: str) -> dict[str, float]:
    """Print all figures; how many times the peer's seconds each took, by their medians."""
    by_clock = {}
    for name, each in figures.items():
        by_clock[name] = median(one.seconds for one in each) / median(one.seconds for one in figures[peer])
        by_cpu = median(one.cpu for one in each) / median(one.cpu for one in figures[peer])
        print(f"{name:12} {by_clock[name]:5.2f} x {peer}, {by_cpu:5.2f} x its CPU:", *each, sep="\n    ")
    return by_clock
