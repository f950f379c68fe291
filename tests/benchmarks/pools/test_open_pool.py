"""Opening, closing and reopening pools of 180,000 and 555,391 pairs, beside COPY of the same rows.

Run: python3 manage.py test --heavy -s tests/benchmarks/pools/test_open_pool.py

The planner has no statistics of the tables, and autovacuum is off. The peer is PostgreSQL's
COPY of the rows that opening made, keys included, in one transaction, with every index, constraint
and foreign key in place; it analyses each table before the next refers to it, else its COMMIT may
check keys for minutes. Opening also reads the run, and chooses pairs, doubles and queue keys.
Meanwhile the forecasts of the pool's page are recorded.
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
from pooling.services.pools import pools
from tests.pooling import large
from tests.servers.databases import closing_connections
from tests.sizes import peak
from tests.tables.table_cleanup import MAY_TRUNCATE

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
SIZES = [(9_000, 0), (27_763, 131)]  # queries of 20 pairs, and how many of them have 21
N_TIMES = int(os.environ.get("OPEN_POOL_TIMES", "5"))
MOST = 2.0  # times COPY, by the median of the seconds
# in the order of their foreign keys
TABLES = ("annotate_pair", "pooling_poolpair", "annotate_roundpair", "annotate_seat")


class WorkCost(NamedTuple):
    """The seconds of some work: elapsed, CPU of this process, CPU of the database's process."""

    seconds: float
    worker: float
    backend: float

    @property
    def cpu(self) -> float:
        """CPU seconds of both processes, which other load changes little."""
        return self.worker + self.backend

    def __str__(self) -> str:
        return (
            f"{self.seconds:7.1f} s; CPU {self.worker:6.1f} s worker, "
            f"{self.backend:6.1f} s database"
        )


def clock() -> WorkCost:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    stat = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()
    ticks = int(stat[11]) + int(stat[12])
    return WorkCost(time.perf_counter(), time.process_time(), ticks / os.sysconf("SC_CLK_TCK"))


def elapsed(begun: WorkCost) -> WorkCost:
    return WorkCost(*(now - then for now, then in zip(clock(), begun, strict=True)))


def cost_of(call, *arguments, **options) -> WorkCost:
    start = clock()
    call(*arguments, **options)
    return elapsed(start)


def rows(tables: Sequence[str] = TABLES) -> list[bytes]:
    """The rows of the tables in COPY's format."""
    copies = []
    with connection.cursor() as cursor:
        for table in tables:
            buffer = io.BytesIO()
            with cursor.copy(f"COPY (SELECT * FROM {table} ORDER BY 1) TO STDOUT") as copy:
                for piece in copy:
                    buffer.write(piece)
            copies.append(buffer.getvalue())
    return copies


def copy_in(stored_rows: list[bytes], tables: Sequence[str] = TABLES) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for table, data in zip(tables, stored_rows, strict=True):
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                copy.write(data)
            cursor.execute(f"ANALYZE {table}")


def empty_tables(tables: Sequence[str] = TABLES) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"BEGIN; {MAY_TRUNCATE}; TRUNCATE {', '.join(tables)} CASCADE; COMMIT")
        cursor.execute(
            "DELETE FROM pg_statistic WHERE starelid = ANY(%s::text[]::regclass[])",
            [list(large.TABLES)],
        )
        cursor.execute("CHECKPOINT")


def reset_to_draft(pool: Pool) -> None:
    Pool.objects.filter(pk=pool.pk).update(state="draft", round=None, opened_at=None, work=None)
    Round.objects.all().delete()
    pool.refresh_from_db()


class PageForecast(NamedTuple):
    """The page's forecast at a moment."""

    at: float
    seconds_left: float


@contextmanager
def watched_forecasts(pool: Pool) -> Iterator[list[PageForecast]]:
    """Record, every quarter of a second, the forecast that the pool's page would show."""
    forecasts: list[PageForecast] = []
    ended = Event()

    @closing_connections
    def look() -> None:
        while not ended.wait(0.25):
            work = (
                Work.objects.filter(subject=pool.pk, kind__startswith="pool")
                .order_by("-pk")
                .first()
            )
            current = work and progress.progress_of(job=works.job_of(work))
            if current and current.seconds_left is not None:
                forecasts.append(PageForecast(current.at.timestamp(), current.seconds_left))

    thread = Thread(target=look)
    thread.start()
    try:
        yield forecasts
    finally:
        ended.set()
        thread.join()


def worst_forecast_factor(forecasts: list[PageForecast], ended: float) -> float:
    """The largest factor between forecast and actual time while five seconds or more were left."""
    left = [
        (forecast.seconds_left, ended - forecast.at)
        for forecast in forecasts
        if ended - forecast.at >= 5
    ]
    return max(
        (max(forecast / actual, actual / max(forecast, 0.1)) for forecast, actual in left),
        default=1.0,
    )


@pytest.mark.parametrize(("n_queries", "n_deeper"), SIZES)
def test_opening_many_pairs_beside_copy(n_queries, n_deeper):
    large.nothing_is_known()
    pool, n_pairs = large.draft(n_queries, deeper=n_deeper), n_queries * large.DEPTH + n_deeper
    figures: dict[str, list[WorkCost]] = {"open": [], "COPY": [], "close": [], "open again": []}
    factors, opened_in = [], 0  # MB; before the rows are kept for COPY
    for _ in range(N_TIMES):
        empty_tables()
        reset_to_draft(pool)
        with watched_forecasts(pool) as forecasts:
            figures["open"].append(cost_of(pools.open_pool, pool=pool))
        factors.append(worst_forecast_factor(forecasts, pool.opened_at.timestamp()))
        opened_in = opened_in or peak()
        assert (pool.state, pool.pool_pairs.count()) == ("open", n_pairs), pool.work.error_data
        stored_rows, n_seats = rows(), Seat.objects.count()
        figures["close"].append(cost_of(pools.close_pool, pool=pool))
        assert Seat.objects.filter(state="free").count() == 0
        figures["open again"].append(cost_of(pools.reopen_pool, pool=pool))
        assert Seat.objects.filter(state="free").count() == n_seats == Seat.objects.count()
        empty_tables()
        figures["COPY"].append(cost_of(copy_in, stored_rows))
    print(f"\n{n_pairs:,} pairs, {n_seats:,} seats; opening took at most {opened_in} MB")
    print(
        "What the page said of the time left was wrong by a factor of at most",
        [f"{factor:.1f}" for factor in factors],
    )
    by_clock = print_beside(figures, "COPY")
    assert {name: times for name, times in by_clock.items() if times >= MOST} == {}
    assert max(factors) < 2
    assert opened_in < 700


def print_beside(figures: dict[str, list[WorkCost]], peer: str) -> dict[str, float]:
    """Print all costs; returns the ratio of each one's median seconds to the peer's."""
    by_clock = {}
    for name, costs in figures.items():
        by_clock[name] = median(cost.seconds for cost in costs) / median(
            cost.seconds for cost in figures[peer]
        )
        by_cpu = median(cost.cpu for cost in costs) / median(cost.cpu for cost in figures[peer])
        print(
            f"{name:12} {by_clock[name]:5.2f} x {peer}, {by_cpu:5.2f} x its CPU:",
            *costs,
            sep="\n    ",
        )
    return by_clock
