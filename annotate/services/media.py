"""Where a collection's media lie, how they get there, and which addresses elsewhere may be shown."""

import filecmp
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from annotate.core.item_rows import media_host
from annotate.core.sources import FolderSource, Source, path_fault
from annotate.models import Collection


class MediaConflict(Exception):
    """A file of this path, with other content, already belongs to the collection; nothing was loaded."""


def media_folder(collection: Collection) -> Path:
    """The folder of a collection's media."""
    return Path(settings.MEDIA_ROOT) / "collections" / collection.slug


def find_file(*, collection: Collection, path: str) -> Path | None:
    """The file of a part's path; None when there is none inside the collection's folder."""
    if path_fault(path):
        return None
    folder = media_folder(collection).resolve()
    found = (folder / path).resolve()
    return found if found.is_relative_to(folder) and found.is_file() else None


def is_allowed_address(address: str) -> bool:
    """Whether pages may show media of this host; the server itself never fetches any."""
    allowed = {host.partition("://")[2].rstrip("/") or host for host in settings.MEDIA_HOSTS}
    return media_host(address) in allowed


def store_media(*, collection: Collection, source: Source, paths: Iterable[str]) -> int:
    """Copy those files of the source into the collection's folder that it lacks; how many were copied.

    Raises MediaConflict for a file that is there with other content, FormatError for one that cannot be read.
    """
    folder = media_folder(collection)
    n_copied = 0
    for path in sorted(set(paths)):
        if isinstance(source, FolderSource) and source.folder == folder.resolve():
            continue
        n_copied += _store(folder / path, path, source)
    return n_copied


def _store(target: Path, path: str, source: Source) -> bool:
    """Write one file under another name first: nobody ever sees half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open(path) as stream, tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as made:
        new = Path(made.name)
        try:
            shutil.copyfileobj(stream, made, 1024 * 1024)
            made.flush()
            return _put(new, target, path)
        finally:
            new.unlink(missing_ok=True)


def _put(new: Path, target: Path, path: str) -> bool:
    if target.exists():
        if filecmp.cmp(new, target, shallow=False):
            return False
        raise MediaConflict(
            f'The collection already has a file "{path}" with other content; choose another name for it.'
        )
    new.chmod(0o644)
    os.replace(new, target)
    return True
