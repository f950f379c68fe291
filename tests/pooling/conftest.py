"""Fixtures: a collection and two runs, from which pools are made."""

import pytest

from annotate.models import Collection
from pooling.models import Run
from tests.pooling import factories


@pytest.fixture
def collection() -> Collection:
    """Four queries and thirty documents."""
    return factories.collection()


@pytest.fixture
def two_runs(collection: Collection) -> list[Run]:
    """Runs of two of the queries, which have one document in common for each."""
    return [
        factories.run(collection, "a", {0: [1, 2, 3], 1: [4, 5, 6]}),
        factories.run(collection, "b", {0: [2, 7, 1], 1: [4, 8, 9]}),
    ]
