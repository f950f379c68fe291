"""Scheduled work of a worker: show that it is alive, settle old batches, delete leftovers."""

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.functions import Now

from annotate.models import Batch, ClockTimestamp, Import, Receipt, WorkerHeartbeat
from annotate.services.seating import lock_annotator
from annotate.services.storage.files import delete_on_commit

SETTLED_AFTER = timedelta(hours=1)
FORGOTTEN_AFTER = timedelta(days=1)
ORIGINALS_AT_ONCE = 200  # of one sweep


@transaction.atomic
def beat_heart(*, name: str, queues: Sequence[str]) -> None:
    """Note that the worker of these queues is alive; forget workers silent for a day."""
    WorkerHeartbeat.objects.filter(at__lt=ClockTimestamp() - FORGOTTEN_AFTER).delete()
    WorkerHeartbeat.objects.update_or_create(
        name=name, defaults={"at": ClockTimestamp(), "queues": list(queues)}
    )


def drop_cut_uploads() -> None:
    """Delete the files of uploads whose web process was killed."""
    until = time.time() - FORGOTTEN_AFTER.total_seconds()
    for file in (Path(settings.MEDIA_ROOT) / "uploads").glob("*"):
        with suppress(FileNotFoundError):  # an upload that ends just now takes its file along
            if file.stat().st_mtime < until:
                file.unlink()


def drop_old_sessions() -> int:
    """Delete the sessions that have expired; return how many."""
    return Session.objects.filter(expire_date__lt=Now()).delete()[0]


def drop_old_receipts() -> int:
    """Delete the receipts of requests that nobody repeats any more; return how many."""
    return Receipt.objects.filter(created_at__lt=Now() - FORGOTTEN_AFTER).delete()[0]


def drop_old_originals() -> int:
    """Delete the files of imports that ended long ago; return how many imports they were of.

    The stored rows stay, with the report and the checksum.
    """
    ended_imports = Import.objects.filter(
        work__finished_at__lt=Now() - timedelta(days=settings.KEEP_UPLOADS_DAYS)
    )
    imports_with_files = ended_imports.exclude(file="", media_file="").order_by("pk")
    n_dropped = 0
    for import_ in imports_with_files[:ORIGINALS_AT_ONCE]:
        with transaction.atomic():
            n_dropped += Import.objects.filter(pk=import_.pk).update(file="", media_file="")
            for name in filter(None, (import_.file.name, import_.media_file.name)):
                delete_on_commit(name)
    return n_dropped


def settle_batches() -> int:
    """Settle the answers of batches finished an hour ago for good; return how many batches."""
    due_batches = Batch.objects.filter(
        settled_at=None, finished_at__lt=ClockTimestamp() - SETTLED_AFTER
    )
    n_settled = 0
    for annotator_id in due_batches.values_list("annotator_id", flat=True).distinct():
        with transaction.atomic():
            lock_annotator(annotator_id)  # an undo under way may be reopening the batch
            n_settled += due_batches.filter(annotator=annotator_id).update(
                settled_at=ClockTimestamp()
            )
    return n_settled
