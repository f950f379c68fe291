"""Files brought into a collection: received at once, read in the background, whole or not at all.

The web form, the API and the commands come here. Reading is work like any other (see
background.works); the same file with the same parameters is not read twice.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from typing import BinaryIO, NamedTuple, cast
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction

from annotate.access import LEADERS
from annotate.core.files.archives.metering import MeteredSource
from annotate.core.files.archives.sources import EmptySource, Source, ZipSource, open_source
from annotate.core.files.file_tallies import FileTallies
from annotate.core.files.formats import FormatError
from annotate.models import Collection, Import, User, Work
from annotate.services.background import progress, works
from annotate.services.collection.lifecycle.archive import lock_unarchived, require_unarchived
from annotate.services.imports import judgments
from annotate.services.imports.faults import IMPORT_FAULTS
from annotate.services.imports.judgments import JudgmentsReport
from annotate.services.imports.kinds import KINDS, ImportInputs, ImportRequest
from annotate.services.imports.reports import report_of, report_of_fault
from annotate.services.seating import note_changes
from annotate.services.storage.files import delete_on_commit

IMPORT = "import"


class ReceivedImport(NamedTuple):
    """An import; is_new : False for a file that was received before with the same parameters."""

    import_: Import
    is_new: bool


def receive_import(
    *,
    collection: Collection,
    import_request: ImportRequest,
    upload: File,
    media: File | None = None,
    by: User | None = None,
) -> ReceivedImport:
    """Keep an uploaded file, to be read in the background.

    media : a zip of the media that a file of items names

    The same files requested in the same way again change nothing, unless they were rejected or
    cancelled. Raises FormatError for an archive that no reader would open, CollectionArchived.
    """
    if media and not isinstance(open_source(_stream(media), _file_name(media)), ZipSource):
        raise FormatError(
            _file_name(media),
            None,
            "media",
            f"{_file_name(media)} is no zip archive; pack the media in one.",
        )
    import_ = Import(
        collection=collection,
        kind=import_request.kind,
        parameters=import_request.parameters(),
        file_name=_file_name(upload),
        sha256=_checked_sha256(upload),
        media_name=_file_name(media) if media else "",
        media_sha256=_checked_sha256(media) if media else "",
        by=by,
    )
    return _store(import_, upload, media)


@transaction.atomic
def _store(import_: Import, upload: File, media: File | None) -> ReceivedImport:
    # The collection's row is the lock: of two uploads of one file the second sees the first.
    lock_unarchived(collection_id=import_.collection_id)
    if earlier_import := _earlier_import(import_):
        return ReceivedImport(earlier_import, is_new=False)
    upload.seek(0)
    import_.file.save(uuid4().hex, upload, save=False)
    if media:
        media.seek(0)
        import_.media_file.save(uuid4().hex, media, save=False)
    import_.save()
    _request_work(import_)
    return ReceivedImport(import_, is_new=True)


def _request_work(import_: Import, *, is_done_here: bool = False) -> None:
    """Queue the work that reads an import's file."""
    import_.work = works.ask(
        kind=IMPORT,
        collection=import_.collection,
        subject=import_.pk,
        by=import_.by,
        is_done_here=is_done_here,
    )
    import_.save(update_fields=["work"])


def _earlier_import(import_: Import) -> Import | None:
    identity = {
        name: getattr(import_, name)
        for name in ("collection_id", "kind", "parameters", "sha256", "media_sha256")
    }
    standing_imports = Import.objects.filter(work__state__in=[*Work.UNFINISHED, Work.State.DONE])
    return standing_imports.filter(**identity).order_by("pk").first() if import_.sha256 else None


@transaction.atomic
def request_import(
    *,
    collection: Collection,
    import_request: ImportRequest,
    name: str,
    by: User | None,
    is_done_here: bool = False,
) -> Import:
    """Request an import whose file lies elsewhere, as its request knows; one under way goes on.

    Raises CollectionArchived.

    is_done_here : the caller performs its work
    """
    lock_unarchived(collection_id=collection.pk)
    identity = {
        "collection": collection,
        "kind": import_request.kind,
        "parameters": import_request.parameters(),
    }
    if unfinished_import := Import.objects.filter(
        work__state__in=Work.UNFINISHED, **identity
    ).first():
        return unfinished_import
    import_ = Import.objects.create(file_name=name[-255:], by=by, **identity)
    _request_work(import_, is_done_here=is_done_here)
    return import_


def import_now(
    *,
    collection: Collection,
    import_request: ImportRequest,
    source: Source,
    sha256: str = "",
    media_source: Source | None = None,
    by: User | None = None,
) -> ReceivedImport:
    """Read a file where it lies, for commands on the server itself; the file is not kept.

    Raises CollectionArchived, and the errors of IMPORT_FAULTS; then no trace is left.
    """
    with transaction.atomic():
        # not locked: others would wait until the whole file is read
        require_unarchived(collection_id=collection.pk)
        import_ = Import(
            collection=collection,
            kind=import_request.kind,
            parameters=import_request.parameters(),
            file_name=source.name[-255:],
            sha256=sha256,
            media_name=media_source.name[-255:] if media_source else "",
            by=by,
        )
        if earlier_import := _earlier_import(import_):
            return ReceivedImport(earlier_import, is_new=False)
        loads = import_request.load(
            ImportInputs(collection, source, media_source, by, progress.ignore_progress)
        )
        import_.save()
        _request_work(import_, is_done_here=True)
        _store_report(import_, loads)
    import_.refresh_from_db()
    if import_.unresolved:
        works.perform(work=import_.reading)
        import_.refresh_from_db()
    return ReceivedImport(import_, is_new=True)


def _store_report(import_: Import, loads: Sequence[FileTallies]) -> None:
    """Store the report; finish the work, unless pairs of judgments are still to be resolved."""
    stored_keys = next(
        (load.stored_keys for load in loads if isinstance(load, JudgmentsReport)), None
    )
    new_keys = [*stored_keys, 0] if stored_keys else None
    Import.objects.filter(pk=import_.pk).update(
        report=report_of(loads).as_json(), unresolved=new_keys
    )
    if not new_keys:
        works.finish(work=import_.reading)


def _on_read(work: Work) -> None:
    """Delete the kept files of an import that stored nothing, as nobody will read them again.

    One that stored labels and then was given up names the command that resolves their pairs.
    """
    if work.state == Work.State.DONE:
        return
    import_ = Import.objects.get(pk=work.subject)
    if import_.unresolved:
        cause = works.OUTAGES if work.error_code == works.OUTAGE else works.WORN_OUT
        message = (
            f"{cause} The operator has them resolved by: manage.py rebuild {work.collection.slug}"
        )
        Work.objects.filter(pk=work.pk).update(error_data={"message": message})
    elif work.error_code != works.OUTAGE:  # else the file was not at fault, and may still be needed
        for name in filter(None, (import_.file.name, import_.media_file.name)):
            delete_on_commit(name)


@works.performs(
    IMPORT,
    subject="import",
    on_finished=_on_read,
    # as long as nothing is stored
    may_cancel=lambda work: Import.objects.filter(pk=work.subject, unresolved=None).exists(),
    advice="Upload it again, or split it.",
    readers=LEADERS,
)
def read_import(work: Work) -> None:
    """Load an import's file: all of it, or only a report of its faults; then resolve its pairs."""
    import_ = Import.objects.select_related("collection", "by", "work").get(pk=work.subject)
    try:
        if not import_.unresolved:
            _load(import_)
            import_.refresh_from_db(fields=["unresolved"])
        if import_.unresolved:
            _resolve(import_, *import_.unresolved)
    except IMPORT_FAULTS as error:
        report = report_of_fault(error)
        with transaction.atomic():
            message = report.errors[0]["message"]
            if works.finish(
                work=import_.reading, state=Work.State.FAILED, code=Import.REFUSED, message=message
            ):
                Import.objects.filter(pk=import_.pk).update(report=report.as_json())


def _load(import_: Import) -> None:
    advance = works.progress_callback(import_.reading)
    advance(0)
    import_request = KINDS[Import.Kind(import_.kind)].of(import_.parameters)
    with transaction.atomic(), _sources(import_) as (source, media_source):

        def on_progress(n_done: int, total: int | None = None, unit: str = "rows") -> None:
            if total is None and unit == "rows":
                total = source.estimated_rows(n_done)
            advance(n_done, total, unit)

        loads = import_request.load(
            ImportInputs(import_.collection, source, media_source, import_.by, on_progress)
        )
        _store_report(import_, loads)


def _resolve(import_: Import, first_key: int, last_key: int, last_resolved: int) -> None:
    """Resolve the import's pairs after `last_resolved`, storing progress; then notify metrics."""
    pairs = judgments.pairs_of(
        collection=import_.collection, first_key=first_key, last_key=last_key
    )
    import_row = Import.objects.filter(pk=import_.pk)

    def store_progress(pair: int) -> None:
        import_row.update(unresolved=[first_key, last_key, pair])
        works.reset_attempts(work=import_.reading)

    on_progress = works.progress_callback(import_.reading, can_be_undone=False)
    judgments.resolve_judgments(
        pairs=pairs[pairs > last_resolved], on_resolved=store_progress, on_progress=on_progress
    )
    with transaction.atomic():
        note_changes(collection_id=import_.collection_id, pair_ids=pairs.tolist())
        import_row.update(unresolved=None)
        works.finish(work=import_.reading)


@transaction.atomic
def mark_resolved(*, collection: Collection) -> None:
    """Mark imports whose pairs were left unresolved as done, once every pair is resolved anew."""
    failed_imports = Import.objects.filter(
        collection=collection, work__state=Work.State.FAILED, unresolved__isnull=False
    )
    work_ids = list(failed_imports.values_list("work", flat=True))
    Work.objects.filter(pk__in=work_ids).update(state=Work.State.DONE, error_code="", error_data={})
    Import.objects.filter(work__in=work_ids).update(unresolved=None)


@contextmanager
def _sources(import_: Import) -> Iterator[tuple[MeteredSource, Source | None]]:
    with ExitStack() as stack:

        def open_stored(name: str, title: str) -> Source:
            file = stack.enter_context(default_storage.open(name, "rb"))
            return open_source(_stream(file), title)

        media_name, name = import_.media_file.name, import_.file.name
        media_source = open_stored(media_name, import_.media_name) if media_name else None
        source = open_stored(name, import_.file_name) if name else EmptySource(import_.file_name)
        yield MeteredSource(source), media_source


def checksum(stream: BinaryIO) -> str:
    """The SHA-256 of a file."""
    # typeshed's BinaryIO lacks readinto, which every binary file has
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # see above


def _checked_sha256(upload: File) -> str:
    """The file's SHA-256, once it is known to open as an archive or a plain file."""
    open_source(_stream(upload), _file_name(upload))
    upload.seek(0)
    return checksum(_stream(upload))


def _stream(file: File) -> BinaryIO:
    """The open binary file in a file of Django's, which by its type may be closed, or of text."""
    return cast(BinaryIO, file.file)


def _file_name(upload: File) -> str:
    return PurePath(upload.name or "file").name[-255:]
