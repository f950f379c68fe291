"""One image, clip or sound of an item, for the members of its collection."""

from pathlib import Path

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from annotate import access
from annotate.core.files.media_types import media_type
from annotate.core.labels.cards import MediaSource
from annotate.core.media import browser_support
from annotate.core.media.ranges import Range, UnsatisfiableRange, parse_range
from annotate.http import SignedIn
from annotate.services.collection.media import locate_medium

HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, max-age=600",
    # Whatever the bytes are, a browser must not take them for a page or a script.
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}


@require_safe
@login_required
def part_media(
    request: SignedIn, slug: str, pk: int, number: int = 0
) -> HttpResponse | FileResponse:
    """The file of a part, or the stretch of it that a player asks for.

    number : index of the part's source, in the order browsers try them
    """
    part = access.get_part(user=request.user, slug=slug, pk=pk)
    source = part.sources[number] if number < len(part.sources) else MediaSource("")
    path = locate_medium(collection=part.item.collection, path=source.path)
    type_by_name = media_type(source.path)
    if path is None or type_by_name is None:
        raise Http404("There is no such file.")
    if isinstance(path, str):  # the bucket answers itself, for a few minutes
        return HttpResponseRedirect(path, headers={"Cache-Control": "no-store"})
    file_stat = path.stat()
    tag = f'"{file_stat.st_mtime_ns:x}-{file_stat.st_size:x}"'
    # a range meant for another version of the file does not count
    is_current = request.headers.get("If-Range", tag) == tag
    range_header = request.headers.get("Range", "") if is_current else ""
    response = _stretch(path, file_stat.st_size, range_header)
    # the type detected in the file, else that of its name's ending
    mime = browser_support.browser_query_type(source.type or type_by_name.content_type)
    content_type = mime.partition(";")[0] or type_by_name.content_type
    for name, value in {**HEADERS, "ETag": tag, "Content-Type": content_type}.items():
        response.headers[name] = value
    return response


def _stretch(path: Path, size: int, range_header: str) -> HttpResponse | FileResponse:
    """The requested stretch of a file; 416 for one that the file does not have."""
    try:
        byte_range = parse_range(range_header, size=size)
    except UnsatisfiableRange:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    return _answer(path, size, byte_range)


def _answer(path: Path, size: int, byte_range: Range | None) -> FileResponse:
    served_range = byte_range or Range(0, size - 1)
    response = FileResponse(FileRange(path, served_range), status=206 if byte_range else 200)
    response.headers["Content-Length"] = str(served_range.length)
    if byte_range:
        response.headers["Content-Range"] = f"bytes {served_range.first}-{served_range.last}/{size}"
    return response


class FileRange:
    """A file from the first to the last requested byte, which a server may send from its position.

    It has no name, else Django's answer would reveal it.
    """

    def __init__(self, path: Path, byte_range: Range) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(byte_range.first)
        self._left = byte_range.length
        self.fileno, self.close = self._file.fileno, self._file.close

    def read(self, size: int) -> bytes:
        """Return the next bytes, none behind the last."""
        chunk = self._file.read(min(size, self._left))
        self._left -= len(chunk)
        return chunk
