"""A live pool hands out what its order says next, to all at once, and no pair's place shows."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.utils import timezone

from annotate.models import HandOut, Seat
from annotate.services.judging import claiming
from pooling.models import Pool, PoolPair
from pooling.services.pools import queue_order
from tests import cast
from tests.pooling import factories
from tests.pooling.answering import answer_batch, answer_pair
from tests.servers.databases import closing_connections, run_concurrently

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return factories.collection(n_queries=2, n_documents=60, batch_candidates=4, double_share=0)


@pytest.fixture
def two_runs(collection):
    """Run a is good on query 0, run b holds nothing of it."""
    return [
        factories.run(collection, "a", {0: list(range(20)), 1: list(range(20))}),
        factories.run(collection, "b", {0: list(range(30, 50)), 1: list(range(30, 50))}),
    ]


def live(collection, of, strategy="maxmean", ahead=4):
    pool = factories.opened(collection, of, strategy=strategy, depth=20, ahead=ahead)
    queue_order.reorder(pool=pool)
    return pool


def front(pool) -> set[tuple[str, str]]:
    return factories.external_ids(
        Seat.objects.filter(round=pool.round, queue_key__lt=0, state="free")
    )


def test_the_front_holds_the_next_pairs_of_each_source_and_claims_empty_it_first(
    collection, two_runs
):
    pool = live(collection, two_runs)
    assert len(front(pool)) == 8
    assert {query for query, _ in front(pool)} == {"q0", "q1"}
    expected = front(pool)
    handed_out = set()
    for _ in range(2):
        batch = claiming.current_batch(annotator=cast.annotator(collection))
        handed_out |= factories.external_ids(Seat.objects.filter(hand_outs__batch=batch))
    assert handed_out == expected


@pytest.mark.parametrize("strategy", ["move-to-front", "maxmean", "thompson"])
def test_labels_move_the_front_to_the_run_that_finds(collection, two_runs, strategy):
    pool = live(collection, two_runs, strategy)
    for target in (0, 1, 2):
        answer_pair(collection, "q0", f"d{target}", grade=1)
        answer_pair(collection, "q0", f"d{target + 30}", grade=0)
    queue_order.reorder(pool=pool)
    of_q0 = {document for query, document in front(pool) if query == "q0"}
    assert len(of_q0) == 4
    n_expected = {"maxmean": 4, "move-to-front": 2, "thompson": 2}[strategy]
    assert len(of_q0 & {f"d{target}" for target in range(20)}) >= n_expected
    if strategy == "maxmean":
        assert of_q0 == {"d3", "d4", "d5", "d6"}


def test_computing_the_order_again_changes_nothing_and_going_back_restores_the_keys(
    collection, two_runs
):
    pool = factories.opened(collection, two_runs, strategy="maxmean", depth=20, ahead=4)
    keys = dict(Seat.objects.values_list("pk", "queue_key"))
    assert min(keys.values()) >= 0
    queue_order.reorder(pool=pool)
    first = dict(Seat.objects.values_list("pk", "queue_key"))
    queue_order.reorder(pool=pool)
    assert dict(Seat.objects.values_list("pk", "queue_key")) == first
    assert {key for key in first.values() if key < 0} == {
        keys[pk] - 2**63 for pk, key in first.items() if key < 0
    }
    Pool.objects.update(parameters={"depth": 20, "ahead": 1})
    pool.refresh_from_db()
    queue_order.reorder(pool=pool)
    now = dict(Seat.objects.values_list("pk", "queue_key"))
    assert len([key for key in now.values() if key < 0]) == 2
    assert all(key % 2**63 == keys[pk] for pk, key in now.items())


def test_an_empty_front_blocks_nobody(collection, two_runs):
    pool = live(collection, two_runs, ahead=1)
    answer_batch(collection)
    assert HandOut.objects.count() == 4
    assert pool.pool_pairs.count() == 80


def test_seats_that_somebody_is_claiming_are_left_for_the_next_time(collection, two_runs):
    pool = live(collection, two_runs)
    batch = claiming.current_batch(annotator=cast.annotator(collection))
    queue_order.reorder(pool=pool)
    assert batch.hand_outs.filter(seat__state="held").count() == 4
    assert len(front(pool)) == 8 - 4


@pytest.mark.django_db(transaction=True)
def test_ten_people_and_an_order_computed_all_the_while_lose_and_double_nothing(
    collection, two_runs
):
    pool = live(collection, two_runs)
    people = [cast.annotator(collection) for _ in range(10)]
    stop = Event()

    def work(annotator):
        while claiming.current_batch(annotator=annotator) and not answer_batch(
            collection, annotator=annotator
        ):
            pass

    @closing_connections
    def keep_ordering():
        while not stop.is_set():
            queue_order.reorder(pool=Pool.objects.get(pk=pool.pk))

    with ThreadPoolExecutor(1) as beside:
        order = beside.submit(keep_ordering)
        try:
            run_concurrently(work, people)
        finally:
            stop.set()
        order.result()
    # a pair that was just then being ordered was nobody's, perhaps the last one for everybody
    for person in people:
        work(person)
    assert set(Seat.objects.values_list("state", flat=True)) == {"done"}
    assert Seat.objects.count() == PoolPair.objects.count() == 80


def test_only_live_pools_with_newer_labels_are_overdue(collection, two_runs):
    factories.opened(collection, two_runs, name="plain")
    assert queue_order.overdue_collections() == []
    pool = factories.opened(
        collection, two_runs, name="live", strategy="thompson", depth=20, ahead=2
    )
    assert queue_order.overdue_collections() == [collection.pk]
    queue_order.reorder(pool=pool)
    assert queue_order.overdue_collections() == []
    answer_batch(collection)
    assert queue_order.overdue_collections() == [collection.pk]
    queue_order.reorder_collection(collection=collection)
    assert queue_order.overdue_collections() == []
    Pool.objects.filter(pk=pool.pk).update(ordered_at=timezone.now() - timezone.timedelta(days=1))
    assert queue_order.overdue_collections() == [collection.pk]
