"""Golds, verdicts and withdrawals: what no longer counts, what is wanted again."""

from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import Batch, Gold, Judgment, JudgmentEvent, Resolution, Seat
from annotate.services.judging import claiming, judging, reports
from annotate.services.review import report_settling
from annotate.services.supervision import pausing, verdicts, withdrawing
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
work = partial(campaigns.judge_batch, grade=2)


@pytest.fixture
def collection():
    return campaigns.open_collection(
        4, grades=3, positive_from=2, batch_candidates=4, grouped=False
    )


@pytest.mark.parametrize(("answered", "right"), [(2, 1), (1, 0), (0, 0)])
def test_golds_are_right_on_the_right_side_of_the_threshold(collection, answered, right):
    pair = cast.pairs(collection, 1)[0]
    Gold.objects.create(
        collection=collection, pair=pair, grade=2, is_positive=True, origin="curated"
    )
    batch = work(cast.annotator(collection), grade=answered)
    assert (batch.n_golds_right, batch.n_golds) == (right, 1)


def test_a_rejected_batch_stops_counting_and_its_pairs_want_new_labels_from_others(collection):
    ann, lead = cast.annotator(collection), cast.member(collection, "lead")
    batch = work(ann)
    assert verdicts.reject_batch(batch=batch, by=lead, reason="failed both golds").n_done == 4
    assert Judgment.objects.count() == 4
    assert not Resolution.objects.exists()
    assert set(Seat.objects.filter(state="free").values_list("why", flat=True)) == {"top-up"}
    assert (
        JudgmentEvent.objects.filter(kind="withdrawn", by=lead, reason="failed both golds").count()
        == 4
    )
    assert claiming.current_batch(annotator=ann) is None
    assert work(cast.annotator(collection)).hand_outs.count() == 4
    assert Resolution.objects.filter(status="single").count() == 4


def test_an_unfinished_batch_cannot_be_rejected(collection):
    batch = work(cast.annotator(collection), limit=1)
    with pytest.raises(verdicts.BatchUnfinished, match="not finished"):
        verdicts.reject_batch(batch=batch, by=cast.user(), reason="too fast")
    assert Resolution.objects.count() == 1


def test_what_a_lead_is_told_to_do_about_an_unfinished_batch_works(collection):
    ann, lead = cast.annotator(collection), cast.member(collection, "lead")
    batch, since = work(ann, limit=1), timezone.now() - timedelta(hours=1)
    with pytest.raises(
        verdicts.BatchUnfinished, match="Wait for its last answer, or withdraw their labels"
    ):
        verdicts.reject_batch(batch=batch, by=lead, reason="too fast")
    assert (
        withdrawing.withdraw_annotator(
            annotator=ann, since=since, by=lead, reason="too fast"
        ).n_done
        == 1
    )
    work(ann)
    assert verdicts.reject_batch(batch=batch, by=lead, reason="too fast").n_done == 3


def test_what_a_lead_is_told_to_do_about_the_unfinished_batch_of_somebody_paused_works(collection):
    ann, lead = cast.annotator(collection), cast.member(collection, "lead")
    batch = work(ann, limit=1)
    pausing.pause(annotator=ann, by=lead, reason="too fast")
    Seat.objects.filter(state="held").update(leased_until=timezone.now() - timedelta(minutes=1))
    assert claiming.current_batch(annotator=ann) is None
    with pytest.raises(
        verdicts.BatchUnfinished, match="Let its annotator, who is paused, go on, or withdraw"
    ):
        verdicts.reject_batch(batch=batch, by=lead, reason="too fast")
    work(cast.annotator(collection))
    ann.refresh_from_db()
    pausing.resume(annotator=ann, by=lead)
    claiming.current_batch(annotator=ann)
    batch.refresh_from_db()
    assert batch.n_golds == 0  # others took the rest: it is finished, and its golds were counted
    assert verdicts.reject_batch(batch=batch, by=lead, reason="too fast").n_done == 1


def test_an_accepted_batch_is_settled(collection):
    batch = verdicts.accept_batch(batch=work(cast.annotator(collection)))
    assert (batch.verdict, batch.settled_at is not None) == (Batch.Verdict.ACCEPTED, True)


def test_one_persons_labels_are_withdrawn_from_a_moment_on(collection):
    ann, lead = cast.annotator(collection), cast.member(collection, "lead")
    work(ann)
    later, earlier = timezone.now() + timedelta(hours=1), timezone.now() - timedelta(hours=1)
    assert withdrawing.withdraw_annotator(annotator=ann, since=later, by=lead, reason="x") is None
    assert (
        withdrawing.withdraw_annotator(annotator=ann, since=earlier, by=lead, reason="x").n_done
        == 4
    )
    assert withdrawing.withdraw_annotator(annotator=ann, since=earlier, by=lead, reason="x") is None


def test_a_settled_report_brings_the_pair_back(collection):
    ann, lead = cast.annotator(collection), cast.member(collection, "lead")
    claiming.current_batch(annotator=ann)
    hand_out = claiming.open_hand_outs(annotator=ann).first()
    report = reports.report_pair(
        annotator=ann, token=hand_out.token, submission_id=uuid4(), kind="escalated", note="odd"
    )
    assert Resolution.objects.get().status == "escalated"
    report_settling.settle_reports(pair=report.pair, by=lead)
    assert not Resolution.objects.exists()
    assert Seat.objects.get(pk=hand_out.seat_id).state == "free"


def test_a_verdict_stands(collection):
    lead, batch = cast.member(collection, "lead"), work(cast.annotator(collection))
    verdicts.reject_batch(batch=batch, by=lead, reason="x")
    with pytest.raises(verdicts.BatchJudged, match="rejected already"):
        verdicts.accept_batch(batch=batch)


def test_a_rejection_withdraws_the_answer_that_counts_not_the_one_it_superseded(collection):
    ann, lead = cast.annotator(collection), cast.member(collection, "lead")
    batch = work(ann)
    hand_out = batch.hand_outs.first()
    judging.record_judgment(
        annotator=ann, token=hand_out.token, answer=JudgmentAnswer(uuid4(), grade=0)
    )
    assert verdicts.reject_batch(batch=batch, by=lead, reason="x").n_done == 4
    assert not Seat.objects.filter(state="done").exists()
