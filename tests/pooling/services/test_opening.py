"""Pools whose opening is cut off: killed or cancelled it leaves nothing, and the next attempt comes to the end."""

import threading
from contextlib import contextmanager
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction

from annotate.models import Cancellation, Pair, Round, Seat
from annotate.services import claiming, copying, judging
from config.management.commands.fsck import CHECKS
from pooling.models import Pool, PoolPair
from pooling.services import opening, pools, waiting
from tests import cast
from tests.databases import for_a_thread
from tests.deaths import die
from tests.pooling import making
from tests.sessions import waiting_session

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def collection():
    return making.collection(n_queries=8)


@pytest.fixture
def draft(collection):
    run = making.run(collection, "a", {query: list(range(10)) for query in range(8)})
    return making.draft(collection, [run], name="large", depth=10)


@pytest.fixture
def judged(collection):
    """A pool of two of the pairs, one of them judged."""
    pool = making.opened(collection, [making.run(collection, "b", {0: [0, 1]})], name="small")
    person = cast.annotator(collection)
    batch = claiming.current_batch(annotator=person)
    answer = judging.Answer(submission_id=uuid4(), grade=1)
    judging.record_judgment(annotator=person, token=batch.hand_outs.first().token, answer=answer)
    return pool


@contextmanager
def held_up(hold):
    """A worker that opens the pool and waits for what `hold` holds; gives its database process and what it raised."""
    raised = []

    @for_a_thread
    def work(pool):
        try:
            pools.open_pool(pool=Pool.objects.get(pk=pool.pk))
        except OperationalError as error:
            raised.append(error)

    def begin(pool):
        thread = threading.Thread(target=work, args=[pool])
        thread.start()
        return thread, waiting_session(unless=lambda: not thread.is_alive())

    with transaction.atomic():
        hold()
        yield begin, raised


def hold_round_pairs():
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE annotate_roundpair IN EXCLUSIVE MODE")


def terminate(process):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [process])


def nothing_wrong():
    return [(check.name, list(check.find())) for check in CHECKS if not check.notice and list(check.find())] == []


def test_a_database_process_killed_in_mid_opening_leaves_nothing_and_the_next_attempt_opens(draft):
    pools.request_opening(pool=draft)
    with held_up(hold_round_pairs) as (begin, raised):
        thread, process = begin(draft)
        terminate(process)
        thread.join(240)
    assert len(raised) == 1
    draft.refresh_from_db()
    assert (draft.state, draft.attempts, draft.round) == ("opening", 1, None)
    assert (Pair.objects.count(), PoolPair.objects.count(), Round.objects.count(), Seat.objects.count()) == (0, 0, 0, 0)
    pools.open_pool(pool=draft)
    assert (draft.state, draft.pool_pairs.count(), Seat.objects.filter(state="free").count()) == ("open", 80, 80)
    assert nothing_wrong()


def test_an_opening_killed_at_the_pairs_others_are_at_goes_on_from_there(draft, judged):
    pools.request_opening(pool=draft)
    known = Pair.objects.filter(pool_pairs__pool=judged)
    with held_up(lambda: list(known.select_for_update(of=("self",), no_key=True))) as (begin, raised):
        thread, process = begin(draft)  # the half of it that is new is stored: nobody's pair was waited for
        assert Pool.objects.get(pk=draft.pk).round.state == "opening"
        terminate(process)
        thread.join(240)
    assert len(raised) == 1
    draft.refresh_from_db()
    assert (draft.state, draft.pool_pairs.count()) == ("opening", 80)
    assert nothing_wrong()
    batch = claiming.current_batch(annotator=cast.annotator(judged.collection))
    assert batch is None or not batch.hand_outs.filter(seat__round=draft.round).exists()
    with pytest.raises(pools.PoolState, match="has its pairs already"):
        pools.cancel_opening(pool=draft)
    pools.open_pool(pool=draft)
    assert (draft.state, draft.attempts, Round.objects.get(pk=draft.round_id).state) == ("open", 2, "open")
    assert nothing_wrong()


def test_an_opening_cancelled_on_its_way_leaves_nothing_and_may_be_asked_for_again(draft, job_clock):
    pools.request_opening(pool=draft)
    with held_up(hold_round_pairs) as (begin, raised):
        thread, _ = begin(draft)
        pools.cancel_opening(pool=draft)  # committed with the end of what holds the worker up
        job_clock.wait(1)
    thread.join(240)
    assert not thread.is_alive()
    draft.refresh_from_db()
    assert (raised, draft.state, draft.attempts) == ([], "draft", 0)
    assert (Pair.objects.count(), PoolPair.objects.count(), Round.objects.count()) == (0, 0, 0)
    assert Cancellation.objects.count() == 0
    pools.request_opening(pool=draft)
    pools.open_pool(pool=draft)
    assert draft.state == "open"


def test_progress_counts_pairs_up_to_all_of_them(draft, monkeypatch):
    monkeypatch.setattr(copying, "BLOCK", 30)
    told = []
    with transaction.atomic():
        opening.make_contents(pool=draft, tell=lambda done, total=None, unit="": told.append((done, total, unit)))
    assert told[0] == (0, None, "pairs")
    assert told[-1] == (80, 80, "pairs")
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


def test_a_closing_that_kills_its_worker_three_times_is_given_up_and_may_be_asked_for_again(judged, monkeypatch):
    pools.request_closing(pool=judged)
    assert waiting.unfinished_pools() == [judged.pk]
    with monkeypatch.context() as broken:
        broken.setattr(pools.seating, "finish_closing", die)
        for _ in range(3):
            with pytest.raises(MemoryError):
                pools.finish_pool(pool=judged)
        pools.finish_pool(pool=judged)
    assert (judged.state, "begun 3 times" in judged.error) == ("closing", True)
    assert waiting.unfinished_pools() == []
    with pytest.raises(pools.PoolState, match="is closing, not closed"):
        pools.request_reopening(pool=judged)
    pools.request_closing(pool=judged)
    pools.finish_pool(pool=judged)
    assert (judged.state, judged.error) == ("closed", "")
    assert nothing_wrong()
