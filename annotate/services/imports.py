"""Files brought into a collection: received at once, read in the background, whole or not at all.

The web form, the API and the commands come here. Reading is work like any other (see background.works); the same file
with the same parameters is not read twice.
"""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from typing import BinaryIO, NamedTuple
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction

from annotate.core.formats import FormatError
from annotate.core.metering import Metered
from annotate.core.sources import Elsewhere, Source, ZipSource, open_source
from annotate.models import Collection, Import, User, Work
from annotate.services.background import progress, works
from annotate.services.faults import FAULTS
from annotate.services.files import delete_on_commit
from annotate.services.import_kinds import KINDS, Asked, ImportInputs
from annotate.services.import_reports import report_of, report_of_fault

IMPORT = "import"


class Received(NamedTuple):
    """An import, and whether it is new: False for a file that was received before with the same parameters."""

    made: Import
    is_new: bool


def receive(
    *, collection: Collection, asked: Asked, upload: File, media: File | None = None, by: User | None = None
) -> Received:
    """Keep an uploaded file, to be read in the background.

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
    _ask(made)
    return Received(made, is_new=True)


def _ask(made: Import, *, is_done_here: bool = False) -> None:
    """Have an import's file read."""
    made.work = works.ask(
        kind=IMPORT, collection=made.collection, subject=made.pk, by=made.by, is_done_here=is_done_here
    )
    made.save(update_fields=["work"])


def _known(made: Import) -> Import | None:
    same = {name: getattr(made, name) for name in ("collection_id", "kind", "parameters", "sha256", "media_sha256")}
    alive = Import.objects.filter(work__state__in=[*Work.UNFINISHED, Work.State.DONE])
    return alive.filter(**same).order_by("pk").first() if made.sha256 else None


@transaction.atomic
def ask(*, collection: Collection, asked: Asked, name: str, by: User | None, is_done_here: bool = False) -> Import:
    """Ask for an import whose file lies elsewhere, as `asked` knows; one that is under way already goes on.

    is_done_here : the caller performs its work
    """
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    same = {"collection": collection, "kind": asked.kind, "parameters": asked.parameters()}
    if waiting := Import.objects.filter(work__state__in=Work.UNFINISHED, **same).first():
        return waiting
    made = Import.objects.create(file_name=name[-255:], by=by, **same)
    _ask(made, is_done_here=is_done_here)
    return made


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
        loads = asked.load(ImportInputs(collection, source, media_source, by, progress.tell_nobody))
        made.report = report_of(loads).told()
        made.save()
        _ask(made, is_done_here=True)
        works.finish(work=made.work)
    made.refresh_from_db()
    return Received(made, is_new=True)


def _delete_files(work: Work) -> None:
    """Delete the kept files of an import that stored nothing: nobody will read them again."""
    if work.state == Work.State.DONE:
        return
    for file, media_file in Import.objects.filter(pk=work.subject).values_list("file", "media_file"):
        for name in filter(None, (file, media_file)):
            delete_on_commit(name)


@works.performs(IMPORT, subject="import", on_finished=_delete_files, advice="Upload it again, or split it.")
def read(work: Work) -> None:
    """Load an import's file: all of it, or nothing but a report of what is wrong with it."""
    made = Import.objects.select_related("collection", "by", "work").get(pk=work.subject)
    try:
        _load(made)
    except FAULTS as error:
        report = report_of_fault(error)
        with transaction.atomic():
            message = report.errors[0]["message"]
            if works.finish(work=made.work, state=Work.State.FAILED, code=Import.REFUSED, message=message):
                Import.objects.filter(pk=made.pk).update(report=report.told())


def _load(made: Import) -> None:
    advance = works.teller(made.work)
    advance(0)
    asked = KINDS[Import.Kind(made.kind)].of(made.parameters)
    with transaction.atomic(), _sources(made) as (source, media_source):

        def tell(done: int, total: int | None = None, unit: str = "rows") -> None:
            if total is None and unit == "rows":
                total = source.rows_in_all(done)
            advance(done, total, unit)

        loads = asked.load(ImportInputs(made.collection, source, media_source, made.by, tell))
        Import.objects.filter(pk=made.pk).update(report=report_of(loads).told())
        works.finish(work=made.work)


@contextmanager
def _sources(made: Import) -> Iterator[tuple[Metered, Source | None]]:
    with ExitStack() as stack:

        def opened(name: str, title: str) -> Source:
            stream: BinaryIO = stack.enter_context(default_storage.open(name, "rb")).file
            return open_source(stream, title)

        media_source = opened(made.media_file.name, made.media_name) if made.media_file else None
        source = opened(made.file.name, made.file_name) if made.file else Elsewhere(made.file_name)
        yield Metered(source), media_source


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
