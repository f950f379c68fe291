"""Comparing releases at the size of FIRE's MSVD study with each other, and with the present.

27,763 queries, 670 documents, 3 runs of each direction, some 660,000 judgments; a tenth, and all.
Between the two every twentieth label of the reference goes.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_release_diffs_at_fire_size.py

MiB are those that the worker holds at most beside what its process held before.
"""

import os

import pytest
from django.db.models import F
from django.db.models.functions import Mod

from annotate.models import ReferenceLabel
from annotate.services import seating
from metrics.core.labels.label_sources import LabelSource
from metrics.services.numbers import refresh
from metrics.services.releases.diffs.changed_labels import LINES
from metrics.services.releases.diffs.computation import DiffRequest
from tests.benchmarks.numbers.analysis_costs import cost
from tests.benchmarks.numbers.fire_study import add_pool_and_reverse, fill
from tests.metrics.services.releases.made_releases import made_release
from tests.works import compute_anew

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(7200),
    pytest.mark.usefixtures("media_root"),
]
SCALES = [float(scale) for scale in os.environ.get("BENCHMARK_SCALES", "0.1,1").split(",")]
MOST_SECONDS, MOST_MIB = 10, 1024
SOURCE = LabelSource.parse("over:original")


@pytest.mark.parametrize("scale", SCALES)
def test_release_diffs_at_fire_size(scale):
    study = fill(f"fire{scale:g}".replace(".", "-"), scale=scale)
    add_pool_and_reverse(study)
    study.reference_sets.exclude(name="original").delete()
    study.query_sets.exclude(name="all").delete()
    refresh.refresh(collection=study)
    first = made_release(study, "1.0")
    reference_labels = ReferenceLabel.objects.filter(reference_set__collection=study)
    every_twentieth = reference_labels.annotate(rest=Mod(F("pk"), 20)).filter(rest=0)
    every_twentieth._raw_delete("default")
    seating.note_changes(collection_id=study.pk, pair_ids=[None])
    refresh.refresh(collection=study)
    second = made_release(study, "1.1")
    costs = {
        "two releases": cost(lambda: compute_anew(DiffRequest(first, second, SOURCE).inquiry())),
        "a release and now": cost(lambda: compute_anew(DiffRequest(first, None, SOURCE).inquiry())),
    }
    for table in LINES:
        inquiry = DiffRequest(first, second, SOURCE).inquiry(table)
        costs[f"{table}.csv"] = cost(lambda inquiry=inquiry: compute_anew(inquiry))
    print(f"{scale:g} x: {study.judgments.count():,} judgments")
    for name, (seconds, mib) in costs.items():
        print(f"{seconds:8.2f} s  {mib:5.0f} MiB  {name}")
    if scale <= 1:
        assert costs["two releases"][0] < MOST_SECONDS
        assert max(mib for _, mib in costs.values()) < MOST_MIB
