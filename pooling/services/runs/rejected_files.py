"""Deletion of old files of rejected runs; the report on their faults stays.

A run that is ready keeps its file.
"""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotate.models import Work
from annotate.services.storage.files import delete_on_commit
from pooling.models import Run

AT_ONCE = 200  # files of one sweep


def drop_old() -> int:
    """Delete the files of runs that were rejected long ago; returns their number."""
    old_runs = (
        Run.objects.filter(
            state=Run.State.REJECTED,
            finished_at__lt=Now() - timedelta(days=settings.KEEP_UPLOADS_DAYS),
        )
        .exclude(file="")
        .exclude(work__state__in=Work.UNFINISHED)
    )
    n_dropped = 0
    for pk in list(old_runs.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        with transaction.atomic():
            # Locked and looked at again: the same name may be uploaded anew at this moment.
            run = old_runs.filter(pk=pk).select_for_update(no_key=True, of=("self",)).first()
            if run is not None and (name := run.file.name):
                Run.objects.filter(pk=pk).update(file="")
                delete_on_commit(name)
                n_dropped += 1
    return n_dropped
