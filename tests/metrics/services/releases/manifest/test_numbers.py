"""The numbers of a release are those that a refresh stores, without storing anything."""

import pytest

from annotate.models import Change
from metrics.models import Snapshot
from metrics.services.numbers import refresh
from metrics.services.releases.manifest.numbers import NAMES, count_numbers
from tests.metrics.services.releases.release_study import busy_study, read_only

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return busy_study()


def test_numbers_are_those_that_a_refresh_stores_and_count_what_waits_for_it(study):
    assert Change.objects.filter(collection=study).exists()
    with read_only():
        numbers = count_numbers(collection=study)
    refresh.refresh(collection=study)
    snapshots = Snapshot.objects.filter(collection=study, kind__in=NAMES)
    stored = {row.kind: row.value | {"n_judgments": row.n_judgments} for row in snapshots}
    sizes = numbers.values["agreement"]["labels_a_pair"]
    numbers.values["agreement"]["labels_a_pair"] = {str(size): n for size, n in sizes.items()}
    assert numbers.values == stored
    with read_only():
        assert count_numbers(collection=study).tallies == numbers.tallies


def test_the_same_labels_give_the_same_interval(study):
    first, second = (count_numbers(collection=study).values["agreement"] for _ in range(2))
    assert first == second
    assert first["planned"]["ordinal"]["low"] is not None
