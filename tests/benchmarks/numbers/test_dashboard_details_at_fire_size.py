"""The dashboard's details, and the cost of a viewer, at the size of FIRE's MSVD study and below.

Run:
python3 manage.py test --heavy -s tests/benchmarks/numbers/test_dashboard_details_at_fire_size.py
"""

import os
import time
import tracemalloc

import pytest
from django.core.cache import cache

from annotate.models import Role
from annotate.services.background import kept
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.label_rows import label_rows
from metrics.services.numbers import refresh
from tests import cast
from tests.benchmarks.numbers.fire_study import fill

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
SCALES = [float(scale) for scale in os.environ.get("BENCHMARK_SCALES", "0.1,0.3,1").split(",")]
N_POLLS = 200


def elapsed_seconds(call):
    start, cpu_start = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - start, time.process_time() - cpu_start


def test_a_closer_look_takes_seconds_and_a_viewer_next_to_nothing(client):
    print(
        f"\n{'labels':>9} {'read, s':>8} {'look, s':>8} {'worker, s':>9} {'MiB':>6} "
        f"{'page, ms':>9} {'304, ms':>8}"
    )
    for scale in SCALES:
        study = fill(f"closer{scale:g}".replace(".", "-"), scale=scale)
        refresh.refresh(collection=study)
        read = elapsed_seconds(lambda study=study: label_rows(collection=study))
        look = elapsed_seconds(
            lambda study=study: kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
        )
        kept.find(inquiry=dashboard_details.inquiry_of(collection=study)).delete()
        tracemalloc.start()
        kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        client.force_login(cast.member(study, Role.LEAD))
        cache.clear()
        address = f"/c/{study.slug}/dashboard/"
        page = sorted(elapsed_seconds(lambda a=address: client.get(a))[0] for _ in range(9))[4]
        tag = client.get(f"{address}numbers/")["ETag"]
        poll = sorted(
            elapsed_seconds(
                lambda a=address, t=tag: client.get(f"{a}numbers/", headers={"If-None-Match": t})
            )[0]
            for _ in range(N_POLLS)
        )[N_POLLS // 2]
        n = study.judgments.count()
        print(
            f"{n:9,} {read[0]:8.2f} {look[0]:8.2f} {look[1]:9.2f} {peak:6.0f} {1000 * page:9.1f} "
            f"{1000 * poll:8.2f}"
        )
        assert look[0] < 30
        assert poll < 0.05
