"""A refresh after 200 new labels, a rebuild, and metrics pages at the size of FIRE's MSVD study.

27,763 queries, 670 documents, 3 runs, 555,260 pairs, some 660,000 judgments; a tenth, three tenths,
and with BENCHMARK_SCALES=1,3 three times that.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_refresh_at_fire_size.py

Seconds are wall time; worker and database are the CPU seconds of their processes, which other
load changes less.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Role
from annotate.services import seating
from metrics.models import Observation
from metrics.services.numbers import refresh
from tests import cast
from tests.benchmarks.numbers.fire_study import fill

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(7200)]
SCALES = [float(scale) for scale in os.environ.get("BENCHMARK_SCALES", "0.1,0.3,1").split(",")]
PAGES = ["dashboard/", "dashboard/numbers/", "results/leaderboard/"]
N_REFRESHES, N_REQUESTS, N_POINTS = 7, 40, 2_500
PER_SECOND = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """Seconds: of the wall, computed by this process, computed by its database session."""

    wall: float
    worker: float
    database: float

    def __str__(self) -> str:
        return f"{self.wall:8.2f} {self.worker:8.2f} {self.database:8.2f}"


def cost(call: Callable[[], object]) -> Cost:
    before, wall, worker = _database_seconds(), time.perf_counter(), time.process_time()
    call()
    return Cost(
        time.perf_counter() - wall, time.process_time() - worker, _database_seconds() - before
    )


def _database_seconds() -> float:
    """CPU seconds of the database session, without parallel workers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    ticks = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / PER_SECOND


def refresh_cost(study) -> Cost:
    """Cost of a refresh after 200 random pairs got another grade."""
    low, high = study.pairs.order_by("pk").first().pk, study.pairs.order_by("pk").last().pk
    pairs = np.random.default_rng().integers(low, high + 1, 200).tolist()
    study.resolutions.filter(pair__in=pairs).update(grade=int(np.random.default_rng().integers(2)))
    seating.note_changes(collection_id=study.pk, pair_ids=pairs)
    return cost(lambda: refresh.refresh(collection=study))


def median_cost(costs) -> Cost:
    return Cost(*(median(values) for values in zip(*costs, strict=True)))


def measure_pages(client, study) -> None:
    """Each page's time and queries, after a campaign that left a long history."""
    value = Observation.objects.filter(collection=study, kind="agreement").last().value
    Observation.objects.bulk_create(
        Observation(collection=study, kind="agreement", n_judgments=number, value=value)
        for number in range(N_POINTS)
    )
    client.force_login(cast.member(study, Role.LEAD))
    for page in PAGES:
        client.get(f"/c/{study.slug}/{page}")
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/c/{study.slug}/{page}").status_code == 200
            n_queries = len(queries)
        times = [
            1000 * cost(lambda page=page: client.get(f"/c/{study.slug}/{page}")).wall
            for _ in range(N_REQUESTS)
        ]
        low, high = np.quantile(times, [0.5, 0.95])
        print(f"  {page:22} median {low:4.0f} ms, p95 {high:4.0f} ms, {n_queries} queries")


@pytest.mark.parametrize("scale", SCALES)
def test_a_refresh_at_fire_size(client, scale):
    study = fill(f"fire{scale:g}".replace(".", "-"), scale=scale)
    print(f"\n{scale:g} x: {study.judgments.count():,} judgments of {study.pairs.count():,} pairs")
    print(f"  {'':32} {'wall':>8} {'worker':>8} {'database':>8}")
    print(f"  {'rebuild':32} {cost(lambda: refresh.rebuild(collection=study))}")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"  {'first refresh of a process':32} {refresh_cost(study)}")
    usual = median_cost([refresh_cost(study) for _ in range(N_REFRESHES)])
    print(f"  {'refresh after 200 labels, median':32} {usual}")
    assert scale > 1 or usual.worker + usual.database < 3  # some .4 s of the processor
    measure_pages(client, study)
