"""Work that is done at once, as a worker would."""

from datetime import timedelta
from typing import TypeVar

import pytest
from django.db.models import Model
from django.utils import timezone

from annotate.models import Collection, Work
from annotate.services.background import works

Thing = TypeVar("Thing", bound=Model)


def ended(collection: Collection, kind: str, subject: int, state: Work.State = Work.State.DONE) -> Work:
    """Work that came to an end, whatever it was."""
    code = "unfit" if state == Work.State.FAILED else ""
    return Work.objects.create(
        collection=collection, kind=kind, subject=subject, state=state, error_code=code, finished_at=timezone.now()
    )


def done(thing: Thing) -> Thing:
    """A download, import, run or pool, once its latest work was performed, whatever became of it."""
    thing.refresh_from_db()
    works.perform(work=thing.work)
    thing.refresh_from_db()
    return thing


@pytest.fixture
def overdue_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for or begun is overdue at the next moment.

    That it was begun a minute ago would say here that the database, which is younger, went down since.
    """
    monkeypatch.setattr(works, "OVERDUE_AFTER", timedelta(0))
