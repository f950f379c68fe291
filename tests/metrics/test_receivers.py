"""Many judgments, one refresh: through the real Redis, and without one."""

import pytest

from annotate.models import Change
from metrics.models import Snapshot
from metrics.tasks import refresh, sweep
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


def test_many_judgments_ask_for_one_refresh(broker):
    study = studies.study()
    broker.flushdb()
    studies.judge(cast.annotator(study), n=10)
    assert Change.objects.filter(pair__isnull=False).count() == 10
    assert broker.llen("short") == 1


def test_each_collection_is_asked_for_on_its_own(broker):
    first, second = studies.study(), studies.study()
    broker.flushdb()
    studies.judge(cast.annotator(first), n=2)
    studies.judge(cast.annotator(second), n=2)
    assert broker.llen("short") == 2


def test_the_sweep_finds_what_the_broker_lost(broker):
    study = studies.study()
    Change.objects.update(at="2020-01-01T00:00Z")
    broker.flushdb()
    sweep()
    assert broker.llen("short") == 1
    refresh(collection_id=study.pk)
    broker.flushdb()
    sweep()
    assert broker.llen("short") == 0


def test_a_refresh_of_a_purged_collection_does_nothing():
    refresh(collection_id=0)
    assert not Snapshot.objects.exists()
