"""Openings that are cut off: killed or cancelled they leave nothing, and the next one ends."""

import threading
from contextlib import contextmanager
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction

from annotate.core.consequences import CountChanged
from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import Pair, Round, RoundPairState, Seat
from annotate.services.background import progress, works
from annotate.services.background.progress import Job
from annotate.services.judging import claiming, judging
from annotate.services.storage import bulk_copy
from config.management.commands.fsck import CHECKS
from pooling.models import Pool, PoolPair
from pooling.services.pools import opening, pools, queue_order, run_retirement
from tests import cast
from tests.pooling import factories
from tests.servers.database_sessions import waiting_session
from tests.servers.databases import closing_connections
from tests.servers.worker_kills import run_out_of_memory
from tests.works import perform_work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def collection():
    return factories.collection(n_queries=8)


@pytest.fixture
def draft(collection):
    run = factories.run(collection, "a", {query: list(range(10)) for query in range(8)})
    return factories.draft(collection, [run], name="large", depth=10)


@pytest.fixture
def judged(collection):
    """A pool of two of the pairs, one of them judged."""
    pool = factories.opened(collection, [factories.run(collection, "b", {0: [0, 1]})], name="small")
    person = cast.annotator(collection)
    batch = claiming.current_batch(annotator=person)
    answer = JudgmentAnswer(submission_id=uuid4(), grade=1)
    judging.record_judgment(annotator=person, token=batch.hand_outs.first().token, answer=answer)
    return pool


@contextmanager
def held_up(hold):
    """A worker that opens the pool and waits for `hold`; its database process, what it raised."""
    raised = []

    @closing_connections
    def work(pool):
        try:
            perform_work(Pool.objects.get(pk=pool.pk))
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
    return [
        (check.name, list(check.find()))
        for check in CHECKS
        if not check.notice and list(check.find())
    ] == []


def test_a_database_process_killed_in_mid_opening_leaves_nothing_and_the_next_attempt_opens(draft):
    pools.request_opening(pool=draft, by=None)
    with held_up(hold_round_pairs) as (begin, raised):
        thread, process = begin(draft)
        terminate(process)
        thread.join(240)
    assert len(raised) == 1
    draft.refresh_from_db()
    assert (draft.state, draft.phase, draft.round) == ("draft", "opening", None)
    assert (
        Pair.objects.count(),
        PoolPair.objects.count(),
        Round.objects.count(),
        Seat.objects.count(),
    ) == (0, 0, 0, 0)
    perform_work(draft)
    assert (draft.state, draft.pool_pairs.count(), Seat.objects.filter(state="free").count()) == (
        "open",
        80,
        80,
    )
    assert nothing_wrong()


def test_an_opening_killed_at_the_pairs_others_are_at_goes_on_from_there(draft, judged):
    pools.request_opening(pool=draft, by=None)
    earlier_pairs = Pair.objects.filter(pool_pairs__pool=judged)
    with held_up(lambda: list(earlier_pairs.select_for_update(of=("self",), no_key=True))) as (
        begin,
        raised,
    ):
        # the half of it that is new is stored: nobody's pair was waited for
        thread, process = begin(draft)
        assert Pool.objects.get(pk=draft.pk).round.state == "opening"
        terminate(process)
        thread.join(240)
    assert len(raised) == 1
    draft.refresh_from_db()
    assert (draft.state, draft.phase, draft.pool_pairs.count()) == ("draft", "opening", 80)
    assert nothing_wrong()
    batch = claiming.current_batch(annotator=cast.annotator(judged.collection))
    assert batch is None or not batch.hand_outs.filter(seat__round=draft.round).exists()
    with pytest.raises(pools.WrongPoolState, match="has its pairs already"):
        pools.cancel_opening(pool=draft, by=None)
    works.cancel(work=draft.work, by=None)
    draft.refresh_from_db()
    # what is stored cannot be taken back
    assert (draft.phase, draft.work.state) == ("opening", "running")
    perform_work(draft)
    assert (draft.state, draft.work.state, Round.objects.get(pk=draft.round_id).state) == (
        "open",
        "done",
        "open",
    )
    assert nothing_wrong()


def test_an_opening_cancelled_on_its_way_leaves_nothing_and_may_be_asked_for_again(
    draft, job_clock
):
    pools.request_opening(pool=draft, by=None)
    with held_up(hold_round_pairs) as (begin, raised):
        thread, _ = begin(draft)
        # committed with the end of what holds the worker up
        pools.cancel_opening(pool=draft, by=None)
        job_clock.wait(1)
    thread.join(240)
    assert not thread.is_alive()
    draft.refresh_from_db()
    assert (raised, draft.state, draft.phase, draft.work.state) == (
        [],
        "draft",
        "draft",
        "cancelled",
    )
    assert (Pair.objects.count(), PoolPair.objects.count(), Round.objects.count()) == (0, 0, 0)
    pools.request_opening(pool=draft, by=None)
    perform_work(draft)
    assert draft.state == "open"


def test_progress_counts_pairs_up_to_all_of_them(draft, monkeypatch):
    monkeypatch.setattr(bulk_copy, "BLOCK", 30)
    reports = []
    with transaction.atomic():
        opening.make_contents(
            pool=draft,
            on_progress=lambda n_done, total=None, unit="": reports.append((n_done, total, unit)),
        )
    assert reports[:2] == [(0, None, "pairs chosen"), (0, 80, "pairs")]
    assert reports[-1] == (80, 80, "pairs")
    assert [n_done for n_done, _, _ in reports] == sorted(n_done for n_done, _, _ in reports)


# How long choosing takes, and then a block's pairs, rows in the pool, rows in the round, and seats:
# in the proportions measured at 180,000 and 555,391 pairs, but for choosing, of which some
# strategies do much more.
CHOOSING, SHARES = 10.0, (0.31, 0.14, 0.14, 0.41)


def test_the_time_left_is_told_within_a_factor_of_two_from_the_first_blocks_on(
    draft, monkeypatch, job_clock
):
    monkeypatch.setattr(bulk_copy, "BLOCK", 2)
    waits = [CHOOSING, *[SHARES[0]] * 40, *[SHARES[1]] * 40, *SHARES[2:] * 40]
    job, estimates = Job("test", draft.pk), []

    def tell(n_done, total=None, unit=""):
        progress.advance(job=job, n_done=n_done, total=total, unit=unit)
        estimates.append((job_clock(), progress.progress_of(job=job).seconds_left))
        if waits:
            job_clock.wait(waits.pop(0))

    monkeypatch.setattr(progress, "SECONDS_BETWEEN", 0)
    with transaction.atomic():
        opening.make_contents(pool=draft, on_progress=tell)
    assert waits == []
    ended = estimates[-1][0]
    wrong = [(at, left) for at, left in estimates[3:-3] if not 0.5 < left / (ended - at) < 2]
    assert wrong == []


def test_a_closing_that_kills_its_worker_three_times_is_given_up_and_may_be_asked_for_again(
    judged, monkeypatch, overdue_at_once
):
    pools.request_closing(pool=judged, by=None)
    assert works.overdue() == [judged.work.pk]
    with monkeypatch.context() as broken:
        broken.setattr(pools.seating, "finish_closing", run_out_of_memory)
        for _ in range(3):
            with pytest.raises(MemoryError):
                perform_work(judged)
        perform_work(judged)
    assert (judged.state, judged.phase, judged.work.error_code) == ("open", "closing", "worn-out")
    assert works.overdue() == []
    assert nothing_wrong()
    with pytest.raises(pools.WrongPoolState, match="is closing, not closed"):
        pools.request_reopening(pool=judged, by=None)
    pools.request_closing(pool=judged, by=None)
    perform_work(judged)
    assert (judged.state, judged.phase, judged.work.error) == ("closed", "closed", "")
    assert nothing_wrong()


def test_a_pool_is_opened_again_for_no_more_pairs_than_was_told(judged):
    pools.close_pool(pool=judged)
    n_waiting = RoundPairState.objects.filter(
        round=judged.round_id, state__in=pools.WAITING
    ).count()
    with pytest.raises(CountChanged, match="by now"):
        pools.request_reopening(pool=judged, by=None, expected=n_waiting - 1)
    judged.refresh_from_db()
    assert judged.phase == "closed"
    pools.request_reopening(pool=judged, by=None, expected=n_waiting)
    assert judged.phase == "reopening"


@pytest.mark.parametrize(
    ("name", "state", "phase"),
    [
        ("closing", "open", "closing"),
        ("reopening", "closed", "reopening"),
    ],
)
def test_a_pool_whose_seats_are_being_gone_through_refuses_all_that_changes_it(
    judged, name, state, phase
):
    """It hands out nothing meanwhile, and no order is computed for it."""
    Pool.objects.filter(pk=judged.pk).update(strategy="maxmean")
    assert queue_order.has_live_pool(collection_id=judged.collection_id)
    if name == "reopening":
        pools.close_pool(pool=judged)
    asks = {"closing": pools.request_closing, "reopening": pools.request_reopening}
    asks[name](pool=judged, by=None)
    assert (judged.state, judged.phase) == (state, phase)
    assert (
        not queue_order.has_live_pool(collection_id=judged.collection_id)
        and queue_order.overdue_collections() == []
    )
    for request in (*asks.values(), pools.request_opening):
        with pytest.raises(pools.WrongPoolState):
            request(pool=judged, by=None)
    with pytest.raises(pools.WrongPoolState, match="close it instead"):
        pools.cancel_opening(pool=judged, by=None)
    assert claiming.current_batch(annotator=cast.annotator(judged.collection)) is None
    assert nothing_wrong()
    assert perform_work(judged).phase == {"closing": "closed", "reopening": "open"}[name]


def test_nobody_waits_for_a_pool_while_its_pairs_are_being_stored_and_who_is_retired_then_leaves_it(
    draft,
):
    run = draft.runs.get()
    pools.request_opening(pool=draft, by=None)
    with held_up(hold_round_pairs) as (begin, raised):
        thread, _ = begin(draft)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
        with pytest.raises(pools.WrongPoolState), transaction.atomic():
            pools.request_opening(pool=draft, by=None)
        run_retirement.retire_run(run=run, by=None)
        assert run_retirement.settle_marks(run=run) == 0  # there is nothing yet
    thread.join(240)
    assert raised == [] and not thread.is_alive()
    assert run_retirement.runs_due() == [run.pk]
    assert run_retirement.settle_marks(run=run) == 80
    assert nothing_wrong()
