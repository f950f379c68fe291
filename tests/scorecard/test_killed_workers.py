"""Redis is emptied and killed, and workers are killed, while people judge: the numbers follow."""

import time

import pytest

from annotate.models import Change
from config.up.processes import wait_until
from metrics.services.numbers import refresh
from pooling.models import Pool, PoolPair
from tests.journeys import test_faults as faults
from tests.metrics import studies

pytestmark = pytest.mark.heavy


def test_the_numbers_become_those_of_a_rebuild(
    open_folder, fault_stack, django_db_blocker, figures
):
    n_kills = figures.size("kills of workers")
    # for files that a killed worker leaves behind
    stack = fault_stack("workers", TMPDIR=str(open_folder))
    with stack.orm(django_db_blocker):
        collection = studies.study(
            "busy", n_queries=100 + 60 * n_kills, n_documents=20, batch_candidates=18
        )
        pool = Pool.objects.get(collection=collection)
        PoolPair.objects.bulk_create(
            PoolPair(pool=pool, pair=pair, best_rank=1) for pair in collection.pairs.all()
        )
        faults.add_annotators(collection)
    with faults.people_judge(stack) as (acknowledged, wait_for_answers):
        for part in ["redis", *["worker"] * n_kills]:
            wait_for_answers()
            acknowledged.allow_more()  # so that people judge during the kill
            faults.kill_and_wait(stack, part)
    start = time.monotonic()
    assert wait_until(
        lambda: faults.is_converged(stack, collection, django_db_blocker), seconds=600
    )
    figures.record(
        "the numbers are those of all answers after", time.monotonic() - start, "s", at_most=120
    )
    with stack.orm(django_db_blocker):
        live = studies.numbers(collection)
        refresh.rebuild(collection=collection)
        differ = [kind for kind, rows in studies.numbers(collection).items() if rows != live[kind]]
        figures.record(
            "kinds of numbers that differ from those of a rebuild", len(differ), at_most=0
        )
        figures.record("scores compared", len(live["scores"]), at_least=60)
        figures.record(
            "changes left to be counted",
            Change.objects.filter(collection=collection).count(),
            at_most=0,
        )
        n_lost, n_doubled = faults.count_faults(collection, acknowledged)
    figures.record("answers acknowledged", len(acknowledged))
    figures.record("answers lost", n_lost, at_most=0)
    figures.record("answers stored or counted twice", n_doubled, at_most=0)
    assert "nothing broken" in stack.manage("fsck")
