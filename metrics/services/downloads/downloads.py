"""Downloads: made in the background from one moment of the database, and kept for a while.

The same labels give the same bytes, whenever and by whomever a file is made.
"""

import tempfile
from datetime import timedelta
from typing import Any, BinaryIO, NamedTuple

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models.functions import Now

from annotate.access import LEADERS
from annotate.models import Collection, User, Work
from annotate.services.background import works
from annotate.services.imports.imports import checksum
from annotate.services.storage.files import delete_on_commit
from annotate.services.storage.transactions import read_only_moment
from metrics.core.files.folder_archives import gzip_pieces
from metrics.core.labels.label_sources import LabelSource
from metrics.models import Download
from metrics.services.downloads.kinds import KINDS, DownloadContext
from metrics.services.downloads.progress import ProgressReporter
from metrics.services.downloads.strata import StrataUndetermined
from pooling.services.runs.scored_runs import TooLong

DOWNLOAD = "download"
RETENTION = timedelta(days=14)
GZIP_SUFFIX = ".gz"
OUTDATED = "What it was asked with is no longer there: {} Ask for it anew."


class OutdatedParameters(Exception):
    """The parameters of a download no longer fit its collection; the message says which."""


class WrittenFile(NamedTuple):
    """A file that was just written.

    run_ids : keys of the runs in it; as_of : the moment of the database that it shows
    """

    stream: BinaryIO
    n_rows: int
    run_ids: list[int]
    as_of: Any


def form_of(*, collection: Collection, kind: Download.Kind, data: Any = None) -> forms.Form:
    """The form of the parameters of a kind of download."""
    return KINDS[kind].form(data, collection=collection)


@transaction.atomic
def request_download(
    *, collection: Collection, kind: Download.Kind, form: forms.Form, by: User | None
) -> Download:
    """Request a file.

    A second identical request of the same person while it is made returns the first.
    form : valid, from form_of
    """
    # The collection's row is the lock: of two clicks the second sees the first.
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    values = {name: form.cleaned_data.get(name) for name in form.fields}
    # as JSON that the form accepts again
    parameters = {
        name: str(value) if isinstance(value, LabelSource) else "" if value is None else value
        for name, value in values.items()
    }
    request_fields = {"collection": collection, "kind": kind, "parameters": parameters, "by": by}
    if unfinished_download := Download.objects.filter(
        **request_fields, work__state__in=Work.UNFINISHED
    ).first():
        return unfinished_download
    name = f"{collection.slug}-{KINDS[kind].file_name(form)}"
    suffix = GZIP_SUFFIX if form.cleaned_data.get("packed") else ""
    download = Download.objects.create(
        **request_fields,
        made_with=_description(form),
        file_name=f"{name}{suffix}",
        run_ids=KINDS[kind].run_ids(form),
    )
    download.work = works.ask(kind=DOWNLOAD, collection=collection, subject=download.pk, by=by)
    download.save(update_fields=["work"])
    return download


def request_again(*, download: Download, by: User | None) -> Download:
    """Request a download again, with the present labels.

    Raises OutdatedParameters where that is no longer possible.
    """
    return request_download(
        collection=download.collection,
        kind=Download.Kind(download.kind),
        form=_form(download),
        by=by,
    )


def is_hidden(work: Work, person: User | AnonymousUser) -> bool:
    """True if a download is of a run that is hidden from this person."""
    rows = Download.objects.visible_to(person, collection=work.collection)
    return not rows.filter(pk=work.subject).exists()


@works.performs(
    DOWNLOAD,
    subject="download",
    advice="Ask for it again.",
    readers=LEADERS,
    is_hidden=is_hidden,
)
def make(work: Work) -> None:
    """Make a download's file, whole or not at all."""
    download = Download.objects.select_related("collection", "by").get(pk=work.subject)
    try:
        with tempfile.TemporaryFile() as stream:
            _store(download, work, _write(download, work, stream))
    except (OutdatedParameters, StrataUndetermined, TooLong) as error:
        raise works.Failed("unfit", str(error)) from error


def _write(download: Download, work: Work, stream: BinaryIO) -> WrittenFile:
    kind = KINDS[Download.Kind(download.kind)]
    with (
        read_only_moment() as as_of,
        ProgressReporter(works.progress_callback(work)) as reporter,
    ):
        context = DownloadContext(download.collection, _form(download), download.by, reporter.count)
        reporter.total = kind.total(context)
        reporter.report()
        pieces = kind.pieces(context)
        for piece in gzip_pieces(pieces) if download.parameters.get("packed") else pieces:
            stream.write(piece)
        return WrittenFile(stream, reporter.n_rows, context.run_ids, as_of)


def _store(download: Download, work: Work, written_file: WrittenFile) -> None:
    """Store the file and finish the work; a file of an earlier attempt is overwritten."""
    n_bytes = written_file.stream.tell()
    written_file.stream.seek(0)
    digest = checksum(written_file.stream)
    name = f"downloads/{download.pk}-{download.file_name}"
    default_storage.delete(name)
    written_file.stream.seek(0)
    name = default_storage.save(name, File(written_file.stream))
    facts = {
        "n_bytes": n_bytes,
        "sha256": digest,
        "n_rows": written_file.n_rows,
        "run_ids": written_file.run_ids,
        "as_of": written_file.as_of,
    }
    with transaction.atomic():
        is_finished = works.finish(work=work)
        if is_finished:
            Download.objects.filter(pk=download.pk).update(file=name, **facts)
    if not is_finished:
        default_storage.delete(name)


def expire() -> int:
    """Delete the files whose retention has ended; their parameters stay. Returns how many."""
    old = Download.objects.filter(work__finished_at__lt=Now() - RETENTION).exclude(file="")
    n_expired = 0
    for download in old.order_by("pk"):
        with transaction.atomic():
            n_expired += Download.objects.filter(pk=download.pk).exclude(file="").update(file="")
            delete_on_commit(str(download.file))
    return n_expired


def _form(download: Download) -> forms.Form:
    """The form as it was filled in, checked against the present collection.

    Raises OutdatedParameters.
    """
    form = form_of(
        collection=download.collection, kind=Download.Kind(download.kind), data=download.parameters
    )
    if not form.is_valid():
        raise OutdatedParameters(
            OUTDATED.format(
                " ".join(str(error) for errors in form.errors.values() for error in errors)
            )
        )
    return form


def _description(form: forms.Form) -> str:
    """The choices of a form in words."""
    lines = []
    for name, field in form.fields.items():
        value = form.cleaned_data.get(name)
        if name != "packed" and value not in ("", None):
            choices = {str(key): str(label) for key, label in getattr(field, "choices", [])}
            text = value.label if isinstance(value, LabelSource) else choices.get(str(value), value)
            lines.append(f"{field.label or name.capitalize()}: {text}")
    return "; ".join(lines)[:500]
