"""Background work, performed at once as a worker would."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

import pytest
from django.db.models import Model
from django.utils import timezone

from annotate.models import Collection, User, Work
from annotate.services.background import kept, works
from annotate.services.background.kept import Inquiry
from annotate.signals import value_requested

Subject = TypeVar("Subject", bound=Model)


def finished_work(
    collection: Collection,
    kind: str,
    subject: int,
    state: Work.State = Work.State.DONE,
    by: User | None = None,
) -> Work:
    """A Work row that has finished, of any kind."""
    code = "unfit" if state == Work.State.FAILED else ""
    return Work.objects.create(
        collection=collection,
        kind=kind,
        subject=subject,
        state=state,
        error_code=code,
        by=by,
        finished_at=timezone.now(),
    )


def perform_work(subject: Subject) -> Subject:
    """Perform the latest work of a download, import, run or pool, and return it reloaded."""
    subject.refresh_from_db()
    works.perform(work=subject.work)
    subject.refresh_from_db()
    return subject


@pytest.fixture
def overdue_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make asked or running work overdue at once.

    A start a minute ago would look as if the database, which is younger, had restarted since.
    """
    monkeypatch.setattr(works, "OVERDUE_AFTER", timedelta(0))


@contextmanager
def value_requests() -> Iterator[list[Inquiry]]:
    """The inquiries of kept values that are requested of a worker meanwhile."""
    inquiries: list[Inquiry] = []

    def note(inquiry: Inquiry, **_: object) -> None:
        inquiries.append(inquiry)

    value_requested.connect(note)
    try:
        yield inquiries
    finally:
        value_requested.disconnect(note)


def compute_anew(inquiry: Inquiry) -> bool:
    """Compute a kept value that is fresh by its time; False if its inputs are the same."""
    kept.values_of(inquiry=inquiry).update(fresh_until=timezone.now())
    return kept.compute(inquiry=inquiry)
