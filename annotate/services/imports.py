"""Files brought into a collection: received at once, read in the background, whole or not at all.

The web form, the API and the commands come here. Reading is work like any other (see background.works); the same file
with the same parameters is not read twice.
"""

import hashlib
from collections.abc import Iterator, Sequence
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
from annotate.core.tallies import Tallies
from annotate.models import Collection, Import, User, Work
from annotate.services import importing
from annotate.services.background import progress, works
from annotate.services.faults import FAULTS
from annotate.services.files import delete_on_commit
from annotate.services.import_kinds import KINDS, Asked, ImportInputs
from annotate.services.import_reports import report_of, report_of_fault
from annotate.services.importing import JudgmentsReport
from annotate.services.seating import note_changes

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
        made.save()
        _ask(made, is_done_here=True)
        _keep_report(made, loads)
    made.refresh_from_db()
    if made.unresolved:
        works.perform(work=made.work)
        made.refresh_from_db()
    return Received(made, is_new=True)


def _keep_report(made: Import, loads: Sequence[Tallies]) -> None:
    """Say what was loaded, and that this is all, or that the pairs of judgments are to be resolved."""
    stored = next((load.stored for load in loads if isinstance(load, JudgmentsReport)), None)
    unresolved = [*stored, 0] if stored else None
    Import.objects.filter(pk=made.pk).update(report=report_of(loads).told(), unresolved=unresolved)
    if not unresolved:
        works.finish(work=made.work)


def _has_stored_nothing(work: Work) -> bool:
    return Import.objects.filter(pk=work.subject, unresolved=None).exists()


def _on_read(work: Work) -> None:
    """Delete the kept files of an import that stored nothing, as nobody will read them again.

    Of one that stored labels and then was given up, say what resolves their pairs.
    """
    if work.state == Work.State.DONE:
        return
    made = Import.objects.get(pk=work.subject)
    if made.unresolved:
        why = works.OUTAGES if work.error_code == works.OUTAGE else works.WORN_OUT
        message = f"{why} The operator has them resolved by: manage.py rebuild {work.collection.slug}"
        Work.objects.filter(pk=work.pk).update(error_data={"message": message})
    elif work.error_code != works.OUTAGE:  # else the file was not at fault, and may be wanted still
        for name in filter(None, (made.file.name, made.media_file.name)):
            delete_on_commit(name)


@works.performs(
    IMPORT,
    subject="import",
    on_finished=_on_read,
    may_cancel=_has_stored_nothing,
    advice="Upload it again, or split it.",
)
def read(work: Work) -> None:
    """Load an import's file: all of it, or nothing but a report of what is wrong with it; then resolve its pairs."""
    made = Import.objects.select_related("collection", "by", "work").get(pk=work.subject)
    try:
        if not made.unresolved:
            _load(made)
            made.refresh_from_db(fields=["unresolved"])
        if made.unresolved:
            _resolve(made)
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
        _keep_report(made, loads)


def _resolve(made: Import) -> None:
    """Resolve the pairs of the judgments that are stored, from where it stopped; then metrics are told."""
    first, last, after = made.unresolved
    pairs = importing.pairs_of(collection=made.collection, first=first, last=last)
    import_row = Import.objects.filter(pk=made.pk)

    def stored(pair: int) -> None:
        import_row.update(unresolved=[first, last, pair])
        works.went_on(work=made.work)

    tell = works.teller(made.work, can_be_undone=False)
    importing.resolve_judgments(pairs=pairs[pairs > after], stored=stored, tell=tell)
    with transaction.atomic():
        note_changes(collection_id=made.collection_id, pair_ids=pairs.tolist())
        import_row.update(unresolved=None)
        works.finish(work=made.work)


@transaction.atomic
def note_resolved(*, collection: Collection) -> None:
    """Say of imports whose pairs were left unresolved that they are done, once every pair is resolved anew."""
    given_up = Import.objects.filter(collection=collection, work__state=Work.State.FAILED, unresolved__isnull=False)
    works_of = list(given_up.values_list("work", flat=True))
    Work.objects.filter(pk__in=works_of).update(state=Work.State.DONE, error_code="", error_data={})
    Import.objects.filter(work__in=works_of).update(unresolved=None)


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
