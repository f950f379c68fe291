"""Makes releases in the background: one moment of the database becomes a folder in an archive."""

import tempfile
from datetime import datetime
from typing import BinaryIO, NamedTuple

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models.functions import Now

from annotate.access import LEADERS
from annotate.models import Work
from annotate.services.background import works
from annotate.services.background.progress import Cancelled
from annotate.services.imports.imports import checksum
from annotate.services.storage.transactions import read_only_moment
from metrics.core.files.folder_archives import FolderArchive
from metrics.core.releases.manifest import Manifest
from metrics.models import Release, ReleaseEventKind, ReleaseFile, ReleaseRun
from metrics.services.downloads.progress import ProgressReporter
from metrics.services.releases.aliases import RunAlias, run_aliases
from metrics.services.releases.contents import write_contents
from metrics.services.releases.steps import note_step
from metrics.services.releases.writer import ReleaseWriter
from pooling.models import Run

RELEASE = "release"


class MadeFolder(NamedTuple):
    """A folder that was just written, and what it shows."""

    stream: BinaryIO
    writer: ReleaseWriter
    manifest: Manifest
    aliases: list[RunAlias]
    as_of: datetime


@works.performs(RELEASE, subject="release", advice="Ask for it again.", readers=LEADERS)
def make(work: Work) -> None:
    """Make a release, whole or not at all."""
    release = Release.objects.select_related("collection").get(pk=work.subject)
    with tempfile.TemporaryFile() as stream:
        _store(release, work, _write(release, work, stream))


def _write(release: Release, work: Work, stream: BinaryIO) -> MadeFolder:
    with (
        read_only_moment() as as_of,
        ProgressReporter(works.progress_callback(work)) as reporter,
        FolderArchive(stream, f"{release.collection.slug}-{release.version}") as archive,
    ):
        reporter.report()
        release.collection.refresh_from_db()  # as it is at this moment
        writer = ReleaseWriter(archive, reporter)
        aliases = run_aliases(collection=release.collection)
        manifest = write_contents(writer, release=release, aliases=aliases)
        reporter.report()  # the last look whether it was cancelled
    return MadeFolder(stream, writer, manifest, aliases, as_of)


def _store(release: Release, work: Work, folder: MadeFolder) -> None:
    """Store the archive with its rows, and finish the work; without these there is no archive."""
    n_bytes = folder.stream.seek(0, 2)
    folder.stream.seek(0)
    digest = checksum(folder.stream)
    default_storage.delete(release.stored_name)  # of an attempt whose worker died
    folder.stream.seek(0)
    name = default_storage.save(release.stored_name, File(folder.stream))
    is_finished = False
    try:
        with transaction.atomic():
            if works.is_cancelling(work=work):
                raise Cancelled
            is_finished = works.finish(work=work)
            if is_finished:
                _store_rows(release, work, folder)
                Release.objects.filter(pk=release.pk).update(
                    made_at=Now(),
                    as_of=folder.as_of,
                    manifest=folder.manifest.values,
                    file=name,
                    n_bytes=n_bytes,
                    sha256=digest,
                )
    except (Cancelled, works.Failed):
        default_storage.delete(name)
        raise
    # After other errors it waits for the next attempt, or for the release to be discarded: the
    # connection may have broken once all was committed.
    if not is_finished:
        default_storage.delete(name)


def _store_rows(release: Release, work: Work, folder: MadeFolder) -> None:
    ReleaseFile.objects.bulk_create(
        ReleaseFile(
            release=release,
            path=entry.path,
            media_type=entry.media_type,
            about=entry.about,
            n_bytes=entry.n_bytes,
            sha256=entry.sha256,
            n_rows=entry.n_rows,
            offset=folder.writer.offsets[entry.path],
        )
        for entry in folder.writer.files
    )
    with_files = {run.alias for run in folder.manifest.runs if run.file or run.gallery_files}
    runs = present_runs(folder.aliases)
    ReleaseRun.objects.bulk_create(
        ReleaseRun(
            release=release,
            run=runs.get(alias.run.pk),
            run_key=alias.run.pk,
            alias=alias.alias,
            shows_name=alias.is_named,
            holds_file=alias.alias in with_files,
        )
        for alias in folder.aliases
    )
    note_step(release=release, kind=ReleaseEventKind.MADE, by=work.by)


def present_runs(aliases: list[RunAlias]) -> dict[int, Run]:
    """Read the runs of a release once more, by key, and look whether they may still be in it.

    One may have been deleted meanwhile. They are not locked: nobody waits for a release. Raises
    Failed where a run was hidden meanwhile, or its name may not be published any more.
    """
    runs = Run.objects.in_bulk([alias.run.pk for alias in aliases])
    for alias in aliases:
        run = runs.get(alias.run.pk)
        if run and (run.is_hidden or (alias.is_named and not run.may_be_published)):
            raise works.Failed(
                "unfit", "While it was made, a run of it was hidden or may not be published now."
            )
    return runs
