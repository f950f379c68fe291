"""A kind of work that is there for the tests, and some work of it."""

import pytest

from annotate.services.background import works
from tests import cast
from tests.annotate.services.background.work_of_sums import SumsWork


@pytest.fixture
def sums(monkeypatch):
    sums_work = SumsWork()
    monkeypatch.setattr(works, "KINDS", dict(works.KINDS))
    works.performs(
        "sums", subject="collection", on_finished=sums_work.on_finished, advice="Add up less."
    )(sums_work.perform)
    return sums_work


@pytest.fixture
def work(sums):
    collection = cast.collection()
    return works.ask(kind="sums", collection=collection, subject=collection.pk, by=None)
