"""Media of a collection: their storage, and the hosts elsewhere whose media may be shown.

A file lies in the collection's own folder, copied there when its items were loaded; or in the store
that the operator names in MEDIA_STORAGE, a folder or a bucket with one folder a collection, called
by the collection's short name. From the store nothing is copied. Nothing here ever fetches an
address from an uploaded file.
"""

import filecmp
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect

from annotate.core.files.archives.sources import FolderSource, Source, path_fault
from annotate.core.files.items.item_rows import media_host
from annotate.core.files.media_types import media_type
from annotate.core.labels.cards import CardPart, MediaSource
from annotate.core.media import browser_support
from annotate.http import file_answer
from annotate.models import Collection, Part
from annotate.services.background.progress import ProgressCallback, ignore_progress

STORE = "collections"  # its name among the settings' STORAGES


class MediaConflict(Exception):
    """The collection already has a file of this path with other content; nothing was loaded."""


def media_folder(collection: Collection) -> Path:
    """The folder of a collection's media."""
    return Path(settings.MEDIA_ROOT) / "collections" / collection.slug


def find_file(*, collection: Collection, path: str) -> Path | None:
    """The file of a part's path; None when there is none inside the collection's folder."""
    if path_fault(path):
        return None
    folder = media_folder(collection).resolve()
    file = (folder / path).resolve()
    return file if file.is_relative_to(folder) and file.is_file() else None


def operators_store() -> Storage | None:
    """The folder or bucket that MEDIA_STORAGE names; None where it names none."""
    return storages[STORE] if STORE in settings.STORAGES else None


def locate_medium(*, collection: Collection, path: str) -> Path | str | None:
    """Return a part's medium: a file of this machine, else the bucket's short-lived address.

    None when there is none; whether a bucket has the file is for the bucket to say.
    """
    store = operators_store()
    file = find_file(collection=collection, path=path)
    if file or store is None or path_fault(path):
        return file
    name = f"{collection.slug}/{path}"
    try:
        stored_file = Path(store.path(name))
    except NotImplementedError:  # a bucket has no paths
        return store.url(name)
    return stored_file if stored_file.is_file() else None


def stored_bytes(collection: Collection, part: Part | CardPart) -> int | None:
    """Return the size of the file that browsers try first; None where it is not known."""
    if part.checksum and part.checksum.startswith("etag:"):  # of a bucket's file, with its size
        return int(part.checksum.rpartition("-")[2])
    store = operators_store()
    try:
        file = find_file(collection=collection, path=part.path)
        if file is None and store is not None and not path_fault(part.path):
            file = Path(store.path(f"{collection.slug}/{part.path}"))
        return file.stat().st_size if file else None
    except (
        NotImplementedError,
        OSError,
    ):  # a bucket has no paths; no answer waits for a broken disk
        return None


def medium_answer(*, request: HttpRequest, part: Part, number: int) -> HttpResponseBase:
    """The file of a part, a stretch of it, or the bucket's address; else Http404.

    A file of this machine that had no checksum gets one by the next sweep, and so its preview.
    number : index of the part's source, in the order browsers try them
    """
    source = part.sources[number] if number < len(part.sources) else MediaSource("")
    path = locate_medium(collection=part.item.collection, path=source.path)
    type_by_name = media_type(source.path)
    if path is None or type_by_name is None:
        raise Http404("There is no such file.")
    if isinstance(path, str):  # the bucket answers itself, for a few minutes
        return HttpResponseRedirect(path, headers={"Cache-Control": "no-store"})
    if number == 0 and part.checksum == "":  # the file was stored after workers had looked for it
        Part.objects.filter(pk=part.pk, checksum="").update(checksum=None)
    # the type detected in the file, else that of its name's ending
    mime = browser_support.browser_query_type(source.type or type_by_name.content_type)
    content_type = mime.partition(";")[0] or type_by_name.content_type
    return file_answer(request, path=path, content_type=content_type)


class StoredMedia:
    """A collection's files in the operator's store; each of its folders is listed once."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._listed: dict[str, set[str]] = {}

    def holds(self, path: str) -> bool:
        """True if the store holds this file."""
        folder, _, name = f"{self.collection.slug}/{path}".rpartition("/")
        if folder not in self._listed:
            store = operators_store()
            try:
                self._listed[folder] = set(store.listdir(folder)[1]) if store else set()
            except (FileNotFoundError, NotADirectoryError):
                self._listed[folder] = set()
        return name in self._listed[folder]


def is_allowed_address(address: str) -> bool:
    """True if pages may show media of this host; the server itself never fetches any."""
    allowed_hosts = {host.partition("://")[2].rstrip("/") or host for host in settings.MEDIA_HOSTS}
    return media_host(address) in allowed_hosts


def store_media(
    *,
    collection: Collection,
    sources: Mapping[str, Source],
    on_progress: ProgressCallback = ignore_progress,
) -> int:
    """Copy the files that the collection's folder lacks, each from its source; return how many.

    sources : by path

    All or none: where it ends early, its copies are deleted. Raises MediaConflict for a file that
    is there with other content, FormatError for one that cannot be read.
    """
    folder = media_folder(collection)
    n_copied = 0
    with ExitStack() as undo:
        for number, path in enumerate(sorted(sources), start=1):
            source = sources[path]
            if isinstance(source, FolderSource) and source.folder == folder.resolve():
                continue
            if _store(folder / path, path, source):
                undo.callback((folder / path).unlink, missing_ok=True)
                n_copied += 1
            on_progress(number, len(sources), "media files")
        undo.pop_all()
    return n_copied


def _store(target: Path, path: str, source: Source) -> bool:
    """Write one file under another name first: nobody ever sees half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        source.open(path) as stream,
        tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as new_file,
    ):
        new_path = Path(new_file.name)
        try:
            shutil.copyfileobj(stream, new_file, 1024 * 1024)
            new_file.flush()
            return _move_into_place(new_path, target, path)
        finally:
            new_path.unlink(missing_ok=True)


def _move_into_place(new_path: Path, target: Path, path: str) -> bool:
    if target.exists():
        if filecmp.cmp(new_path, target, shallow=False):
            return False
        raise MediaConflict(
            f'The collection already has a file "{path}" with other content; '
            "choose another name for it."
        )
    new_path.chmod(0o644)
    os.replace(new_path, target)
    return True
