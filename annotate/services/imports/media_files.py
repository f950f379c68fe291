"""Files of media, on a disk or in a bucket, and what they are read for: types, lengths, checksums.

Of a file in a bucket only its head is fetched, or its first byte, with what the bucket says of the
rest. An address that somebody wrote into a file is never fetched: its type is what the file says,
and it has no length and no checksum.
"""

import hashlib
import io
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar, cast

from annotate.core.files.archives.ranged_files import BLOCK, RangedFile, UnreachableFile
from annotate.core.files.items.item_rows import is_address
from annotate.core.labels.cards import MediaSource
from annotate.core.media.containers.detection import DetectedMedium, detect_medium
from annotate.models import Collection, Part
from annotate.services.background import progress
from annotate.services.collection.media import locate_medium

Fact = TypeVar("Fact")
log = logging.getLogger(__name__)

# A larger one has no checksum: a turn of a worker that ends in the midst of a file loses it, and
# half an hour is what this many take from a slow disk.
MAX_BYTES = 64 * 2**30
# An MD5 of the content, or of the MD5s of its pieces and their number. Marks of other forms may
# tell of the time and size alone, and weak ones of what is merely alike.
_S3_ETAG = re.compile(r'"?([0-9a-f]{32}(?:-\d{1,5})?)"?', re.IGNORECASE)


class PartReading(NamedTuple):
    """A part, and what its files were read for.

    media : what was detected of its sources, in their order; empty where that was known
    checksum : of its first file; None where it was known, or not to be computed
    """

    part: Part
    media: list[DetectedMedium]
    checksum: str | None

    @property
    def seconds(self) -> float | None:
        """The length of the first source that says it."""
        return next((medium.seconds for medium in self.media if medium.seconds), None)


class MediaFiles:
    """The files of a collection's media; a file of several parts is read once.

    in_buckets : whether files in a bucket are read as well, which takes a moment each
    n_unanswered : number of files in a row that the bucket did not give
    """

    def __init__(self, collection: Collection, *, in_buckets: bool) -> None:
        self.collection = collection
        self.in_buckets = in_buckets
        self.n_unanswered = 0
        self._media_by_file: dict[tuple[str, str], DetectedMedium | None] = {}
        self._checksums_by_path: dict[str, str | None] = {}

    def read(self, part: Part, *, with_checksum: bool) -> PartReading | None:
        """Read a part's files for what is not known of it.

        None if one of its files is left for later.
        """
        needs_types = part.kind in Part.PLAYED and not part.is_inspected
        media = [self._medium(part.kind, source) for source in part.sources] if needs_types else []
        if None in media:
            return None
        checksum = None
        if with_checksum and part.checksum is None:
            checksum = self._checksum(part.path)
            if checksum is None:
                return None
        return PartReading(part, cast(list[DetectedMedium], media), checksum)

    def _medium(self, kind: str, source: MediaSource) -> DetectedMedium | None:
        """Return type and length of a source, None if it is left for later.

        So is a file that was read once and cannot be now, as while its disk is away.
        """
        path = source.path
        if is_address(path):
            return DetectedMedium(source.type)
        if (kind, path) not in self._media_by_file:
            medium = self._read(
                path,
                lambda location: self._medium_at(location, kind, path),
                otherwise=None if source.type else DetectedMedium(),
            )
            self._media_by_file[kind, path] = medium
            if medium is None:
                self._checksums_by_path[path] = None
        return self._media_by_file[kind, path]

    def _medium_at(self, location: Path | str, kind: str, path: str) -> DetectedMedium:
        if isinstance(location, Path):
            with location.open("rb") as stream:
                return detect_medium(stream, kind)
        self._checksums_by_path[path] = ""  # if the bucket has no such file
        file = RangedFile(location, progress.clock)
        self._checksums_by_path[path] = _checksum_in_bucket(file)
        return detect_medium(cast(BinaryIO, io.BufferedReader(file, BLOCK)), kind)

    def _checksum(self, path: str) -> str | None:
        """Return a file's checksum, "" where none is to be had, None if it is left for later."""
        if is_address(path):
            return ""
        if path not in self._checksums_by_path:
            self._checksums_by_path[path] = self._read(path, _checksum_at, otherwise="")
        return self._checksums_by_path[path]

    def _read(
        self, path: str, reader: Callable[[Path | str], Fact], *, otherwise: Fact | None
    ) -> Fact | None:
        """Return a reader's fact of a file; `otherwise` if unreadable, None if left for later."""
        location = locate_medium(collection=self.collection, path=path)
        if isinstance(location, str) and not self.in_buckets:
            return None
        fact = otherwise
        try:
            if location is not None:
                fact = reader(location)
        except UnreachableFile as error:
            log.warning(
                "The bucket with the media of %s does not give %s: %s", self.collection, path, error
            )
            self.n_unanswered += 1
            return None
        except OSError as error:
            log.info("%s of %s cannot be looked into: %s", path, self.collection, error)
        if isinstance(location, str):
            self.n_unanswered = 0
        return fact


def _checksum_at(location: Path | str) -> str:
    if isinstance(location, str):
        return _checksum_in_bucket(RangedFile(location, progress.clock, block_size=1))
    with location.open("rb") as stream:
        if location.stat().st_size > MAX_BYTES:
            return ""
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"


def _checksum_in_bucket(file: RangedFile) -> str:
    """Return what the bucket says of a file's content, with its size; "" where it says nothing."""
    etag = _S3_ETAG.fullmatch(file.etag)
    return f"etag:{etag[1]}-{file.size}" if etag else ""
