"""Files to take away: asked for, made in the background from one moment of the database, kept for a while.

The same labels give the same bytes, whenever and by whomever a file is made.
"""

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
from django.db.models.functions import Now

from annotate.models import Collection, User, Work
from annotate.services.background import works
from annotate.services.files import delete_on_commit
from annotate.services.imports import checksum
from metrics.core.label_sources import LabelSource
from metrics.models import Download
from metrics.services.download_kinds import KINDS, Making
from metrics.services.download_strata import SampleGone
from metrics.services.moments import one_moment
from metrics.services.telling import Teller
from pooling.services.scored_runs import TooLong

DOWNLOAD = "download"
KEPT_FOR = timedelta(days=14)
PACKED = ".gz"
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
    """Have a file made; the same person asking for the same while it is made asks once.

    form : valid, from form_of
    """
    # The collection's row is the lock: of two clicks the second sees the first.
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    parameters = {name: _plain(form, name) for name in form.fields}
    same = {"collection": collection, "kind": kind, "parameters": parameters, "by": by}
    if known := Download.objects.filter(**same, work__state__in=Work.UNFINISHED).first():
        return known
    name = f"{collection.slug}-{KINDS[kind].file_name(form)}"
    packed = PACKED if form.cleaned_data.get("packed") else ""
    made = Download.objects.create(**same, made_with=_in_words(form), file_name=f"{name}{packed}")
    made.work = works.ask(kind=DOWNLOAD, collection=collection, subject=made.pk, by=by)
    made.save(update_fields=["work"])
    return made


def again(*, made: Download, by: User | None) -> Download:
    """Ask for what a download was, as it is by now. Raises Unfit where that cannot be any more."""
    return ask(collection=made.collection, kind=Download.Kind(made.kind), form=_form(made), by=by)


@works.performs(DOWNLOAD, subject="download", advice="Ask for it again.")
def make(work: Work) -> None:
    """Make a download's file: all of it, or nothing."""
    made = Download.objects.select_related("collection", "by", "work").get(pk=work.subject)
    try:
        with tempfile.TemporaryFile() as stream:
            _keep(made, _write(made, stream))
    except (Unfit, SampleGone, TooLong) as error:
        raise works.Failed("unfit", str(error)) from error


def _write(made: Download, stream: BinaryIO) -> Made:
    kind = KINDS[Download.Kind(made.kind)]
    with _the_moment() as as_of, Teller(works.teller(made.work)) as teller:
        making = Making(made.collection, _form(made), made.by, teller.count)
        teller.total = kind.total(making)
        teller.tell()
        for piece in _packed(kind.write(making), made):
            stream.write(piece)
        return Made(stream, teller.done, making.run_ids, as_of)


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
    with transaction.atomic():
        is_kept = works.finish(work=made.work)
        if is_kept:
            Download.objects.filter(pk=made.pk).update(file=name, **facts)
    if not is_kept:
        default_storage.delete(name)


def expire() -> int:
    """Delete the files that were kept long enough; what they were made with stays. Returns how many."""
    old = Download.objects.filter(work__finished_at__lt=Now() - KEPT_FOR).exclude(file="")
    n_expired = 0
    for made in old.order_by("pk"):
        with transaction.atomic():
            n_expired += Download.objects.filter(pk=made.pk).exclude(file="").update(file="")
            delete_on_commit(made.file.name)
    return n_expired


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
