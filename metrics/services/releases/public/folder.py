"""A public release: its row, its manifest, and its files as stretches of its archive."""

import hashlib
from functools import cached_property

from django.conf import settings
from django.urls import reverse

from metrics.core.files.stretches import FileStretch
from metrics.core.releases.manifest import Manifest
from metrics.core.releases.reading.stored_manifest import stored_manifest
from metrics.models import Release, ReleaseFile
from metrics.services.releases.public.shelf import PublicShelf


class NotInRelease(Exception):
    """The release has no query, query set, table or measure of this name or number."""


class PublicFolder:
    """A public release as pages read it; manifest and files are read when they are needed."""

    def __init__(self, shelf: PublicShelf, release: Release) -> None:
        self.shelf = shelf
        self.release = release

    @cached_property
    def manifest(self) -> Manifest:
        """Its manifest; one query."""
        return stored_manifest(self.release.manifest)

    @cached_property
    def files(self) -> dict[str, ReleaseFile]:
        """Its files by their paths, in that order; one query."""
        return {file.path: file for file in self.release.files.order_by("path")}

    @property
    def tag(self) -> str:
        """A hash of all that its pages show: its checksum and publication, and the shelf's."""
        return hashlib.sha256(f"{self.shelf.tag} {self.release.version}".encode()).hexdigest()[:32]

    @property
    def newer(self) -> Release | None:
        """The newest public release of the collection, if that is another one."""
        newest = self.shelf.releases[0]
        return None if newest == self.release else newest

    @property
    def address(self) -> str:
        """Its whole public address."""
        path = reverse("metrics:public-release", args=[self.shelf.slug, self.release.version])
        return f"{settings.SITE_URL}{path}"

    @property
    def name(self) -> str:
        """The name of the collection as it was released."""
        return self.manifest.collection.name or self.release.title

    def open(self, path: str) -> FileStretch:
        """Open a file of it. Raises FileNotFoundError for one that is not there."""
        if path not in self.files:
            raise FileNotFoundError(path)
        file = self.files[path]
        return FileStretch(self.release.open_archive(), file.offset, file.n_bytes)

    def read(self, path: str) -> bytes:
        """Read a whole file of it; raises FileNotFoundError."""
        with self.open(path) as stream:
            return stream.read()
