"""Releases of a collection."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from assayer.client.collection.part import FOREVER, CollectionPart
from assayer.client.errors import NotFound, Refused
from assayer.client.records.record import Records
from assayer.client.records.releases import Release, ReleaseDiff, ReleaseFile, WholeRelease
from assayer.client.saving import save, target_of
from assayer.client.transport import Call

WAIT = 600.0


class ReleaseHandle:
    """A release of a collection by its version; nothing is asked until a method is called."""

    def __init__(self, part: CollectionPart, version: str) -> None:
        self.part = part
        self.version = version

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.part.slug!r}, {self.version!r})"

    def address(self, words: str = "") -> str:
        """An address below that of the release."""
        return self.part.address(f"releases/{quote(self.version, safe='')}/{words}")

    def facts(self) -> WholeRelease:
        """The release with its files; raises NotFound."""
        return WholeRelease.of(self.part.transport.read(self.address()))

    def files(self) -> Records[ReleaseFile]:
        """The files of the release."""
        return Records(self.facts().files)

    def download(self, to: Path | str, path: str | None = None) -> Path:
        """Store the zip of the release, or one file of it; returns its path.

        to : a file, or a folder, in which it gets the site's name
        path : that of the file in the release
        Its size and checksum are compared with those that the site names. Raises NotFound.
        """
        facts = self.facts()
        entry: WholeRelease | ReleaseFile = facts
        address, name = facts.archive_url, facts.file_name
        if path is not None:
            files = {file.path: file for file in facts.files}
            if path not in files:
                raise NotFound(f"Release {self.version} has no file {path}.")
            entry = files[path]
            address, name = files[path].url, Path(path).name
        if not address:
            raise NotFound(f"Release {self.version} is {facts.state}: its files are not there.")
        return save(
            self.part.transport,
            Call("GET", address),
            target_of(to, name),
            sha256=entry.sha256,
            n_bytes=entry.n_bytes,
            show_progress=self.part.show_progress,
        )

    def publish(self) -> Release:
        """Make the release public."""
        return Release.of(self.part.transport.act(self.address("publish/")))

    def unpublish(self) -> Release:
        """Take its publication back."""
        return Release.of(self.part.transport.act(self.address("unpublish/")))

    def withdraw(self, reason: str) -> Release:
        """Withdraw the release: its files go, its checksums stay."""
        return Release.of(self.part.transport.act(self.address("withdraw/"), {"reason": reason}))

    def diff(
        self, to: str | None = None, *, label_source: str | None = None, wait: float = WAIT
    ) -> ReleaseDiff:
        """The changes from this release to another version; to the labels of now without one."""
        call = Call("GET", self.address("diff/"), {"to": to, "label_source": label_source})
        return self.part.numbers(ReleaseDiff, call, wait=wait, title="The changes")


class Releases(CollectionPart):
    """The releases of a collection."""

    def releases(self, **filters: Any) -> Records[Release]:
        """The releases, the newest first; a filter is `state`."""
        return self.listed(Release, "releases/", filters)

    def release(self, version: str) -> ReleaseHandle:
        """The handle of a release by its version."""
        return ReleaseHandle(self, version)

    def make_release(self, version: str, *, wait: float = FOREVER, **fields: Any) -> Release:
        """Make a release of the labels of now; returns it once it is made.

        wait : seconds to wait; 0 returns at once
        fields : title, notes, released_on
        Raises Refused, also where its making fails.
        """
        release = Release.of(
            self.transport.create(self.address("releases/"), {"version": version, **fields})
        )
        release = self.awaited(release, wait=wait, title=f"release {version}")
        if release.state in ("failed", "cancelled"):
            raise Refused(f"Release {version} is {release.state}. {release.job.error}".strip())
        return release
