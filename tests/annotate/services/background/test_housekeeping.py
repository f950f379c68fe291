"""Heartbeats and the settling of old batches."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate import tasks
from annotate.models import Batch, WorkerHeartbeat
from annotate.services.background import housekeeping
from annotate.services.judging import undoing
from annotate.services.judging.hand_outs import BatchSettled
from tests import campaigns

pytestmark = pytest.mark.django_db


def finished(*, minutes_ago):
    _, hand_outs = campaigns.collection_with_batch(pairs=2)
    for hand_out in hand_outs:
        campaigns.judge(hand_out)
    Batch.objects.update(finished_at=timezone.now() - timedelta(minutes=minutes_ago))
    return hand_outs


def test_a_worker_has_one_row_however_often_its_heart_beats():
    housekeeping.beat_heart(name="w", queues=["short"])
    an_hour_ago = timezone.now() - timedelta(hours=1)
    WorkerHeartbeat.objects.update(at=an_hour_ago)
    housekeeping.beat_heart(name="w", queues=["short"])
    assert WorkerHeartbeat.objects.get().at > an_hour_ago


def test_a_worker_silent_for_a_day_is_forgotten():
    WorkerHeartbeat.objects.create(name="old", at=timezone.now() - timedelta(days=2))
    housekeeping.beat_heart(name="new", queues=["long"])
    assert WorkerHeartbeat.objects.get().name == "new"


@pytest.mark.parametrize(("minutes_ago", "settled"), [(61, True), (0, False)])
def test_a_batch_is_settled_an_hour_after_it_was_finished(minutes_ago, settled):
    finished(minutes_ago=minutes_ago)
    tasks.sweep.apply()
    assert (Batch.objects.get().settled_at is not None) is settled


def test_an_unfinished_batch_is_not_settled():
    campaigns.collection_with_batch(pairs=2)
    Batch.objects.update(opened_at=timezone.now() - timedelta(days=3))
    assert housekeeping.settle_batches() == 0


def test_a_settled_answer_can_no_longer_be_undone():
    hand_outs = finished(minutes_ago=61)
    assert housekeeping.settle_batches() == 1
    assert housekeeping.settle_batches() == 0
    with pytest.raises(BatchSettled):
        undoing.take_back(annotator=hand_outs[0].batch.annotator, token=hand_outs[0].token)
