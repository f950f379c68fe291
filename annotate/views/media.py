"""One image, clip or sound of an item, for whoever takes part in its collection."""

from pathlib import Path

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from annotate import access
from annotate.core import playing
from annotate.core.cards import MediaSource
from annotate.core.media_types import media_type
from annotate.core.ranges import Range, Unsatisfiable, parse_range
from annotate.services.media import locate

HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, max-age=600",
    # Whatever the bytes are, a browser must not take them for a page or a script.
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}


@require_safe
@login_required
def part_media(request: HttpRequest, slug: str, pk: int, number: int = 0) -> HttpResponse | FileResponse:
    """The file of a part, or the stretch of it that a player asks for.

    number : which of the part's sources, in the order they are tried
    """
    part = access.get_part(user=request.user, slug=slug, pk=pk)
    source = part.sources[number] if number < len(part.sources) else MediaSource("")
    path = locate(collection=part.item.collection, path=source.path)
    if path is None or media_type(source.path) is None:
        raise Http404("There is no such file.")
    if isinstance(path, str):  # the bucket answers itself, for a few minutes
        return HttpResponseRedirect(path, headers={"Cache-Control": "no-store"})
    found = path.stat()
    tag = f'"{found.st_mtime_ns:x}-{found.st_size:x}"'
    try:
        asked = parse_range(_range_header(request, tag), size=found.st_size)
    except Unsatisfiable:
        response = HttpResponse(status=416, headers={"Content-Range": f"bytes */{found.st_size}"})
    else:
        response = _answer(path, found.st_size, asked)
    for name, value in {**HEADERS, "ETag": tag, "Content-Type": _content_type(source)}.items():
        response.headers[name] = value
    return response


def _content_type(source: MediaSource) -> str:
    """What a browser takes the file for: what it was found to be, else what the end of its name says."""
    known = media_type(source.path)
    guess = known.content_type if known else ""
    return playing.offered(source.type or guess).partition(";")[0] or guess


def _range_header(request: HttpRequest, tag: str) -> str:
    """The range asked for, unless it is meant for another version of the file."""
    meant_for = request.headers.get("If-Range", tag)
    return request.headers.get("Range", "") if meant_for == tag else ""


def _answer(path: Path, size: int, asked: Range | None) -> FileResponse:
    sent = asked or Range(0, size - 1)
    response = FileResponse(FileRange(path, sent), status=206 if asked else 200)
    response.headers["Content-Length"] = str(sent.length)
    if asked:
        response.headers["Content-Range"] = f"bytes {sent.first}-{sent.last}/{size}"
    return response


class FileRange:
    """A file from the first to the last byte that is asked for; a web server may send it from where it stands.

    It has no name, else Django's answer would tell it.
    """

    def __init__(self, path: Path, sent: Range) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(sent.first)
        self._left = sent.length
        self.fileno, self.close = self._file.fileno, self._file.close

    def read(self, size: int) -> bytes:
        """The next bytes, none behind the last."""
        data = self._file.read(min(size, self._left))
        self._left -= len(data)
        return data
