"""A similarity matrix of COCO's size, 25,000 captions x 5,000 images, read and scored by a worker.

Prints seconds and memory. Run: python3 manage.py test --heavy -s
tests/benchmarks/files/test_matrix_runs.py
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from django.conf import settings

from annotate.services.collection.query_sets import complete_query_sets
from metrics.models import Score
from tests import cast
from tests.pooling.services.runs import large_runs

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
N_QUERIES, N_DOCUMENTS = 25_000, 5_000
WORKER_MIB = 300
REFRESH = """
import time, django
django.setup()
from django.conf import settings
settings.MEDIA_ROOT = {media!r}
from annotate.models import Collection
from metrics.services.numbers import refresh
from tests.pooling.services.runs.ingest_process import in_memory
import json
begun = time.perf_counter()
refresh.refresh(collection=Collection.objects.get(pk={collection}))
wall, begun = time.perf_counter() - begun, time.perf_counter()
from tests.metrics.services.leaderboard import boards
from metrics.services.leaderboard.choices import parameters
collection = Collection.objects.get(pk={collection})
choices = parameters.read_choices(collection=collection, viewer=None, parameters={{}})
boards.compute(collection=collection, spec=choices.spec)
bounds = time.perf_counter() - begun
print(json.dumps({{"wall": wall, "bounds": bounds, "peak": in_memory("VmHWM")}}))
"""


def write_matrix(path, order):
    """Write an .npz file as numpy does, uncompressed."""
    scores = np.random.default_rng(3).standard_normal((N_QUERIES, N_DOCUMENTS), dtype=np.float32)
    rows, columns = (
        [f"{side}{n}" for n in range(n_items)]
        for side, n_items in (("q", N_QUERIES), ("D", N_DOCUMENTS))
    )
    np.savez(
        path,
        sim_mat=np.asarray(scores, order=order),
        row_ids=np.array(rows),
        column_ids=np.array(columns),
    )


def refresh_in_process(collection):
    """Seconds and memory of the first refresh in a process of its own."""
    code = REFRESH.format(media=str(settings.MEDIA_ROOT), collection=collection.pk)
    env = os.environ | {
        "DATABASE_URL": large_runs.database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    finished = subprocess.run(
        [sys.executable, "-c", code],
        cwd=large_runs.ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1])


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_read_and_measured_in_little_memory(order, tmp_path, media_root):
    path = tmp_path / "coco.npz"
    write_matrix(path, order)
    collection = large_runs.collection(N_QUERIES, N_DOCUMENTS)
    complete_query_sets(collection=collection)
    cast.reference(collection, {(f"q{n}", f"D{n // 5}"): 1 for n in range(N_QUERIES)})
    run = large_runs.received(collection, path)
    reading = large_runs.ingest_in_process(run)
    assert reading["state"] == "ready", reading["report"]
    refreshing = refresh_in_process(collection)
    print(
        f"\n| {order} order, {path.stat().st_size / 1e6:.0f} MB | read {reading['wall']:.1f} s, "
        f"{reading['peak']:.0f} MiB | measured {refreshing['wall']:.1f} s, with bounds "
        f"{refreshing['bounds']:.1f} s, {refreshing['peak']:.0f} MiB |"
    )
    assert Score.objects.filter(run=run).exists()
    assert max(reading["peak"], refreshing["peak"]) < WORKER_MIB
