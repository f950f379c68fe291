"""Files brought into a collection: received at once, read in the background, whole or not at all.

The web form, the API and the commands come here. A worker that dies leaves an import as it was received, and a sweep
hands it to the next one; the same file with the same parameters is not read twice.
"""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import PurePath
from typing import BinaryIO, NamedTuple
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from annotate.core.formats import FormatError
from annotate.core.metering import Metered
from annotate.core.sources import Elsewhere, Source, ZipSource, open_source
from annotate.models import Collection, Import, User
from annotate.services.background import progress
from annotate.services.background.progress import Cancelled, Job
from annotate.services.background.workers import alone_with
from annotate.services.faults import FAULTS
from annotate.services.files import delete_on_commit
from annotate.services.import_kinds import KINDS, Asked, Work
from annotate.services.import_reports import ImportReport, report_of, report_of_fault

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
OVERDUE_AFTER = timedelta(seconds=20)
WORN_OUT = (
    f"Reading this file was begun {MAX_ATTEMPTS} times and never came to its end; the worker's log says why. "
    "Upload it again, or split it."
)


class Received(NamedTuple):
    """An import, and whether it is new: False for a file that was received before with the same parameters."""

    made: Import
    is_new: bool


def receive(
    *, collection: Collection, asked: Asked, upload: File, media: File | None = None, by: User | None = None
) -> Received:
    """Keep an uploaded file, to be read in the background by `run`.

    media : a zip of the media that a file of items names
    The same files asked for in the same way again change nothing, unless they were rejected or cancelled. Raises
    FormatError for an archive that no reader would open.
    """
    if media and not isinstance(open_source(media.file, _name(media)), ZipSource):
        raise FormatError(_name(media), None, "media", f"{_name(media)} is no zip archive; pack the media in one.")
    made = Import(
        collection=collection,
        kind=asked.kind,
        parameters=asked.parameters(),
        file_name=_name(upload),
        sha256=_checked(upload),
        media_name=_name(media) if media else "",
        media_sha256=_checked(media) if media else "",
        by=by,
    )
    return _store(made, upload, media)


@transaction.atomic
def _store(made: Import, upload: File, media: File | None) -> Received:
    # The collection's row is the lock: of two uploads of one file the second sees the first.
    Collection.objects.select_for_update(no_key=True).get(pk=made.collection_id)
    if known := _known(made):
        return Received(known, is_new=False)
    upload.seek(0)
    made.file.save(uuid4().hex, upload, save=False)
    if media:
        media.seek(0)
        made.media_file.save(uuid4().hex, media, save=False)
    made.save()
    return Received(made, is_new=True)


def _known(made: Import) -> Import | None:
    same = {name: getattr(made, name) for name in ("collection_id", "kind", "parameters", "sha256", "media_sha256")}
    alive = Import.objects.filter(state__in=[Import.State.RECEIVED, Import.State.DONE])
    return alive.filter(**same).order_by("pk").first() if made.sha256 else None


@transaction.atomic
def ask(*, collection: Collection, asked: Asked, name: str, by: User | None) -> Import:
    """Begin an import whose file lies elsewhere, as `asked` knows; one that is under way already goes on."""
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    same = {"collection": collection, "kind": asked.kind, "parameters": asked.parameters()}
    waiting = Import.objects.filter(state=Import.State.RECEIVED, **same).first()
    return waiting or Import.objects.create(file_name=name[-255:], by=by, **same)


def run_now(
    *,
    collection: Collection,
    asked: Asked,
    source: Source,
    sha256: str = "",
    media_source: Source | None = None,
    by: User | None = None,
) -> Received:
    """Read a file where it lies, for who works on the server itself; nothing of it is kept but what it says.

    Raises what is wrong with the file, and then no trace is left.
    """
    with transaction.atomic():
        made = Import(
            collection=collection,
            kind=asked.kind,
            parameters=asked.parameters(),
            file_name=source.name[-255:],
            sha256=sha256,
            media_name=media_source.name[-255:] if media_source else "",
            by=by,
        )
        if known := _known(made):
            return Received(known, is_new=False)
        loads = asked.load(Work(collection, source, media_source, by, progress.tell_nobody))
        made.state, made.report, made.finished_at = Import.State.DONE, report_of(loads).told(), Now()
        made.save()
    made.refresh_from_db()
    return Received(made, is_new=True)


def run(*, made: Import) -> None:
    """Read a received import's file: done with all of it, or rejected or cancelled with nothing, and a report.

    Safe to run twice, also at once: who comes second finds the import taken or finished. A worker that dies leaves
    the import as it was; after MAX_ATTEMPTS such deaths it is rejected.
    """
    with alone_with(made) as is_ours:
        if is_ours and _begin(made):
            try:
                _load(made)
            except Cancelled:
                _finish(made, Import.State.CANCELLED, ImportReport())
            except FAULTS as error:
                _finish(made, Import.State.REJECTED, report_of_fault(error))
    made.refresh_from_db()


@transaction.atomic
def _begin(made: Import) -> bool:
    """Count an attempt, committed before any work, so that one which kills its worker is counted too."""
    waiting = Import.objects.filter(pk=made.pk, state=Import.State.RECEIVED)
    if waiting.filter(attempts__gte=MAX_ATTEMPTS).exists():
        report = ImportReport(errors=[{"file": "", "line": None, "field": "", "message": WORN_OUT}], n_errors=1)
        _finish(made, Import.State.REJECTED, report)
    return waiting.update(attempts=F("attempts") + 1) == 1


def _load(made: Import) -> None:
    job = job_of(made)
    progress.advance(job=job, done=0)
    asked = KINDS[Import.Kind(made.kind)].of(made.parameters)
    with transaction.atomic(), _sources(made) as (source, media_source):

        def tell(done: int, total: int | None = None, unit: str = "rows") -> None:
            if total is None and unit == "rows":
                total = source.rows_in_all(done)
            progress.advance(job=job, done=done, total=total, unit=unit)

        loads = asked.load(Work(made.collection, source, media_source, made.by, tell))
        _finish(made, Import.State.DONE, report_of(loads))


@contextmanager
def _sources(made: Import) -> Iterator[tuple[Metered, Source | None]]:
    with ExitStack() as stack:

        def opened(name: str, title: str) -> Source:
            stream: BinaryIO = stack.enter_context(default_storage.open(name, "rb")).file
            return open_source(stream, title)

        media_source = opened(made.media_file.name, made.media_name) if made.media_file else None
        source = opened(made.file.name, made.file_name) if made.file else Elsewhere(made.file_name)
        yield Metered(source), media_source


@transaction.atomic
def _finish(made: Import, state: Import.State, report: ImportReport) -> None:
    """Write down how an import ended, once; files nobody will read again go."""
    finished = Import.objects.filter(pk=made.pk, state=Import.State.RECEIVED)
    if not finished.update(state=state, report=report.told(), finished_at=Now()):
        return
    progress.forget(job=job_of(made))
    if state != Import.State.DONE:
        for name in filter(None, (made.file.name, made.media_file.name)):
            delete_on_commit(name)
    log.info("Import %s into %s is %s: %s", made.pk, made.collection, state, " ".join(report.sentences))


def cancel(*, made: Import, by: User | None) -> None:
    """Stop an import: at once if no worker is at it, else at its next block of rows. A finished one stays as it is."""
    progress.cancel(job=job_of(made), collection=made.collection, by=by)
    with alone_with(made) as is_ours:
        if is_ours:
            _finish(made, Import.State.CANCELLED, ImportReport())
            progress.forget(job=job_of(made))
    made.refresh_from_db()


def overdue() -> list[int]:
    """Imports received a while ago and not finished yet."""
    waiting = Import.objects.filter(state=Import.State.RECEIVED, created_at__lt=Now() - OVERDUE_AFTER)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def job_of(made: Import) -> Job:
    """The import as progress and cancelling know it."""
    return Job("import", made.pk)


def checksum(stream: BinaryIO) -> str:
    """The SHA-256 of a file."""
    return hashlib.file_digest(stream, "sha256").hexdigest()


def _checked(upload: File) -> str:
    """The file's SHA-256, once its outside is seen to be in order."""
    open_source(upload.file, _name(upload))
    upload.seek(0)
    return checksum(upload.file)


def _name(upload: File) -> str:
    return PurePath(upload.name or "file").name[-255:]
