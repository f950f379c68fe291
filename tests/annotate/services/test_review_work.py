"""Decisions about many labels or pairs, carried out stretch by stretch: killed between two, lost, refused meanwhile.

To see these tests fail: keep no cursor in `review_work.go_on`, let it commit before it is kept, or ask nobody for rest.
"""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate import tasks
from annotate.models import Batch, Item, JudgmentEvent, Resolution, ReviewAction, ReviewWork, RoundPair, Seat
from annotate.services import carrying_on, excluding, gold_checks, review_work, reviewing, withdrawing
from tests import campaigns, cast
from tests.databases import at_once
from tests.sound import sound, sound_without_pools

pytestmark = pytest.mark.django_db
EARLIER, LATER = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)
N = 7


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """So that seven labels are many."""
    monkeypatch.setattr(review_work, "AT_ONCE", 2)
    monkeypatch.setattr(review_work, "STRETCH", 2)


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
    return withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason="guessed")


def restore(annotator, lead):
    return withdrawing.restore_annotator(annotator=annotator, since=EARLIER, until=LATER, by=lead, reason="did not")


def carried(work):
    carrying_on.carry_on(work=work)
    work.refresh_from_db()
    return work


def killed(work, monkeypatch, module):
    """One stretch, and half of the next one, lost with its worker."""
    work = review_work.go_on(work=work, way=carrying_on.WAYS[work.action.kind])
    assert (work.n_seen, work.finished_at) == (2, None)
    with monkeypatch.context() as patch:
        patch.setattr(module, "note_changes", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            carrying_on.carry_on(work=work)
    work.refresh_from_db()
    assert (work.n_seen, work.finished_at) == (2, None)


def counting():
    return Seat.objects.filter(state="done", purpose="label").count()


def test_what_is_much_is_written_down_at_once_and_done_by_a_worker(annotator, lead):
    work = withdraw(annotator, lead)
    assert (work.n_done, work.n_total, work.finished_at, counting()) == (0, N, None, N)
    assert (work.action.kind, work.action.n_moved, work.action.by) == ("labels_withdrawn", 0, lead)
    assert review_work.behind() == [work.pk]
    assert (tasks.carry_on_review, {"work_id": work.pk}) in list(tasks._overdue())
    tasks.carry_on_review(work_id=work.pk)
    assert (counting(), review_work.behind(), ReviewAction.objects.get().n_moved) == (0, [], N)
    assert review_work.outcome(carried(work)).startswith(f"7 answers of {annotator} no longer count")


def test_the_decision_sends_for_a_worker(annotator, lead, monkeypatch, django_capture_on_commit_callbacks):
    asked = []
    monkeypatch.setattr(tasks.carry_on_review, "apply_async", lambda **call: asked.append(call["kwargs"]))
    with django_capture_on_commit_callbacks(execute=True):
        work = withdraw(annotator, lead)
    assert asked == [{"work_id": work.pk}]


def test_a_withdrawal_killed_between_two_stretches_goes_on_there(annotator, lead, monkeypatch):
    killed(withdraw(annotator, lead), monkeypatch, withdrawing)
    assert counting() == N - 2
    assert sound_without_pools()
    work = carried(ReviewWork.objects.get())
    assert (work.n_done, work.n_surplus, counting(), Resolution.objects.count()) == (N, 0, 0, 0)
    assert set(Counter(JudgmentEvent.objects.values_list("judgment", flat=True)).values()) == {1}
    assert Seat.objects.filter(state="free").count() == N
    assert ReviewAction.objects.count() == 1
    assert sound_without_pools()
    carried(work)  # once more does nothing
    assert JudgmentEvent.objects.count() == N


def test_a_restoration_killed_between_two_stretches_goes_on_there(annotator, lead, monkeypatch):
    carried(withdraw(annotator, lead))
    others = cast.annotator(annotator.collection)
    campaigns.judge_batch(others, 0, limit=3)
    work = restore(annotator, lead)
    killed(work, monkeypatch, withdrawing)
    assert sound_without_pools()
    work = carried(work)
    assert (work.n_done, work.n_surplus, counting()) == (N - 3, 3, N)
    assert "3 stay out as surplus: others have given these pairs" in review_work.outcome(work)
    assert JudgmentEvent.objects.filter(kind="restored").count() == N - 3
    assert ReviewAction.objects.filter(kind="labels_restored").count() == 1
    assert sound_without_pools()


@pytest.mark.parametrize(("act", "verdict"), [("reject_batch", "rejected"), ("requeue_batch", "requeued")])
def test_a_large_batch_is_taken_out_and_back_in_by_a_worker(annotator, lead, monkeypatch, act, verdict):
    batch = Batch.objects.get()
    work = getattr(reviewing, act)(batch=batch, by=lead, reason="too fast")
    assert (batch.verdict, counting()) == (verdict, N)
    killed(work, monkeypatch, withdrawing)
    assert carried(work).n_done == N
    assert (counting(), sound_without_pools()) == (0, True)
    assert getattr(reviewing, act)(batch=batch, by=lead, reason="too fast") is None
    work = reviewing.reopen_batch(batch=batch, by=lead)
    killed(work, monkeypatch, withdrawing)
    assert (carried(work).n_done, counting(), batch.verdict, sound_without_pools()) == (N, N, "held", True)
    assert [each.n_moved for each in ReviewAction.objects.order_by("pk")] == [N, N]


def test_an_item_is_left_out_at_once_and_its_pairs_by_a_worker(annotator, lead, monkeypatch):
    item = Item.objects.get(side="query")
    work = excluding.exclude_item(item=item, by=lead, reason="a test card")
    assert (item.excluded_at is not None, RoundPair.objects.filter(dropped_at=None).count()) == (True, N)
    killed(work, monkeypatch, excluding)
    assert sound_without_pools()
    assert carried(work).n_done == N
    assert (RoundPair.objects.filter(dropped_at=None).count(), sound_without_pools()) == (0, True)
    work = excluding.restore_item(item=item, by=lead)
    killed(work, monkeypatch, excluding)
    assert sound_without_pools()
    assert carried(work).n_done == N
    assert (RoundPair.objects.filter(dropped_at=None).count(), counting(), sound_without_pools()) == (N, N, True)
    assert review_work.outcome(work) == "q0 is taken back in with its pairs, 7."
    assert ReviewAction.objects.count() == 2


def test_all_checks_are_silent_while_an_items_pairs_are_gone_through():
    campaign = campaigns.campaign("made")
    item = Item.objects.filter(collection=campaign.collection, side="query").first()
    for act in (excluding.exclude_item, excluding.restore_item):
        work = act(item=item, by=campaign.lead, reason="a test card")
        assert sound()
        assert carried(work).finished_at
        assert sound()


def test_what_undoes_a_decision_under_way_is_refused_until_it_is_done(annotator, lead):
    batch, item = Batch.objects.get(), Item.objects.get(side="query")
    work = withdraw(annotator, lead)
    review_work.go_on(work=work, way=withdrawing.withdraw_some)
    so_far = f"Withdrawing answers of {annotator}: 2 of 7 so far. Wait until that is done."
    for again in (
        lambda: withdraw(annotator, lead), lambda: restore(annotator, lead),
        lambda: reviewing.reject_batch(batch=batch, by=lead, reason="x"),
    ):  # fmt: skip
        with pytest.raises(review_work.UnderWay, match=so_far):
            again()
    assert (batch.verdict, Batch.objects.get().verdict, ReviewAction.objects.count()) == ("", "", 1)
    carried(work)
    restore(annotator, lead)
    excluding.exclude_item(item=item, by=lead, reason="odd")
    with pytest.raises(review_work.UnderWay, match="Leaving out the pairs of query q0: 0 of 7 so far"):
        excluding.restore_item(item=item, by=lead)
    assert Item.objects.get(side="query").excluded_at is not None


def test_answers_given_after_the_decision_stay_and_changed_ones_go(collection, annotator, lead):
    work = withdraw(annotator, lead)
    hand_out = Batch.objects.get().hand_outs.select_related("batch__annotator").last()
    campaigns.judge(hand_out, 0)  # a change of mind
    campaigns.open_pool_round(collection, cast.pairs(collection, 3), name="more")
    campaigns.judge_batch(annotator, 1)
    assert carried(work).n_done == N
    assert sorted(Resolution.objects.values_list("grade", flat=True)) == [1, 1, 1]
    assert sound_without_pools()


def test_a_batch_that_the_policy_rejects_waits_for_a_decision_under_way(annotator, lead):
    work = withdraw(annotator, lead)
    Batch.objects.update(verdict="held", gold_action="reject", finished_at=EARLIER)
    gold_checks.reject_failed(batch=Batch.objects.get())
    assert (Batch.objects.get().verdict, gold_checks.overdue()) == ("held", [Batch.objects.get().pk])
    carried(work)
    gold_checks.reject_failed(batch=Batch.objects.get())
    assert Batch.objects.get().verdict == "rejected"


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_do_nothing_twice(annotator, lead):
    work = withdraw(annotator, lead)

    def go_on(_):
        found = work
        while found.finished_at is None:
            found = review_work.go_on(work=found, way=withdrawing.withdraw_some)

    at_once(go_on, range(4))
    assert JudgmentEvent.objects.count() == N
    assert (ReviewWork.objects.get().n_done, sound_without_pools()) == (N, True)
