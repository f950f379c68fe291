"""Permission to publish a run in releases, under its name and with its file: its uploader's alone.

A hidden run is in no release, whatever its uploader allows.
"""

from django.db import transaction

from annotate.models import User
from pooling.models import Run, RunEvent


class MayNotAllow(Exception):
    """Only who uploaded a run may say whether releases show it; nothing was changed."""


def may_allow(*, run: Run, by: User) -> bool:
    """True if a person may say whether a run may be published: who uploaded it, nobody else.

    Site admins may where no uploader is left to ask: there was none, or the account is closed.
    """
    uploader = uploader_to_ask(run)
    return by.is_superuser if uploader is None else uploader == by


def uploader_to_ask(run: Run) -> User | None:
    """Return the uploader of a run; None if there was none, or the account is closed."""
    uploader = run.uploaded_by
    return uploader if uploader is not None and uploader.is_active else None


@transaction.atomic
def set_may_be_published(*, run: Run, may_be_published: bool, by: User) -> None:
    """Let releases from now on show a run's name and hold its file, or not; earlier ones stay.

    Each change is a RunEvent. Raises MayNotAllow.
    """
    locked_run = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if not may_allow(run=locked_run, by=by):
        raise MayNotAllow("Only who uploaded a run may say whether it may be published.")
    if locked_run.may_be_published != may_be_published:
        locked_run.may_be_published = may_be_published
        locked_run.save(update_fields=["may_be_published"])
        kinds = RunEvent.Kind
        kind = kinds.RELEASABLE if may_be_published else kinds.UNRELEASABLE
        RunEvent.objects.create(run=locked_run, kind=kind, by=by)
    run.refresh_from_db()
