"""Releases made as a worker makes them, and their folders as others read them."""

import gzip
import io
import zipfile
from datetime import date

from django.db import transaction
from pyarrow import parquet

from annotate.models import Collection, Work
from annotate.services.collection.lifecycle import purging
from metrics.models import Release, ReleaseEvent, ReleaseFile, ReleaseRun
from metrics.services.releases import publication, releases
from tests.works import perform_work

DAY = date(2026, 3, 5)


def request_release(collection: Collection, version: str = "1.0") -> Release:
    """Request a release of the labels as they are."""
    return releases.request_release(
        collection=collection,
        version=version,
        title="Study",
        notes="The first one.",
        released_on=DAY,
        by=None,
    )


def made_release(collection: Collection, version: str = "1.0") -> Release:
    """A release that is made."""
    release = perform_work(request_release(collection, version))
    assert (release.making.state, release.making.error) == (Work.State.DONE, "")
    return release


def archive(release: Release) -> bytes:
    """The bytes of the archive of a release."""
    with release.file.open("rb") as stream:
        return bytes(stream.read())


def folder(release: Release) -> dict[str, bytes]:
    """The files of a release by their paths, as a program reads them out of the archive."""
    with zipfile.ZipFile(io.BytesIO(archive(release))) as members:
        assert members.testzip() is None
        root = f"{release.collection.slug}-{release.version}/"
        return {name.removeprefix(root): members.read(name) for name in members.namelist()}


def texts_of(files: dict[str, bytes]) -> str:
    """Everything that a reader finds in the files, as text."""
    parts = list(files)
    for path, content in files.items():
        if path.endswith(".parquet"):
            table = parquet.read_table(io.BytesIO(content))
            metadata = parquet.ParquetFile(io.BytesIO(content)).metadata
            parts += [str(table.to_pylist()), str(metadata), str(metadata.metadata)]
        else:
            parts.append((gzip.decompress(content) if path.endswith(".gz") else content).decode())
    return "\n".join(parts)


def forget_releases(collection: Collection) -> None:
    """Delete the rows of releases, as the owner of their tables may."""
    with transaction.atomic():
        purging.allow_deleting(name="a test", command="")
        for model in (ReleaseEvent, ReleaseFile, ReleaseRun):
            model.objects.filter(release__collection=collection).delete()
        collection.releases.all().delete()


def published_release(collection: Collection, version: str = "1.0") -> Release:
    """A release that is public."""
    release = made_release(collection, version)
    publication.publish(release=release, by=None)
    release.refresh_from_db()
    return release
