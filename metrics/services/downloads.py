"""Files to take away: asked for, made in the background from one moment of the database, kept for a while.

A worker that dies leaves a download as it was asked for, and a sweep hands it to the next one. The same labels give the
same bytes, whenever and by whomever a file is made.
"""

import logging
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, BinaryIO, NamedTuple

from django import forms
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from annotate.models import Collection, User
from annotate.services import jobs
from annotate.services.files import delete_on_commit
from annotate.services.imports import checksum
from annotate.services.jobs import Cancelled, Job
from annotate.services.workers import alone_with
from metrics.core.label_sources import LabelSource
from metrics.models import Download
from metrics.services.download_kinds import KINDS, Work
from metrics.services.download_strata import SampleGone
from metrics.services.moments import one_moment
from metrics.services.telling import Teller
from pooling.services.scored_runs import TooLong

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
OVERDUE_AFTER = timedelta(seconds=20)
KEPT_FOR = timedelta(days=14)
PACKED = ".gz"
WORN_OUT = (
    f"Making this file was begun {MAX_ATTEMPTS} times and never came to its end; the worker's log says why. "
    "Ask for it again."
)
CHANGED = "What it was asked with is no longer there: {} Ask for it anew."


class Unfit(Exception):
    """What a download was asked with does not fit its collection; the message says what."""


class Made(NamedTuple):
    """A file that was just made: where it lies, its rows and the runs it names, and the moment it shows."""

    stream: BinaryIO
    n_rows: int
    run_ids: list[int]
    as_of: Any


def form_of(*, collection: Collection, kind: Download.Kind, data: Any = None) -> forms.Form:
    """What a download of this kind is asked with."""
    return KINDS[kind].form(data, collection=collection)


@transaction.atomic
def ask(*, collection: Collection, kind: Download.Kind, form: forms.Form, by: User | None) -> Download:
    """Note that a file is wanted; `run` makes it. The same person asking for the same while it is made asks once.

    form : valid, from form_of
    """
    # The collection's row is the lock: of two clicks the second sees the first.
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    parameters = {name: _plain(form, name) for name in form.fields}
    same = {"collection": collection, "kind": kind, "parameters": parameters, "by": by, "state": Download.State.ASKED}
    if known := Download.objects.filter(**same).first():
        return known
    name = f"{collection.slug}-{KINDS[kind].file_name(form)}"
    packed = PACKED if form.cleaned_data.get("packed") else ""
    return Download.objects.create(**same, made_with=_in_words(form), file_name=f"{name}{packed}")


def again(*, made: Download, by: User | None) -> Download:
    """Ask for what a download was, as it is by now. Raises Unfit where that cannot be any more."""
    return ask(collection=made.collection, kind=Download.Kind(made.kind), form=_form(made), by=by)


def run(*, made: Download) -> None:
    """Make a download's file: done with all of it, or failed or cancelled with nothing.

    Safe to run twice, also at once: who comes second finds it taken or finished. A worker that dies leaves it as it
    was; after MAX_ATTEMPTS such deaths it has failed.
    """
    with alone_with(made) as is_ours:
        if is_ours and _begin(made):
            try:
                with tempfile.TemporaryFile() as stream:
                    _keep(made, _write(made, stream))
            except Cancelled:
                _finish(made, Download.State.CANCELLED)
            except (Unfit, SampleGone, TooLong) as error:
                _finish(made, Download.State.FAILED, error=str(error)[:500])
    made.refresh_from_db()


@transaction.atomic
def _begin(made: Download) -> bool:
    """Count an attempt, committed before any work, so that one which kills its worker is counted too."""
    waiting = Download.objects.filter(pk=made.pk, state=Download.State.ASKED)
    if waiting.filter(attempts__gte=MAX_ATTEMPTS).exists():
        _finish(made, Download.State.FAILED, error=WORN_OUT)
    return waiting.update(attempts=F("attempts") + 1) == 1


def _write(made: Download, stream: BinaryIO) -> Made:
    kind = KINDS[Download.Kind(made.kind)]
    with _the_moment() as as_of, Teller(job_of(made)) as teller:
        work = Work(made.collection, _form(made), made.by, teller.count)
        teller.total = kind.total(work)
        teller.tell()
        for piece in _packed(kind.write(work), made):
            stream.write(piece)
        return Made(stream, teller.done, work.run_ids, as_of)


@contextmanager
def _the_moment() -> Iterator[Any]:
    """One snapshot for the whole file, in which nothing can be written; gives its time."""
    with one_moment():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("SELECT transaction_timestamp()")
            (as_of,) = cursor.fetchone()
        yield as_of


def _packed(pieces: Iterator[bytes], made: Download) -> Iterator[bytes]:
    """The pieces, as gzip where that was asked for; its header says neither a name nor a time."""
    if not made.parameters.get("packed"):
        yield from pieces
        return
    packer = zlib.compressobj(level=6, wbits=31)
    yield from (packer.compress(piece) for piece in pieces)
    yield packer.flush()


def _keep(made: Download, file: Made) -> None:
    """Store the file and say that it is there; a name of an earlier attempt is written over."""
    n_bytes = file.stream.tell()
    file.stream.seek(0)
    digest = checksum(file.stream)
    name = f"downloads/{made.pk}-{made.file_name}"
    default_storage.delete(name)
    file.stream.seek(0)
    name = default_storage.save(name, File(file.stream))
    facts = {"n_bytes": n_bytes, "sha256": digest, "n_rows": file.n_rows, "run_ids": file.run_ids, "as_of": file.as_of}
    if not _finish(made, Download.State.DONE, file=name, **facts):
        default_storage.delete(name)


@transaction.atomic
def _finish(made: Download, state: Download.State, **facts: object) -> bool:
    """Write down how a download ended, once; whether it was this that ended it."""
    waiting = Download.objects.filter(pk=made.pk, state=Download.State.ASKED)
    if not waiting.update(state=state, finished_at=Now(), **facts):
        return False
    jobs.forget(job=job_of(made))
    log.info("Download %s of %s is %s.", made.pk, made.collection, state)
    return True


def cancel(*, made: Download, by: User | None) -> None:
    """Stop making a file: at once if no worker is at it, else at its next block of rows. A finished one stays."""
    jobs.cancel(job=job_of(made), collection=made.collection, by=by)
    with alone_with(made) as is_ours:
        if is_ours:
            _finish(made, Download.State.CANCELLED)
            jobs.forget(job=job_of(made))
    made.refresh_from_db()


def overdue() -> list[int]:
    """Downloads asked for a while ago and not finished yet."""
    waiting = Download.objects.filter(state=Download.State.ASKED, created_at__lt=Now() - OVERDUE_AFTER)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def expire() -> int:
    """Delete the files that were kept long enough; what they were made with stays. Returns how many."""
    old = Download.objects.filter(state=Download.State.DONE, finished_at__lt=Now() - KEPT_FOR)
    n_expired = 0
    for made in old.order_by("pk"):
        with transaction.atomic():
            n_expired += old.filter(pk=made.pk).update(state=Download.State.EXPIRED, file="")
            delete_on_commit(made.file.name)
    return n_expired


def job_of(made: Download) -> Job:
    """The download as progress and cancelling know it."""
    return Job("download", made.pk)


def _form(made: Download) -> forms.Form:
    """The form as it was filled in, which says whether all it names is still there."""
    form = form_of(collection=made.collection, kind=Download.Kind(made.kind), data=made.parameters)
    if not form.is_valid():
        raise Unfit(CHANGED.format(" ".join(str(error) for errors in form.errors.values() for error in errors)))
    return form


def _plain(form: forms.Form, name: str) -> Any:
    """A field's value as JSON and as the form takes it again."""
    value = form.cleaned_data.get(name)
    return str(value) if isinstance(value, LabelSource) else "" if value is None else value


def _in_words(form: forms.Form) -> str:
    """What a form was given, for people."""
    said = []
    for name, field in form.fields.items():
        value = form.cleaned_data.get(name)
        if name != "packed" and value not in ("", None):
            choices = {str(key): str(label) for key, label in getattr(field, "choices", [])}
            words = value.label if isinstance(value, LabelSource) else choices.get(str(value), value)
            said.append(f"{field.label or name.capitalize()}: {words}")
    return "; ".join(said)[:500]
