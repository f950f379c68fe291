"""Decisions about many labels or pairs, in stretches: killed between two, given up, tried again.

To see these tests fail: keep no cursor in `decisions.go_on`, let it commit before it is kept, or
ask nobody for rest.
"""

from collections import Counter
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from annotate import tasks
from annotate.models import (
    Batch,
    Item,
    JudgmentEvent,
    Resolution,
    ReviewAction,
    ReviewWork,
    RoundPair,
    Seat,
    Work,
)
from annotate.services import seating
from annotate.services.background import works
from annotate.services.golds import batch_checks as gold_checks
from annotate.services.review import decision_handlers, exclusions
from annotate.services.supervision import bulk_decisions, verdicts, withdrawing
from tests import campaigns, cast
from tests.servers.databases import run_concurrently
from tests.servers.worker_kills import run_out_of_memory
from tests.tables.soundness import is_sound, is_sound_without_pools
from tests.works import perform_work

pytestmark = pytest.mark.django_db
EARLIER, LATER = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)
N = 7


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """Make seven labels many."""
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", 2)
    monkeypatch.setattr(bulk_decisions, "STRETCH", 2)


@pytest.fixture
def collection():
    return campaigns.open_collection(
        N, grades=3, positive_from=2, batch_candidates=N, gold_positives=0, gold_negatives=0
    )


@pytest.fixture
def annotator(annotator):
    campaigns.judge_batch(annotator, 2)
    return annotator


def withdraw(annotator, lead):
    return withdrawing.withdraw_annotator(
        annotator=annotator, since=EARLIER, by=lead, reason="guessed"
    )


def restore(annotator, lead):
    return withdrawing.restore_annotator(
        annotator=annotator, since=EARLIER, until=LATER, by=lead, reason="did not"
    )


def killed(decision, monkeypatch, module):
    """One stretch, and half of the next one, lost with its worker."""
    decision = bulk_decisions.go_on(
        decision=decision, handler=decision_handlers.HANDLERS[decision.action.kind]
    )
    assert (decision.n_examined, decision.is_done) == (2, False)
    with monkeypatch.context() as patch:
        patch.setattr(module, "note_changes", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            works.perform(work=decision.work)
    decision.refresh_from_db()
    assert (decision.n_examined, decision.is_done) == (2, False)


def dying(monkeypatch, *, after):
    """Workers die after so many stretches, each time."""
    left = [after]

    def note_changes(**arguments):
        if not left[0]:
            raise MemoryError
        left[0] -= 1
        seating.note_changes(**arguments)

    monkeypatch.setattr(withdrawing, "note_changes", note_changes)
    return left


def counting():
    return Seat.objects.filter(state="done", purpose="label").count()


def test_what_is_much_is_written_down_at_once_and_done_by_a_worker(annotator, lead):
    work = withdraw(annotator, lead)
    assert (work.n_done, work.n_total, work.work.state, counting()) == (0, N, "asked", N)
    assert (work.action.kind, work.action.n_moved, work.action.by) == ("labels_withdrawn", 0, lead)
    assert (work.work.kind, work.work.subject, work.work.by) == ("review", work.pk, lead)
    tasks.perform_work(work_id=work.work.pk)
    assert (counting(), ReviewAction.objects.get().n_moved) == (0, N)
    assert bulk_decisions.outcome(perform_work(work)).startswith(
        f"7 answers of {annotator} no longer count"
    )


def test_a_large_decision_sends_for_a_worker_and_a_small_one_is_done_when_it_is_made(
    annotator, lead, monkeypatch, django_capture_on_commit_callbacks
):
    sent_for = []
    monkeypatch.setattr(
        tasks.perform_work, "apply_async", lambda **call: sent_for.append(call["kwargs"])
    )
    with django_capture_on_commit_callbacks(execute=True):
        large = withdraw(annotator, lead)
    assert sent_for == [{"work_id": large.work.pk}]
    perform_work(large)
    monkeypatch.setattr(bulk_decisions, "SYNCHRONOUS_ROWS", N)
    with django_capture_on_commit_callbacks(execute=True):
        small = restore(annotator, lead)
    assert (small.n_done, small.work.state, counting(), len(sent_for)) == (N, "done", N, 1)


def test_workers_that_die_each_after_a_stretch_carry_it_out_together(annotator, lead, monkeypatch):
    decision = withdraw(annotator, lead)
    left = dying(monkeypatch, after=1)
    for n_seen in (2, 4, 6):
        with pytest.raises(MemoryError):
            works.perform(work=decision.work)
        assert ReviewWork.objects.get().n_examined == n_seen
        left[0] = 1
    assert (perform_work(decision).is_done, decision.n_done, counting()) == (True, N, 0)


def test_a_decision_at_which_three_workers_die_stands_half_done_until_it_is_tried_again(
    annotator, lead, monkeypatch
):
    decision = withdraw(annotator, lead)
    with monkeypatch.context() as patch:
        dying(patch, after=1)
        for _ in range(works.MAX_ATTEMPTS):
            with pytest.raises(MemoryError):
                works.perform(work=decision.work)
    assert perform_work(decision).is_failed and decision.work.error_code == "worn-out"
    assert decision.work.error.endswith(
        "What is done of it stands; try again, and the rest follows."
    )
    assert (counting(), is_sound_without_pools()) == (N - 2, True)
    assert bulk_decisions.failed(collection=annotator.collection) == [decision]
    for again in (withdraw, restore):
        with pytest.raises(bulk_decisions.DecisionUnderWay, match="it stopped at 2 of 7"):
            again(annotator, lead)
    works.ask_again(work=decision.work)
    assert (perform_work(decision).n_done, counting(), is_sound_without_pools()) == (N, 0, True)
    assert bulk_decisions.failed(collection=annotator.collection) == []
    assert restore(annotator, lead).n_total == N


def test_the_last_stretch_and_that_all_is_done_are_stored_together(annotator, lead, monkeypatch):
    decision = withdraw(annotator, lead)
    with monkeypatch.context() as patch:
        patch.setattr(works, "finish", run_out_of_memory)
        with pytest.raises(MemoryError):
            works.perform(work=decision.work)
    decision.refresh_from_db()
    assert (decision.n_examined, decision.is_done, counting()) == (N - 1, False, 1)


def test_all_checks_are_silent_while_an_item_stands_half_left_out():
    campaign = campaigns.campaign("made")
    item = Item.objects.filter(collection=campaign.collection, side="query").first()
    decision = exclusions.exclude_item(item=item, by=campaign.lead, reason="a test card")
    decision = bulk_decisions.go_on(decision=decision, handler=exclusions.drop_next_pairs)
    works.finish(work=decision.work, state=Work.State.FAILED, code="worn-out")
    assert is_sound()


def test_how_far_it_is_stands_in_its_row_and_the_time_left_comes_from_its_worker(annotator, lead):
    decision = bulk_decisions.go_on(
        decision=withdraw(annotator, lead), handler=withdrawing.withdraw_stretch
    )
    progress = bulk_decisions.decision_status(decision).progress
    assert (progress.n_done, progress.total, progress.unit, progress.time_left) == (
        2,
        N,
        "answers",
        "",
    )
    cache.set(f"job:review:{decision.work.pk}", (0, N, "answers", 30.0, timezone.now()))
    progress = bulk_decisions.decision_status(decision).progress
    assert (progress.n_done, progress.time_left) == (2, "30 seconds left")


def test_a_withdrawal_killed_between_two_stretches_goes_on_there(annotator, lead, monkeypatch):
    killed(withdraw(annotator, lead), monkeypatch, withdrawing)
    assert counting() == N - 2
    assert is_sound_without_pools()
    work = perform_work(ReviewWork.objects.get())
    assert (work.n_done, work.n_surplus, counting(), Resolution.objects.count()) == (N, 0, 0, 0)
    assert set(Counter(JudgmentEvent.objects.values_list("judgment", flat=True)).values()) == {1}
    assert Seat.objects.filter(state="free").count() == N
    assert ReviewAction.objects.count() == 1
    assert is_sound_without_pools()
    perform_work(work)  # once more does nothing
    assert JudgmentEvent.objects.count() == N


def test_a_restoration_killed_between_two_stretches_goes_on_there(annotator, lead, monkeypatch):
    perform_work(withdraw(annotator, lead))
    other = cast.annotator(annotator.collection)
    campaigns.judge_batch(other, 0, limit=3)
    work = restore(annotator, lead)
    killed(work, monkeypatch, withdrawing)
    assert is_sound_without_pools()
    work = perform_work(work)
    assert (work.n_done, work.n_surplus, counting()) == (N - 3, 3, N)
    assert "3 stay out: others have given these pairs" in bulk_decisions.outcome(work)
    assert JudgmentEvent.objects.filter(kind="restored").count() == N - 3
    assert ReviewAction.objects.filter(kind="labels_restored").count() == 1
    assert is_sound_without_pools()


@pytest.mark.parametrize(
    ("act", "verdict"), [("reject_batch", "rejected"), ("requeue_batch", "requeued")]
)
def test_a_large_batch_is_taken_out_and_back_in_by_a_worker(
    annotator, lead, monkeypatch, act, verdict
):
    batch = Batch.objects.get()
    work = getattr(verdicts, act)(batch=batch, by=lead, reason="too fast")
    assert (batch.verdict, counting()) == (verdict, N)
    killed(work, monkeypatch, withdrawing)
    assert perform_work(work).n_done == N
    assert (counting(), is_sound_without_pools()) == (0, True)
    assert getattr(verdicts, act)(batch=batch, by=lead, reason="too fast") is None
    work = verdicts.reopen_batch(batch=batch, by=lead)
    killed(work, monkeypatch, withdrawing)
    assert (perform_work(work).n_done, counting(), batch.verdict, is_sound_without_pools()) == (
        N,
        N,
        "",
        True,
    )
    assert [action.n_moved for action in ReviewAction.objects.order_by("pk")] == [N, N]


def test_an_item_is_left_out_at_once_and_its_pairs_by_a_worker(annotator, lead, monkeypatch):
    item = Item.objects.get(side="query")
    work = exclusions.exclude_item(item=item, by=lead, reason="a test card")
    assert (item.excluded_at is not None, RoundPair.objects.filter(dropped_at=None).count()) == (
        True,
        N,
    )
    killed(work, monkeypatch, exclusions)
    assert is_sound_without_pools()
    assert perform_work(work).n_done == N
    assert (RoundPair.objects.filter(dropped_at=None).count(), is_sound_without_pools()) == (
        0,
        True,
    )
    work = exclusions.restore_item(item=item, by=lead)
    killed(work, monkeypatch, exclusions)
    assert is_sound_without_pools()
    assert perform_work(work).n_done == N
    assert (
        RoundPair.objects.filter(dropped_at=None).count(),
        counting(),
        is_sound_without_pools(),
    ) == (N, N, True)
    assert bulk_decisions.outcome(work) == "q0 is taken back in with its pairs, 7."
    assert ReviewAction.objects.count() == 2


def test_all_checks_are_silent_while_an_items_pairs_are_gone_through():
    campaign = campaigns.campaign("made")
    item = Item.objects.filter(collection=campaign.collection, side="query").first()
    for act in (exclusions.exclude_item, exclusions.restore_item):
        work = act(item=item, by=campaign.lead, reason="a test card")
        assert is_sound()
        assert perform_work(work).is_done
        assert is_sound()


def test_what_undoes_a_decision_under_way_is_refused_until_it_is_done(annotator, lead):
    batch, item = Batch.objects.get(), Item.objects.get(side="query")
    work = withdraw(annotator, lead)
    bulk_decisions.go_on(decision=work, handler=withdrawing.withdraw_stretch)
    so_far = f"Withdrawing answers of {annotator}: 2 of 7 so far. Wait until that is done."
    for again in (
        lambda: withdraw(annotator, lead),
        lambda: restore(annotator, lead),
        lambda: verdicts.reject_batch(batch=batch, by=lead, reason="x"),
    ):
        with pytest.raises(bulk_decisions.DecisionUnderWay, match=so_far):
            again()
    assert (batch.verdict, Batch.objects.get().verdict, ReviewAction.objects.count()) == ("", "", 1)
    perform_work(work)
    restore(annotator, lead)
    exclusions.exclude_item(item=item, by=lead, reason="odd")
    with pytest.raises(
        bulk_decisions.DecisionUnderWay, match="Leaving out the pairs of query q0: 0 of 7 so far"
    ):
        exclusions.restore_item(item=item, by=lead)
    assert Item.objects.get(side="query").excluded_at is not None


def test_answers_given_after_the_decision_stay_and_changed_ones_go(collection, annotator, lead):
    work = withdraw(annotator, lead)
    hand_out = Batch.objects.get().hand_outs.select_related("batch__annotator").last()
    campaigns.judge(hand_out, 0)  # a change of mind
    campaigns.open_pool_round(collection, cast.pairs(collection, 3), name="more")
    campaigns.judge_batch(annotator, 1)
    assert perform_work(work).n_done == N
    assert sorted(Resolution.objects.values_list("grade", flat=True)) == [1, 1, 1]
    assert is_sound_without_pools()


def test_a_batch_that_the_policy_rejects_waits_for_a_decision_under_way(annotator, lead):
    work = withdraw(annotator, lead)
    Batch.objects.update(verdict="held", gold_action="reject", finished_at=EARLIER)
    gold_checks.reject_failed(batch=Batch.objects.get())
    assert (Batch.objects.get().verdict, gold_checks.overdue()) == (
        "held",
        [Batch.objects.get().pk],
    )
    perform_work(work)
    gold_checks.reject_failed(batch=Batch.objects.get())
    assert Batch.objects.get().verdict == "rejected"


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_do_nothing_twice(annotator, lead):
    work = withdraw(annotator, lead)

    def go_on(_):
        decision = ReviewWork.objects.get(pk=work.pk)
        while not decision.is_done:
            decision = bulk_decisions.go_on(decision=decision, handler=withdrawing.withdraw_stretch)

    run_concurrently(go_on, range(4))
    assert JudgmentEvent.objects.count() == N
    assert (ReviewWork.objects.get().n_done, is_sound_without_pools()) == (N, True)
