"""Retiring a run drops what only it brought; what anybody else wants, and every judgment, stays."""

import pytest
from django.db import IntegrityError, connection, transaction

from annotate.models import Change, Judgment, RoundPair, Seat
from annotate.services import claiming
from metrics.services import refresh, tallies
from pooling.models import RunEvent
from pooling.services import figures, pools, retiring
from tests import campaigns, cast
from tests.pooling import making

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def retire(run):
    retiring.retire_run(run=run, by=cast.user())
    retiring.settle_marks(run=run)


def restore(run):
    retiring.restore_run(run=run, by=cast.user())
    retiring.settle_marks(run=run)


def free(collection):
    """The pairs that wait for somebody."""
    return making.named(Seat.objects.filter(collection=collection, state="free", purpose="label"))


def dropped(pool):
    return making.named(RoundPair.objects.filter(round=pool.round, dropped_at__isnull=False))


def test_pairs_that_only_the_retired_run_brought_leave_the_queue_and_come_back(collection):
    one, two = making.run(collection, "A", {0: [1, 2, 3]}), making.run(collection, "B", {0: [2, 4], 1: [5]})
    pool = making.opened(collection, [one, two], depth=2)
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d4"), ("q1", "d5")}
    retire(two)
    assert free(collection) == {("q0", "d1"), ("q0", "d2")}
    assert dropped(pool) == {("q0", "d4"), ("q1", "d5")}
    assert retiring.unique_pairs(run=two) == 2
    restore(two)
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d4"), ("q1", "d5")}
    assert dropped(pool) == set()


def test_what_a_second_open_pool_wants_stays_and_what_lies_below_the_pools_depth_does_not_count(collection):
    one, two = making.run(collection, "A", {0: [1, 2, 4]}), making.run(collection, "B", {0: [4, 5]})
    making.opened(collection, [one, two], name="first", depth=2)
    making.opened(collection, [two], name="second", depth=1)
    other = making.run(collection, "C", {0: [5]})
    making.opened(collection, [other], name="third", depth=1)
    retire(two)
    # A holds d4 at rank 3, below depth 2; nobody but the third pool asks about d5.
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d5")}


def test_a_pool_is_done_when_what_it_still_wants_is_judged():
    collection = making.collection(n_queries=1, batch_candidates=2)
    one, two = making.run(collection, "A", {0: [1]}), making.run(collection, "B", {0: [2, 3]})
    pool = making.opened(collection, [one, two], depth=2)
    annotator = cast.annotator(collection)
    for hand_out in claiming.current_batch(annotator=annotator).hand_outs.select_related("seat", "batch__annotator"):
        campaigns.judge(hand_out)
    refresh.refresh(collection=collection)
    assert figures.pool_figures(pool=pool).states.n_pairs == 3
    retire(two)
    refresh.refresh(collection=collection)
    wanted = {state: n for (state,), n in tallies.read_tallies(collection=collection).rows("wanted")}
    is_judged = ("q0", "d1") not in free(collection)
    now = figures.pool_figures(pool=pool).states
    assert (now.n_pairs, now.n_complete, now["left_out"]) == (1, int(is_judged), 2)
    assert wanted == {"left_out": 2, "complete" if is_judged else "untouched": 1}
    (row,) = figures.pool_rows(collection=collection)
    assert (row.states.n_pairs, row.states.n_complete) == (1, int(is_judged))
    assert Judgment.objects.filter(collection=collection).count() == 2
    assert tallies.drifted(collection=collection) == []
    assert list(retiring.differences_of_marks()) == []
    RoundPair.objects.filter(dropped_at__isnull=False).update(dropped_at=None)
    assert len(list(retiring.differences_of_marks())) == 2


def test_both_directions_count_and_two_retired_runs_drop_what_they_alone_share(collection):
    one, two = making.run(collection, "A", {0: [1]}), making.run(collection, "B", {0: [1, 2]})
    back = making.run(collection, "C", {2: [0]}, "reverse")
    pool = making.opened(collection, [one, two, back], depth=2)
    retire(two)
    assert dropped(pool) == set()
    retire(back)
    assert dropped(pool) == {("q0", "d2")}
    restore(two)
    assert dropped(pool) == set()


def test_what_a_run_in_use_holds_only_since_an_item_is_left_out_stays_wanted(collection):
    one, two = making.run(collection, "A", {0: [1, 2]}), making.run(collection, "B", {0: [2]})
    collection.items.filter(external_id="d1").update(excluded_at="2026-01-01T00:00Z", excluded_reason="a test card")
    pool = making.opened(collection, [one, two], depth=1)
    assert free(collection) == {("q0", "d2")}
    retire(two)
    assert (free(collection), dropped(pool)) == ({("q0", "d2")}, set())


def test_judgments_stay_and_whoever_holds_a_pair_finishes_it():
    collection = making.collection(n_queries=1, batch_candidates=2)
    run = making.run(collection, "A", {0: [1, 2, 3, 4]})
    other = making.run(collection, "B", {0: [1]})
    making.opened(collection, [run, other], depth=4)
    batch = claiming.current_batch(annotator=cast.annotator(collection))
    first, second = batch.hand_outs.select_related("seat", "batch__annotator__user")
    campaigns.judge(first)
    retire(run)
    campaigns.judge(second)
    assert Judgment.objects.filter(collection=collection).count() == 2
    assert Seat.objects.filter(collection=collection, state="done").count() == 2
    assert free(collection) <= {("q0", "d1")}


def test_a_retired_run_is_retired_once_and_no_pool_opens_with_it(collection):
    run = making.run(collection, "A", {0: [1]})
    draft = making.draft(collection, [run])
    retire(run)
    with pytest.raises(retiring.RunState, match='Run "A" is not in use'):
        retiring.retire_run(run=run, by=None)
    pools.open_pool(pool=draft)
    assert (draft.state, draft.phase, draft.work.error_code) == ("draft", "failed", "unfit")
    assert 'Run "A" is not ready' in draft.work.error
    assert [event.kind for event in run.events.all()] == [RunEvent.Kind.RETIRED]


def test_the_numbers_are_told_and_the_work_is_found_again_if_the_broker_loses_it(collection):
    run = making.run(collection, "A", {0: [1]})
    pool = making.opened(collection, [run], depth=1)
    Change.objects.all().delete()
    retiring.retire_run(run=run, by=None)
    assert retiring.due() == [run.pk]
    assert list(retiring.differences_of_marks()) == []  # it is known to be unfinished
    retiring.settle_marks(run=run)
    assert retiring.due() == []
    assert Change.objects.filter(collection=collection, pair=None).exists()
    RoundPair.objects.filter(round=pool.round).update(dropped_at=None)
    assert [text.split()[-1] for text in retiring.differences_of_marks()] == ["dropped"]


def test_what_was_done_to_a_run_can_be_neither_changed_nor_deleted(collection):
    run = making.run(collection, "A", {0: [1]})
    retiring.retire_run(run=run, by=None)
    for statement in ("UPDATE pooling_runevent SET note = 'x'", "DELETE FROM pooling_runevent"):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
