"""Labels withdrawn and restored: what counts, what is asked again, what stays out as surplus."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from annotate.core.consequences import CountChanged
from annotate.models import Batch, Judgment, Resolution, ReviewAction, Round, Seat
from annotate.services import seating
from annotate.services.judging import claiming
from annotate.services.people import accounts
from annotate.services.review import adjudicating, exclusions
from annotate.services.supervision import pausing, verdicts, withdrawing
from annotate.services.supervision.consequences import restoration_consequences
from tests import campaigns, cast
from tests.tables.soundness import is_sound_without_pools

pytestmark = pytest.mark.django_db
work = partial(campaigns.judge_batch, grade=2)
EARLIER, LATER = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)


@pytest.fixture
def collection():
    return campaigns.open_collection(
        4, grades=3, positive_from=2, batch_candidates=4, gold_positives=0, gold_negatives=0
    )


def restore(annotator, lead):
    why = {"by": lead, "reason": "a mistake"}
    return moved(
        withdrawing.restore_annotator(annotator=annotator, since=EARLIER, until=LATER, **why)
    )


def moved(work):
    """Answers that count again, and that stay out."""
    return (work.n_done, work.n_surplus) if work else (0, 0)


def states(collection):
    """The resolution of each pair, and its seats with what fills them."""
    seats = Seat.objects.filter(collection=collection).exclude(state=Seat.State.WITHDRAWN)
    return [
        *Resolution.objects.order_by("pair").values_list("pair", "status", "grade", "n_labels"),
        *seats.order_by("pair", "number").values_list("pair", "number", "state", "judgment"),
    ]


def test_what_would_be_withdrawn_is_counted_first(collection, lead):
    annotator = cast.annotator(collection)
    work(annotator, limit=3)
    would = withdrawing.withdrawable(annotator=annotator, since=EARLIER)
    assert (would.n_labels, would.n_checks, would.n_pairs, would.n) == (3, 0, 3, 3)
    with pytest.raises(CountChanged, match="It would be about 3 answers by now, not 2"):
        withdrawing.withdraw_annotator(
            annotator=annotator, since=EARLIER, by=lead, reason="x", expected=2
        )
    assert Resolution.objects.count() == 3
    decision = withdrawing.withdraw_annotator(
        annotator=annotator, since=EARLIER, by=lead, reason="x", expected=3
    )
    assert moved(decision) == (3, 0)
    assert withdrawing.withdrawable(annotator=annotator, since=EARLIER).n == 0
    assert is_sound_without_pools()


def test_answers_withdrawn_in_between_for_another_reason_are_told_of(collection, lead):
    annotator = cast.annotator(collection)
    for reason in ("careless", "too fast", "careless"):
        work(annotator, limit=1)
        withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason=reason)
    careless, fast = withdrawing.withdrawals(annotator=annotator)
    assert (careless.reason, careless.n, careless.n_others) == ("careless", 2, 1)
    assert (fast.reason, fast.n, fast.n_others) == ("too fast", 1, 0)
    acts = restoration_consequences(annotator=annotator, withdrawal=careless)
    assert acts.button == "Restore 3 answers"
    assert acts.sentences[1].startswith("1 of them was withdrawn in between for another reason")
    decision = withdrawing.restore_annotator(
        annotator=annotator,
        since=careless.since,
        until=careless.until,
        by=lead,
        reason="a mistake",
        expected=acts.n,
    )
    assert moved(decision) == (3, 0)


def test_restored_labels_count_again_and_agreement_is_as_before(collection, lead):
    annotator = cast.annotator(collection)
    work(annotator)
    before = campaigns.agreement(collection)
    withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason="guessed")
    assert (campaigns.agreement(collection) == before, Resolution.objects.count()) == (False, 0)
    assert Seat.objects.filter(state="free").count() == 4
    assert [
        (withdrawal.reason, withdrawal.n)
        for withdrawal in withdrawing.withdrawals(annotator=annotator)
    ] == [("guessed", 4)]
    assert restore(annotator, lead) == (4, 0)
    assert (
        campaigns.agreement(collection),
        Resolution.objects.filter(status="single").count(),
    ) == (before, 4)
    assert not Seat.objects.filter(state="free").exists()
    assert withdrawing.withdrawals(annotator=annotator) == []
    assert is_sound_without_pools()
    actions = ReviewAction.objects.order_by("pk").values_list("kind", "n_labels", "reason")
    assert list(actions) == [
        ("labels_withdrawn", 4, "guessed"),
        ("labels_restored", 4, "a mistake"),
    ]


def test_a_label_whose_place_was_taken_meanwhile_stays_surplus(collection, lead):
    annotator = cast.annotator(collection)
    work(annotator)
    withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason="guessed")
    work(cast.annotator(collection), grade=0, limit=1)
    assert restore(annotator, lead) == (3, 1)
    assert sorted(Resolution.objects.values_list("grade", flat=True)) == [0, 2, 2, 2]
    assert Judgment.objects.filter(annotator=annotator, seat=None).count() == 1
    assert is_sound_without_pools()


def test_a_third_label_that_two_agree_without_comes_back_as_it_was(lead):
    collection = campaigns.open_collection(
        2, grades=3, labels_per_pair=2, ceiling=3, gold_positives=0, gold_negatives=0
    )
    for grade in (0, 1):
        work(cast.annotator(collection), grade=grade)
    third = cast.annotator(collection)
    work(third, grade=1)
    before = states(collection)
    for annotator in collection.annotators.order_by("pk"):
        why = {"by": lead, "reason": "guessed"}
        withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, **why)
        assert restore(annotator, lead) == (2, 0)
        assert states(collection) == before
    assert is_sound_without_pools()


def test_a_third_label_stays_surplus_once_somebody_else_gave_it(lead):
    collection = campaigns.open_collection(
        2, grades=3, labels_per_pair=2, ceiling=3, gold_positives=0, gold_negatives=0
    )
    annotators = [cast.annotator(collection) for _ in range(4)]
    work(annotators[0], grade=0)
    work(annotators[1], grade=1)
    why = {"by": lead, "reason": "guessed"}
    withdrawing.withdraw_annotator(annotator=annotators[1], since=EARLIER, **why)
    work(annotators[2], grade=0, limit=1)
    assert restore(annotators[1], lead) == (1, 1)
    assert is_sound_without_pools()


def test_labels_of_a_closed_round_come_back_too(collection, lead):
    annotator = cast.annotator(collection)
    work(annotator)
    seating.close_round(round_=Round.objects.get())
    withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason="guessed")
    assert is_sound_without_pools()
    assert restore(annotator, lead) == (4, 0)
    assert Resolution.objects.count() == 4
    assert is_sound_without_pools()


def test_labels_of_an_excluded_pair_come_back_too_and_it_stays_unjudged(collection, lead):
    annotator = cast.annotator(collection)
    work(annotator)
    withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason="guessed")
    exclusions.exclude_pair(pair=collection.pairs.first(), by=lead, reason="odd")
    assert restore(annotator, lead) == (4, 0)
    assert Resolution.objects.count() == 3
    assert is_sound_without_pools()


def test_undone_answers_are_not_restored(collection, lead):
    annotator = cast.annotator(collection)
    batch = work(annotator)
    # a change of mind
    campaigns.judge(batch.hand_outs.select_related("batch__annotator").first(), 0)
    withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason="x")
    assert restore(annotator, lead) == (4, 0)
    assert sorted(Resolution.objects.values_list("grade", flat=True)) == [0, 2, 2, 2]
    assert is_sound_without_pools()


def test_a_rejected_batch_comes_back_with_its_verdict_alone(collection, lead):
    annotator = cast.annotator(collection)
    batch = work(annotator)
    assert verdicts.reject_batch(batch=batch, by=lead, reason="too fast").n_done == 4
    assert restore(annotator, lead) == (0, 0)
    assert moved(verdicts.reopen_batch(batch=batch, by=lead, reason="looked again")) == (4, 0)
    assert (batch.verdict, Resolution.objects.count()) == ("", 4)
    assert is_sound_without_pools()
    with pytest.raises(verdicts.NoVerdict):
        verdicts.reopen_batch(batch=batch, by=lead)
    verdicts.accept_batch(batch=batch, by=lead)
    with pytest.raises(verdicts.BatchJudged, match="accepted already"):
        verdicts.reject_batch(batch=batch, by=lead, reason="x")
    kinds = ReviewAction.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["batch_rejected", "batch_reopened", "batch_accepted"]


def test_a_batch_asked_again_is_not_called_bad(collection, lead):
    batch = work(cast.annotator(collection))
    assert (
        verdicts.requeue_batch(batch=batch, by=lead, reason="the guidelines were wrong").n_done == 4
    )
    assert (batch.verdict, Seat.objects.filter(state="free").count()) == (Batch.Verdict.REQUEUED, 4)
    assert is_sound_without_pools()


def test_the_same_verdict_twice_is_one_line_of_the_log(collection, lead):
    batch = work(cast.annotator(collection))
    for _ in range(2):
        verdicts.accept_batch(batch=batch, by=lead)
    assert ReviewAction.objects.count() == 1


def test_an_adjudication_is_not_withdrawn_with_the_leads_own_labels(collection, lead):
    annotator = accounts.ensure_annotator(collection=collection, user=lead)
    adjudicating.adjudicate(pair=collection.pairs.first(), by=lead, grade=2)
    assert (
        withdrawing.withdraw_annotator(annotator=annotator, since=EARLIER, by=lead, reason="x")
        is None
    )
    assert Resolution.objects.get().status == "adjudicated"


def test_pausing_says_who_and_why_and_is_said_once(collection, lead):
    annotator = cast.annotator(collection)
    for _ in range(2):
        pausing.pause(annotator=annotator, by=lead, reason="is ill")
    assert claiming.current_batch(annotator=annotator) is None
    pausing.resume(annotator=annotator, by=lead)
    assert claiming.current_batch(annotator=annotator) is not None
    assert list(ReviewAction.objects.order_by("pk").values_list("kind", "by", "reason")) == [
        ("paused", lead.pk, "is ill"),
        ("resumed", lead.pk, ""),
    ]
