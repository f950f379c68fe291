"""A pool from preview to seats: the same pairs at each request, nothing of a pool that failed."""

from contextlib import contextmanager

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Pair, QuerySet, QuerySetItem, Round, Seat
from annotate.signals import work_requested
from pooling.models import Pool, PoolPair, Run
from pooling.services.pools import pools
from pooling.services.pools.checks import PoolError
from tests import cast
from tests.pooling import factories
from tests.servers.databases import run_concurrently
from tests.servers.worker_kills import run_out_of_memory
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def test_a_depth_2_pool_of_two_runs_has_their_tops_once_with_the_best_rank(collection, two_runs):
    pool = factories.opened(collection, two_runs)
    best = {
        (row.pair.query.external_id, row.pair.document.external_id): row.best_rank
        for row in pool.pool_pairs.select_related("pair__query", "pair__document")
    }
    assert best == {
        ("q0", "d1"): 1,
        ("q0", "d2"): 1,
        ("q0", "d7"): 2,
        ("q1", "d4"): 1,
        ("q1", "d5"): 2,
        ("q1", "d8"): 2,
    }
    assert Seat.objects.filter(state="free", round=pool.round).count() == 6
    assert pool.opened_at is not None


def test_both_directions_land_on_the_same_pairs(collection, two_runs):
    reverse = factories.run(collection, "back", {1: [0, 1], 4: [1]}, "reverse")
    pool = factories.opened(collection, [*two_runs, reverse])
    assert factories.external_ids(pool.pool_pairs) == {
        ("q0", "d1"),
        ("q0", "d2"),
        ("q0", "d7"),
        ("q1", "d4"),
        ("q1", "d5"),
        ("q1", "d8"),
        ("q1", "d1"),
    }


def test_opening_twice_changes_nothing(collection, two_runs):
    pool = factories.opened(collection, two_runs)
    before = (
        list(Seat.objects.order_by("pk").values()),
        list(PoolPair.objects.order_by("pk").values()),
    )
    perform_work(pool)
    with pytest.raises(pools.WrongPoolState, match="was opened before"):
        pools.open_pool(pool=pool)
    assert (
        list(Seat.objects.order_by("pk").values()),
        list(PoolPair.objects.order_by("pk").values()),
    ) == before
    assert Round.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_eight_workers_that_open_one_pool_at_once_open_it_once(collection, two_runs):
    pool = factories.draft(collection, two_runs)
    pools.request_opening(pool=pool, by=None)
    run_concurrently(lambda _: perform_work(Pool.objects.get(pk=pool.pk)), range(8))
    pool.refresh_from_db()
    assert (pool.state, pool.work.attempts, Round.objects.count(), Seat.objects.count()) == (
        "open",
        1,
        1,
        6,
    )


@pytest.mark.django_db(transaction=True)
def test_two_pools_of_the_same_pairs_open_at_once(collection, two_runs):
    both = [factories.draft(collection, two_runs, name=name) for name in ("first", "second")]
    run_concurrently(lambda pool: pools.open_pool(pool=pool), both)
    assert (
        Pair.objects.count(),
        PoolPair.objects.count(),
        Seat.objects.filter(state="free").count(),
    ) == (6, 12, 6)


def test_a_worker_that_dies_leaves_no_pair_behind_and_after_three_times_the_pool_has_failed(
    collection, two_runs, monkeypatch
):
    pool = factories.draft(collection, two_runs)
    pools.request_opening(pool=pool, by=None)
    with monkeypatch.context() as broken:
        broken.setattr(pools.seating, "begin_opening", run_out_of_memory)
        for _ in range(3):
            with pytest.raises(MemoryError):
                perform_work(pool)
        assert (Pair.objects.count(), PoolPair.objects.count()) == (0, 0)
    perform_work(pool)
    assert (pool.state, pool.phase, "begun 3 times" in pool.work.error) == ("draft", "failed", True)
    pools.open_pool(pool=pool)
    assert (pool.state, pool.phase, pool.work.error) == ("open", "open", "")


def test_an_opening_that_nobody_has_begun_is_cancelled_at_once(collection, two_runs):
    pool, person = factories.draft(collection, two_runs), cast.user("ada")
    pools.request_opening(pool=pool, by=person)
    pools.cancel_opening(pool=pool, by=person)
    assert (pool.phase, pool.work.state, pool.work.cancelled_by) == ("draft", "cancelled", person)
    assert perform_work(pool).phase == "draft"
    pools.open_pool(pool=pool)
    assert pool.phase == "open"


def test_a_pool_that_is_opened_in_the_foreground_is_queued_for_nobody(collection, two_runs):
    enqueued = []
    pool = factories.draft(collection, two_runs)
    with listening(work_requested, lambda work_id, **_: enqueued.append(work_id)):
        pools.open_pool(pool=pool)
        assert enqueued == []
        pools.request_closing(pool=pool, by=None)
        assert enqueued == [pool.work.pk]


@contextmanager
def listening(signal, listener):
    signal.connect(listener, weak=False)
    yield
    signal.disconnect(listener)


def test_a_pool_without_pairs_fails_and_says_why(collection, two_runs):
    empty = QuerySet.objects.create(collection=collection, name="none", direction="forward")
    pool = pools.create_pool(
        collection=collection,
        name="p",
        strategy="depth-k",
        parameters={},
        runs=two_runs,
        query_set=empty,
    )
    pools.open_pool(pool=pool)
    assert (pool.state, pool.phase, pool.work.error[:26]) == (
        "draft",
        "failed",
        "The strategy takes no pair",
    )
    assert PoolPair.objects.count() == 0


def test_a_query_set_restricts_the_pool_to_its_sources(collection, two_runs):
    some = QuerySet.objects.create(collection=collection, name="some", direction="forward")
    QuerySetItem.objects.create(query_set=some, item=collection.items.get(external_id="q1"))
    pool = pools.create_pool(
        collection=collection,
        name="p",
        strategy="depth-k",
        parameters={"depth": 1},
        runs=two_runs,
        query_set=some,
    )
    pools.open_pool(pool=pool)
    assert factories.external_ids(pool.pool_pairs) == {("q1", "d4")}


def test_who_stands_below_an_excluded_item_moves_up(collection, two_runs):
    collection.items.filter(external_id="d4").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    pool = factories.opened(collection, two_runs, depth=1)
    assert factories.external_ids(pool.pool_pairs) == {
        ("q0", "d1"),
        ("q0", "d2"),
        ("q1", "d5"),
        ("q1", "d8"),
    }


def test_a_sampled_pool_names_its_sample_as_a_query_set(collection, two_runs):
    pool = factories.opened(collection, two_runs, strategy="depth-k-sample", depth=2, n_sources=1)
    sample = QuerySet.objects.get(name="sample first")
    assert set(sample.members.values_list("item", flat=True)) == set(
        pool.pool_pairs.values_list("pair__query", flat=True)
    )
    assert sample.members.count() == 1


def test_a_stratified_pool_keeps_stratum_and_inclusion_probability(collection):
    run = factories.run(collection, "a", {0: list(range(20))})
    pool = factories.opened(collection, [run], strategy="stratified", top=2, depth=20, share=0.25)
    strata = sorted(pool.pool_pairs.values_list("stratum", "inclusion_probability"))
    assert strata == [(1, 1.0)] * 2 + [(2, 5 / 18)] * 5


def test_closing_withdraws_free_seats_and_opening_again_brings_them_back(collection, two_runs):
    pool = factories.opened(collection, two_runs)
    pools.close_pool(pool=pool)
    assert (pool.state, set(Seat.objects.values_list("state", flat=True))) == (
        "closed",
        {"withdrawn"},
    )
    with pytest.raises(pools.WrongPoolState, match="is closed, not open"):
        pools.close_pool(pool=pool)
    pools.reopen_pool(pool=pool)
    assert (pool.state, set(Seat.objects.values_list("state", flat=True))) == ("open", {"free"})


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "taken"}, "name"),
        ({"strategy": "best"}, "strategy"),
        ({"parameters": {"depth": 0}}, "depth"),
        ({"runs": []}, "runs"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_a_pool_is_refused_by_field_and_nothing_is_made(
    collection, two_runs, change, field
):
    factories.draft(collection, two_runs, name="taken")
    choice = {
        "name": "new",
        "strategy": "depth-k",
        "parameters": {},
        "runs": two_runs,
        "seed": 0,
    } | change
    with pytest.raises(PoolError) as caught:
        pools.create_pool(collection=collection, **choice)
    assert (caught.value.field, Pool.objects.count()) == (field, 1)


def test_a_run_that_is_not_ready_or_foreign_or_the_other_way_is_refused(collection, two_runs):
    other = factories.collection()
    foreign = factories.run(other, "x", {0: [1]})
    reverse = factories.run(collection, "r", {0: [1]}, "reverse")
    forward_only = QuerySet.objects.create(collection=collection, name="some", direction="forward")
    Run.objects.filter(pk=two_runs[1].pk).update(retired_at=timezone.now())
    two_runs[1].refresh_from_db()
    for runs, query_set, field in (
        ([foreign], None, "runs"),
        ([two_runs[1]], None, "runs"),
        ([reverse], forward_only, "query_set"),
    ):
        with pytest.raises(PoolError) as caught:
            pools.create_pool(
                collection=collection,
                name="p",
                strategy="depth-k",
                parameters={},
                runs=runs,
                query_set=query_set,
            )
        assert caught.value.field == field


def test_opening_takes_a_constant_number_of_queries(django_assert_max_num_queries):
    collection = factories.collection(n_queries=40, n_documents=60)
    rng = np.random.default_rng(1)
    runs = [
        factories.run(collection, name, {q: rng.permutation(60)[:20].tolist() for q in range(40)})
        for name in "ab"
    ]
    pool = factories.draft(collection, runs, depth=10)
    with django_assert_max_num_queries(82):
        pools.open_pool(pool=pool)
    assert pool.pool_pairs.count() > 500
