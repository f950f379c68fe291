"""The numbers and facts of a release at the size of FIRE's MSVD study.

27,763 queries, 670 documents, 3 runs of each direction, a pool, some 660,000 judgments; a tenth,
and all.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_release_facts_at_fire_size.py

MiB are those that the computation holds at most beside what its process held before.
"""

import os
import time
import tracemalloc

import pytest

from metrics.services.releases.manifest import (
    collection_facts,
    label_facts,
    people_facts,
    pool_facts,
    sole_pairs,
)
from metrics.services.releases.manifest.numbers import count_numbers
from tests.benchmarks.numbers.fire_study import add_pool_and_reverse, fill

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(7200)]
SCALES = [float(scale) for scale in os.environ.get("BENCHMARK_SCALES", "0.1,1").split(",")]
MOST_SECONDS, MOST_MIB = 15, 200


def read_facts(study):
    """Yield the name of each step once it is done."""
    aliases = {run.pk: run.name for run in study.runs.all()}
    numbers = count_numbers(collection=study)
    yield "count_numbers"
    collection_facts.side_entries(collection=study)
    collection_facts.reference_set_entries(collection=study)
    collection_facts.query_set_entries(collection=study, files={})
    yield "collection_facts"
    label_facts.level_entries(collection=study, numbers=numbers)
    label_facts.counts_entry(collection=study, numbers=numbers)
    yield "label_facts"
    people_facts.work_entry(collection=study)
    yield "people_facts"
    pool_facts.pool_entries(collection=study, numbers=numbers, aliases=aliases)
    yield "pool_facts"
    query_set = study.query_sets.get(name="all", direction="forward")
    sole_pairs.sole_pairs(collection=study, query_set=query_set, aliases=aliases)
    yield "sole_pairs"


@pytest.mark.parametrize("scale", SCALES)
def test_release_facts_at_fire_size(scale):
    study = fill(f"fire{scale:g}".replace(".", "-"), scale=scale)
    add_pool_and_reverse(study)
    print(f"\n{scale:g} x: {study.judgments.count():,} judgments")
    start = before = time.perf_counter()
    for name in read_facts(study):
        now = time.perf_counter()
        print(f"{now - before:8.2f} s  {name}")
        before = now
    assert before - start < MOST_SECONDS
    tracemalloc.start()
    list(read_facts(study))
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(f"{peak:8.1f} MiB")
    assert peak < MOST_MIB
