"""The consequences of missed golds in a finished batch.

To see these tests fail: leave `check_batch` out of `claiming.finish_if_done`, or its verdict out.
"""

from datetime import timedelta

import pytest

from annotate import tasks
from annotate.models import Annotator, Batch, Gold, JudgmentEvent, ReviewAction, Seat
from annotate.services.golds import batch_checks
from annotate.services.judging import claiming, undoing, work_availability
from annotate.services.judging.hand_outs import BatchSettled
from annotate.services.supervision import verdicts
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def with_golds(**policy):
    """A collection that hands out batches of three candidates and four golds."""
    policy = {"gold_positives": 2, "gold_negatives": 2, **policy}
    collection = cast.collection(grades=2, batch_candidates=3, **policy)
    pairs = cast.pairs(collection, 14, per_query=14)
    for pair, grade in zip(pairs[10:], (1, 1, 0, 0), strict=True):
        Gold.objects.create(
            collection=collection, pair=pair, grade=grade, is_positive=grade > 0, origin="curated"
        )
    campaigns.open_pool_round(collection, pairs[:10])
    return collection


def finished(n_wrong=4, **policy):
    """A batch with so many of its four golds answered wrongly; as it then stands."""
    collection = with_golds(**policy)
    answer_all(campaigns.first_batch(collection), n_wrong)
    return Batch.objects.get(collection=collection)


def answer_all(hand_outs, n_wrong):
    grade_of = dict(Gold.objects.values_list("pair_id", "grade"))
    for hand_out in hand_outs:
        right = grade_of.get(hand_out.seat.pair_id, 1)
        is_wrong = n_wrong > 0 and hand_out.seat.purpose == "gold"
        n_wrong -= is_wrong
        campaigns.judge(hand_out, 1 - right if is_wrong else right)


def check_state(batch):
    return batch.n_golds, batch.n_golds_right, batch.gold_action, batch.verdict


@pytest.mark.parametrize(
    ("n_wrong", "gold_pass", "action"), [(0, "1", ""), (1, "0.75", ""), (2, "0.75", "hold")]
)
def test_a_finished_batch_is_held_when_too_few_of_its_golds_are_right(n_wrong, gold_pass, action):
    batch = finished(n_wrong, gold_action="hold", gold_pass=gold_pass)
    assert check_state(batch) == (4, 4 - n_wrong, action, "held" if action else "")


def in_batches_of_two(n_wrong, **policy):
    """Batches of two golds each, one after another, so many answered wrongly; as they are then."""
    policy = {"gold_action": "hold", "gold_pass": "0.75", **policy}
    collection = cast.collection(
        grades=2, batch_candidates=3, gold_positives=1, gold_negatives=1, **policy
    )
    n_golds = 2 * len(n_wrong)
    pairs = cast.pairs(
        collection, 10 * len(n_wrong) + n_golds, per_query=10 * len(n_wrong) + n_golds
    )
    for index, pair in enumerate(pairs[-n_golds:]):
        grade = index % 2
        Gold.objects.create(
            collection=collection, pair=pair, grade=grade, is_positive=grade > 0, origin="curated"
        )
    campaigns.open_pool_round(collection, pairs[:-n_golds])
    annotator = cast.annotator(collection)
    for wrong in n_wrong:
        claiming.current_batch(annotator=annotator)
        answer_all(
            list(
                claiming.open_hand_outs(annotator=annotator).select_related(
                    "seat", "batch__annotator"
                )
            ),
            wrong,
        )
    return [
        check_state(batch) for batch in Batch.objects.filter(annotator=annotator).order_by("number")
    ]


def test_nobody_fails_on_fewer_than_four_golds():
    assert in_batches_of_two([2]) == [(2, 0, "", "")]


def test_a_batch_with_fewer_golds_is_judged_together_with_those_before_it_once_they_are_enough():
    # 3 of 4
    assert in_batches_of_two([1, 0, 1]) == [(2, 1, "", ""), (2, 2, "", ""), (2, 1, "", "")]
    assert in_batches_of_two([1, 1]) == [(2, 1, "", ""), (2, 1, "hold", "held")]


def test_a_batch_whose_own_golds_are_right_does_not_fail_by_those_before_it():
    assert in_batches_of_two([2, 0]) == [(2, 0, "", ""), (2, 2, "", "")]


def test_what_one_batch_failed_by_fails_no_other_one():
    assert in_batches_of_two([2, 2, 1], gold_action="warn") == [
        (2, 0, "", ""),
        (2, 0, "warn", ""),
        (2, 1, "", ""),
    ]


def test_the_log_names_the_batches_whose_golds_were_counted_together():
    in_batches_of_two([1, 2], gold_action="pause")
    assert ReviewAction.objects.get().reason == "Golds: 1 of 4 right in batches 1 to 2."


def test_what_an_unfinished_batchs_golds_say_is_nobodys_business_yet():
    collection = cast.collection(grades=2, batch_candidates=3, gold_action="hold")
    pairs = cast.pairs(collection, 8)
    Gold.objects.create(
        collection=collection, pair=pairs[7], grade=1, is_positive=True, origin="curated"
    )
    campaigns.open_pool_round(collection, pairs[:6])
    hand_outs = campaigns.first_batch(collection)
    gold = next(hand_out for hand_out in hand_outs if hand_out.seat.purpose == "gold")
    campaigns.judge(gold, 0)
    assert check_state(Batch.objects.get()) == (None, None, "", "")


def test_a_held_batchs_labels_count_until_a_lead_decides_and_its_answers_stand():
    batch = finished(gold_action="hold")
    assert batch.settled_at == batch.finished_at
    assert Seat.objects.filter(purpose="label", state="done").count() == 3
    with pytest.raises(BatchSettled):
        undoing.take_back(annotator=batch.annotator, token=batch.hand_outs.last().token)
    verdicts.accept_batch(batch=batch)
    assert Batch.objects.get().verdict == "accepted"


def test_counting_only_leaves_the_batch_as_it_is():
    batch = finished(gold_action="none")
    assert check_state(batch) == (4, 0, "none", "")
    assert batch.settled_at is None


def test_who_is_warned_reads_one_plain_sentence_between_batches_that_names_no_pair():
    batch = finished(gold_action="warn")
    message = work_availability.no_card_reason(annotator=batch.annotator, wants_more=False)[
        "message"
    ]
    assert message == f"Batch 1 is done and saved. {batch_checks.WARNING}"
    right = finished(0, gold_action="warn")
    assert (
        work_availability.no_card_reason(annotator=right.annotator, wants_more=False)["message"]
        == "Batch 1 is done and saved."
    )


def test_a_changed_answer_to_a_finished_batchs_gold_is_counted_again():
    batch = finished(2, gold_action="warn")
    gold = next(
        hand_out
        for hand_out in batch.hand_outs.select_related("seat__judgment__level", "batch__annotator")
        if hand_out.seat.purpose == "gold"
        and hand_out.seat.judgment.level.grade != Gold.objects.get(pair=hand_out.seat.pair_id).grade
    )
    campaigns.judge(gold, Gold.objects.get(pair=gold.seat.pair_id).grade)
    # what she is told must not say which answer it was
    assert check_state(Batch.objects.get()) == (4, 3, "warn", "")


def test_a_rejected_batchs_labels_are_withdrawn_and_asked_for_again_by_the_policy():
    batch = finished(gold_action="reject")
    assert check_state(batch) == (4, 0, "reject", "held")
    tasks.reject_batch(batch_id=batch.pk)
    assert Batch.objects.get().verdict == "rejected"
    assert Seat.objects.filter(purpose="label", state="free").count() == 10
    events = JudgmentEvent.objects.filter(kind="withdrawn")
    assert set(events.values_list("by", "reason")) == {(None, "Golds: 0 of 4 right.")}
    assert events.count() == 7
    assert list(ReviewAction.objects.values_list("kind", "by")) == [("batch_rejected", None)]


def test_finishing_a_batch_that_is_to_be_rejected_queues_the_work(
    django_capture_on_commit_callbacks, monkeypatch
):
    task_arguments = []
    monkeypatch.setattr(
        tasks.reject_batch, "apply_async", lambda **call: task_arguments.append(call["kwargs"])
    )
    with django_capture_on_commit_callbacks(execute=True):
        batch = finished(gold_action="reject")
    assert {"batch_id": batch.pk} in task_arguments


def test_a_lost_rejection_is_found_and_one_that_a_lead_took_back_is_not_repeated():
    batch = finished(gold_action="reject")
    # just now, however slow this is
    Batch.objects.update(finished_at=batch.opened_at + timedelta(days=1))
    assert batch_checks.overdue() == []
    Batch.objects.update(finished_at=batch.opened_at.replace(year=2020))
    assert batch_checks.overdue() == [batch.pk]
    batch_checks.reject_failed(batch=batch)
    assert JudgmentEvent.objects.filter(kind="withdrawn").count() == 7
    verdicts.reopen_batch(batch=Batch.objects.get(), by=None, reason="no")
    assert batch_checks.overdue() == []
    batch_checks.reject_failed(batch=Batch.objects.get())
    assert JudgmentEvent.objects.filter(kind="withdrawn").count() == 7
    assert Seat.objects.filter(purpose="label", state="done").count() == 3


def test_who_is_paused_by_her_golds_gets_nothing_more_and_the_log_says_who_did_it():
    batch = finished(gold_action="pause")
    annotator = Annotator.objects.get()
    assert annotator.paused_at is not None
    assert claiming.current_batch(annotator=annotator) is None
    assert check_state(batch) == (4, 0, "pause", "held")
    assert list(ReviewAction.objects.values_list("kind", "by", "reason")) == [
        ("paused", None, "Golds: 0 of 4 right.")
    ]


def test_who_is_paused_by_golds_whose_batch_ends_with_what_others_took_gets_no_further_batch():
    collection = with_golds(gold_action="pause")
    *golds, last, _, _ = sorted(
        campaigns.first_batch(collection), key=lambda hand_out: hand_out.seat.purpose != "gold"
    )
    answer_all(golds, 4)
    annotator = golds[0].batch.annotator
    lost = Seat.objects.filter(annotator=annotator, purpose="label")
    lost.update(
        annotator=cast.annotator(collection), leased_until=last.batch.opened_at + timedelta(days=1)
    )
    assert claiming.current_batch(annotator=annotator) is None
    assert Annotator.objects.get(pk=annotator.pk).paused_at is not None
    assert Batch.objects.filter(annotator=annotator).count() == 1


def test_a_retired_gold_speaks_for_nobody():
    collection = cast.collection(grades=2, batch_candidates=3, gold_action="hold")
    pairs = cast.pairs(collection, 8)
    Gold.objects.create(
        collection=collection, pair=pairs[7], grade=1, is_positive=True, origin="curated"
    )
    campaigns.open_pool_round(collection, pairs[:6])
    hand_outs = campaigns.first_batch(collection)
    Gold.objects.update(retired_at="2026-01-01T00:00Z")
    answer_all(hand_outs, 1)
    assert check_state(Batch.objects.get()) == (0, 0, "", "")
