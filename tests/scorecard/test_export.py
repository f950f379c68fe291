"""A million judgments as a file, in each format: seconds, memory, and the same bytes twice."""

import os

import pytest

from tests.benchmarks.files.downloads import KINDS, filled_collection, make_in_process
from tests.pooling.services.runs import large_runs

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(4 * 3600),
]


def test_all_judgments_are_one_file_soon_and_the_same_twice(figures, tmp_path):
    n_judgments = figures.size("judgments")
    slug = filled_collection(n_judgments)
    env = os.environ | {
        "DATABASE_URL": large_runs.database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    differ = []
    for kind in (kind for kind in KINDS if kind[0] == "judgments"):
        name = " ".join(kind[1:]).replace("format=", "").replace("packed=on", "packed")
        first, second = (
            make_in_process(slug, kind, media=str(tmp_path), env=env) for _ in range(2)
        )
        assert first["rows"] == second["rows"] >= 0.9 * n_judgments, first
        figures.record(name, max(first["seconds"], second["seconds"]), "s", at_most=30)
        figures.record(
            f"{name}, the whole process", max(first["peak"], second["peak"]), "MiB", at_most=200
        )
        differ += [name] * (first["sha256"] != second["sha256"])
    figures.record("formats whose second file has other bytes", len(differ), at_most=0)
