"""Finished rounds and alarms are announced once for each time that they become so."""

import pytest
from django.utils import timezone

from annotate.models import Delivery, Resolution
from annotate.services.webhooks import hooks
from metrics.models import Snapshot
from metrics.services.numbers import alarms, finished_rounds, refresh
from pooling.models import Pool
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def row(state="open", kind="pool", n_pairs=2, **states):
    all_states = dict.fromkeys(
        (
            "left_out",
            "disputed",
            "escalated",
            "cannot_judge",
            "complete",
            "some_labels",
            "untouched",
        ),
        0,
    )
    return {
        "round": 7,
        "pool": 3,
        "kind": kind,
        "state": state,
        "n_pairs": n_pairs,
        "states": all_states | states,
    }


@pytest.mark.parametrize(
    ("progress_row", "is_finished"),
    [
        (row(complete=2), True),
        (row(complete=1, disputed=1), True),
        (row(complete=1, untouched=1), False),
        (row(complete=1, some_labels=1), False),
        (row(complete=2, state="opening"), False),
        (row(complete=2, kind="import"), False),
        (row(complete=2) | {"pool": None}, False),
        (row(n_pairs=0, left_out=2), False),
    ],
)
def test_a_round_is_finished_while_no_pair_of_its_pool_waits(progress_row, is_finished):
    assert finished_rounds.is_finished(progress_row) is is_finished


@pytest.fixture
def study():
    """A collection with an open pool of two pairs, one of them judged, and a webhook."""
    collection = cast.collection(
        "shapes", grades=3, batch_candidates=2, gold_positives=0, gold_negatives=0
    )
    Pool.objects.create(
        collection=collection,
        name="pool",
        strategy="depth-k",
        state="open",
        round=campaigns.open_pool_round(collection, cast.pairs(collection, 2)),
        opened_at=timezone.now(),
    )
    hooks.create_hook(
        collection=collection,
        url="https://hooks.example.org/x",
        events=["round.finished", "alarm.rose", "alarm.fell"],
        by=None,
    )
    return collection


def messages():
    return [(row.event, row.data) for row in Delivery.objects.order_by("pk")]


def test_a_round_is_announced_once_each_time_that_it_is_finished(study):
    annotator = cast.annotator(study)
    campaigns.judge_batch(annotator, limit=1)
    refresh.refresh(collection=study)
    assert messages() == []
    campaigns.judge_batch(annotator)
    refresh.refresh(collection=study)
    ((event, data),) = messages()
    pool = study.pools.get()
    assert event == "round.finished"
    assert data == {
        "collection": "shapes",
        "round": pool.round_id,
        "pool": pool.pk,
        "n_pairs": 2,
        "n_complete": 2,
        "n_for_leads": 0,
        "url": f"http://127.0.0.1:8000/api/v1/collections/shapes/pools/{pool.pk}/",
    }
    refresh.refresh(collection=study)
    refresh.rebuild(collection=study)
    assert len(messages()) == 1, "neither a second look nor a rebuild tells it anew"
    snapshot = Snapshot.objects.get(kind="progress")
    snapshot.value["rounds"][0]["states"] |= {"complete": 1, "some_labels": 1}
    snapshot.inputs_sha256 = "of before"
    snapshot.save()
    refresh.refresh(collection=study)
    assert len(messages()) == 2, "a pair of it had waited once more"
    assert Resolution.objects.count() == 2


def test_alarms_rise_and_fall_without_saying_whose(study):
    annotator = cast.annotator(study)
    campaigns.judge_batch(annotator)
    refresh.refresh(collection=study)
    Delivery.objects.all().delete()
    snapshot = Snapshot.objects.get(kind="people")
    snapshot.value["people"][0]["median_ms"] = 900
    snapshot.save()
    alarm = alarms.set_alarm(
        collection=study, kind="speed", below=30.0, n_at_least=1, by=cast.user()
    )
    ((event, data),) = messages()
    assert event == "alarm.rose"
    assert data == {
        "collection": "shapes",
        "alarm": alarm.pk,
        "kind": "speed",
        "below": 30.0,
        "url": f"http://127.0.0.1:8000/api/v1/collections/shapes/alarms/{alarm.pk}/",
    }
    alarms.check_alarms(collection=study)
    assert len(messages()) == 1
    alarm.__class__.objects.update(below=0)
    alarms.check_alarms(collection=study)
    assert [event for event, _ in messages()] == ["alarm.rose", "alarm.fell"]
    assert annotator.pseudonym not in str(messages())
