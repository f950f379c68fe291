"""Retiring a run drops the pairs that only it holds; all other pairs, and every judgment, stay."""

import pytest
from django.db import IntegrityError, connection, transaction

from annotate.models import Change, Judgment, RoundPair, Seat
from annotate.services.judging import claiming
from metrics.services.numbers import refresh, tallies
from pooling.models import RunEvent
from pooling.services.pages import pool_figures
from pooling.services.pools import pools, run_retirement
from tests import campaigns, cast
from tests.pooling import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def retire(run):
    run_retirement.retire_run(run=run, by=cast.user())
    run_retirement.settle_marks(run=run)


def restore(run):
    run_retirement.restore_run(run=run, by=cast.user())
    run_retirement.settle_marks(run=run)


def free(collection):
    """The pairs with a free seat."""
    return factories.external_ids(
        Seat.objects.filter(collection=collection, state="free", purpose="label")
    )


def dropped(pool):
    return factories.external_ids(
        RoundPair.objects.filter(round=pool.round, dropped_at__isnull=False)
    )


def test_pairs_that_only_the_retired_run_brought_leave_the_queue_and_come_back(collection):
    run_a, run_b = (
        factories.run(collection, "A", {0: [1, 2, 3]}),
        factories.run(collection, "B", {0: [2, 4], 1: [5]}),
    )
    pool = factories.opened(collection, [run_a, run_b], depth=2)
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d4"), ("q1", "d5")}
    retire(run_b)
    assert free(collection) == {("q0", "d1"), ("q0", "d2")}
    assert dropped(pool) == {("q0", "d4"), ("q1", "d5")}
    assert run_retirement.n_unique_pairs(run=run_b) == 2
    restore(run_b)
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d4"), ("q1", "d5")}
    assert dropped(pool) == set()


def test_what_a_second_open_pool_wants_stays_and_what_lies_below_the_pools_depth_does_not_count(
    collection,
):
    run_a, run_b = (
        factories.run(collection, "A", {0: [1, 2, 4]}),
        factories.run(collection, "B", {0: [4, 5]}),
    )
    factories.opened(collection, [run_a, run_b], name="first", depth=2)
    factories.opened(collection, [run_b], name="second", depth=1)
    other = factories.run(collection, "C", {0: [5]})
    factories.opened(collection, [other], name="third", depth=1)
    retire(run_b)
    # A holds d4 at rank 3, below depth 2; nobody but the third pool asks about d5.
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d5")}


def test_a_pool_is_done_when_what_it_still_wants_is_judged():
    collection = factories.collection(n_queries=1, batch_candidates=2)
    run_a, run_b = (
        factories.run(collection, "A", {0: [1]}),
        factories.run(collection, "B", {0: [2, 3]}),
    )
    pool = factories.opened(collection, [run_a, run_b], depth=2)
    annotator = cast.annotator(collection)
    for hand_out in claiming.current_batch(annotator=annotator).hand_outs.select_related(
        "seat", "batch__annotator"
    ):
        campaigns.judge(hand_out)
    refresh.refresh(collection=collection)
    assert pool_figures.pool_figures(pool=pool).states.n_pairs == 3
    retire(run_b)
    refresh.refresh(collection=collection)
    n_by_state = {
        state: n for (state,), n in tallies.read_tallies(collection=collection).rows("wanted")
    }
    is_judged = ("q0", "d1") not in free(collection)
    now = pool_figures.pool_figures(pool=pool).states
    assert (now.n_pairs, now.n_complete, now["left_out"]) == (1, int(is_judged), 2)
    assert n_by_state == {"left_out": 2, "complete" if is_judged else "untouched": 1}
    (row,) = pool_figures.pool_rows(collection=collection)
    assert (row.states.n_pairs, row.states.n_complete) == (1, int(is_judged))
    assert Judgment.objects.filter(collection=collection).count() == 2
    assert tallies.drift(collection=collection) == []
    assert list(run_retirement.differences_of_marks()) == []
    RoundPair.objects.filter(dropped_at__isnull=False).update(dropped_at=None)
    assert len(list(run_retirement.differences_of_marks())) == 2


def test_both_directions_count_and_two_retired_runs_drop_what_they_alone_share(collection):
    run_a, run_b = (
        factories.run(collection, "A", {0: [1]}),
        factories.run(collection, "B", {0: [1, 2]}),
    )
    back = factories.run(collection, "C", {2: [0]}, "reverse")
    pool = factories.opened(collection, [run_a, run_b, back], depth=2)
    retire(run_b)
    assert dropped(pool) == set()
    retire(back)
    assert dropped(pool) == {("q0", "d2")}
    restore(run_b)
    assert dropped(pool) == set()


def test_what_a_run_in_use_holds_only_since_an_item_is_left_out_stays_wanted(collection):
    run_a, run_b = (
        factories.run(collection, "A", {0: [1, 2]}),
        factories.run(collection, "B", {0: [2]}),
    )
    collection.items.filter(external_id="d1").update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="a test card"
    )
    pool = factories.opened(collection, [run_a, run_b], depth=1)
    assert free(collection) == {("q0", "d2")}
    retire(run_b)
    assert (free(collection), dropped(pool)) == ({("q0", "d2")}, set())


def test_judgments_stay_and_whoever_holds_a_pair_finishes_it():
    collection = factories.collection(n_queries=1, batch_candidates=2)
    run = factories.run(collection, "A", {0: [1, 2, 3, 4]})
    other = factories.run(collection, "B", {0: [1]})
    factories.opened(collection, [run, other], depth=4)
    batch = claiming.current_batch(annotator=cast.annotator(collection))
    first, second = batch.hand_outs.select_related("seat", "batch__annotator__user")
    campaigns.judge(first)
    retire(run)
    campaigns.judge(second)
    assert Judgment.objects.filter(collection=collection).count() == 2
    assert Seat.objects.filter(collection=collection, state="done").count() == 2
    assert free(collection) <= {("q0", "d1")}


def test_a_retired_run_is_retired_once_and_no_pool_opens_with_it(collection):
    run = factories.run(collection, "A", {0: [1]})
    draft = factories.draft(collection, [run])
    retire(run)
    with pytest.raises(run_retirement.WrongRunState, match='Run "A" is not in use'):
        run_retirement.retire_run(run=run, by=None)
    pools.open_pool(pool=draft)
    assert (draft.state, draft.phase, draft.work.error_code) == ("draft", "failed", "unfit")
    assert 'Run "A" is not ready' in draft.work.error
    assert [event.kind for event in run.events.all()] == [RunEvent.Kind.RETIRED]


def test_the_numbers_are_told_and_the_work_is_found_again_if_the_broker_loses_it(collection):
    run = factories.run(collection, "A", {0: [1]})
    pool = factories.opened(collection, [run], depth=1)
    Change.objects.all().delete()
    run_retirement.retire_run(run=run, by=None)
    assert run_retirement.runs_due() == [run.pk]
    assert list(run_retirement.differences_of_marks()) == []  # it is known to be unfinished
    run_retirement.settle_marks(run=run)
    assert run_retirement.runs_due() == []
    assert Change.objects.filter(collection=collection, pair=None).exists()
    RoundPair.objects.filter(round=pool.round).update(dropped_at=None)
    assert [text.split()[-1] for text in run_retirement.differences_of_marks()] == ["dropped"]


def test_what_was_done_to_a_run_can_be_neither_changed_nor_deleted(collection):
    run = factories.run(collection, "A", {0: [1]})
    run_retirement.retire_run(run=run, by=None)
    for statement in ("UPDATE pooling_runevent SET note = 'x'", "DELETE FROM pooling_runevent"):
        with (
            pytest.raises(IntegrityError, match="append-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
