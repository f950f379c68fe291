"""Uploads: forbidden and too large ones are refused before they are read.

They are written to the disk where they will stay, and answered to a script.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import (
    FileUploadHandler,
    StopUpload,
    TemporaryFileUploadHandler,
)
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseForbidden,
    JsonResponse,
    QueryDict,
    UnreadablePostError,
)
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.middleware.csrf import CsrfViewMiddleware
from django.shortcuts import render

FIELDS = 1024 * 1024  # bytes of a form's other fields, and of a request without files
BLOCK = 64 * 1024


class Upload(TemporaryUploadedFile):
    """An uploaded file; it is deleted with the request unless it is moved to its storage."""

    def __init__(self, *args: Any) -> None:
        folder = Path(settings.MEDIA_ROOT) / "uploads"
        folder.mkdir(parents=True, exist_ok=True)
        file = NamedTemporaryFile(dir=folder)  # noqa: SIM115 - the request closes it
        UploadedFile.__init__(self, file, *args)


class UploadHandler(TemporaryFileUploadHandler):
    """Writes every upload to the disk of stored files, so that storing it is a renaming."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, Any],
        content_length: int,
        boundary: str | bytes,
        encoding: str | None = None,
    ) -> None:
        """Refuse a too large upload before any of it is read."""
        if content_length > settings.UPLOAD_MAX_BYTES + FIELDS:
            raise RequestDataTooBig(f"The upload is larger than {limit()}.")

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Open a file for the next upload."""
        FileUploadHandler.new_file(self, *args, **kwargs)
        self.file = Upload(
            self.file_name, self.content_type, 0, self.charset, self.content_type_extra
        )


class FieldsOnly(FileUploadHandler):
    """Stops reading a form where its first file begins."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Stop reading."""
        raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Do nothing: no data is received."""

    def file_complete(self, file_size: int) -> None:
        """Do nothing: there is no file."""


class RereadableStream:
    """A stream whose beginning is read, and then all of it from the start."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._beginning = BytesIO()

    def read_first(self, size: int) -> bytes:
        """Read on, at most FIELDS bytes altogether."""
        data = self._stream.read(min(size, FIELDS - self._beginning.tell()))
        self._beginning.write(data)
        return data

    def rewind(self) -> None:
        """Go back to the start."""
        self._beginning.seek(0)

    def read(self, size: int = -1) -> bytes:
        """Read the stored beginning, then the rest."""
        data = self._beginning.read(size)
        return (
            data
            if len(data) == size
            else data + self._stream.read(size - len(data) if size >= 0 else -1)
        )

    def readline(self, size: int = -1) -> bytes:
        """Read a block: Django reads lines only to discard the bytes after a form's end."""
        return self.read(BLOCK if size < 0 else min(size, BLOCK))


class FirstFields:
    """The beginning of a stream, with the method that a parser reads it by."""

    def __init__(self, stream: RereadableStream) -> None:
        self.read = stream.read_first


@contextmanager
def fields_before_files(request: HttpRequest) -> Iterator[None]:
    """Let `request.POST` hold only the fields before the first file; later it is read as a whole.

    Reads at most FIELDS bytes, which stay in memory.
    """
    stream = RereadableStream(request._stream)
    parser = MultiPartParser(
        request.META,
        FirstFields(stream),  # type: ignore[arg-type]  # a parser calls `read` alone
        [FieldsOnly(request)],
        request.encoding,
    )
    try:
        request._post = parser.parse()[0]  # type: ignore[attr-defined]  # not in the stubs
    except (MultiPartParserError, OSError):  # whoever reads on will say so
        request._post = QueryDict()  # type: ignore[attr-defined]  # not in the stubs
    try:
        yield
    finally:
        del request._post  # type: ignore[attr-defined]  # not in the stubs
        stream.rewind()
        request._stream = stream  # type: ignore[assignment]  # `read` and `readline` alone are called


class CsrfMiddleware(CsrfViewMiddleware):
    """Looks for a large form's token in the fields before its files; reads no file without."""

    def process_view(
        self, request: HttpRequest, callback: Any, callback_args: Any, callback_kwargs: Any
    ) -> HttpResponseForbidden | None:
        """Return None, or the refusal."""
        if not brings_files(request) or getattr(callback, "csrf_exempt", False):
            return super().process_view(request, callback, callback_args, callback_kwargs)
        with fields_before_files(request):
            return super().process_view(request, callback, callback_args, callback_kwargs)


class BodyMiddleware:
    """Refuses large bodies, except for views that take files and check permissions first."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Return None, or the refusal of a body that is too large for this view."""
        if body_length(request) <= FIELDS or (takes_files(view) and brings_files(request)):
            return None
        detail = (
            f"The request is larger than {FIELDS // 2**20} MB, "
            "which is the most where no file is expected."
        )
        if is_for_programs(request):
            return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
        return render(
            request, "413.html", {"detail": detail}, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        )

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer an upload that broke off or was too slow."""
        if not isinstance(exception, UnreadablePostError):
            return None
        for handler in request.upload_handlers:
            if file := getattr(handler, "file", None):
                file.close()  # which deletes the partial file
        detail = f"The upload broke off ({exception}); nothing was changed. Send it again."
        if is_for_programs(request):
            return problem(HTTPStatus.REQUEST_TIMEOUT, detail)
        return HttpResponse(
            detail, status=HTTPStatus.REQUEST_TIMEOUT, content_type="text/plain; charset=utf-8"
        )


class ScriptedUploadMiddleware:
    """Sends static/js/files/upload.js the next address.

    It would follow a redirect and use up messages.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "X-Upload" not in request.headers or response.status_code != HTTPStatus.FOUND:
            return response
        answer = HttpResponse(
            status=HTTPStatus.NO_CONTENT, headers={"X-Location": response.headers["Location"]}
        )
        answer.cookies = response.cookies
        return answer


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for unreadable requests; too large uploads have their own."""
    if isinstance(exception, RequestDataTooBig):
        return render(
            request, "413.html", {"limit": limit()}, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        )
    return render(request, "400.html", status=HTTPStatus.BAD_REQUEST)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the 404 page; Django's own reads the form for its token, however large it is."""
    return render(request, "404.html", status=HTTPStatus.NOT_FOUND)


def limit() -> str:
    """The largest upload's size, in words."""
    return f"{settings.UPLOAD_MAX_BYTES // 2**20:,} MB"


def body_length(request: HttpRequest) -> int:
    """The request's Content-Length, 0 without one."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isdecimal() else 0


def brings_files(request: HttpRequest) -> bool:
    """True if the request is a large form with files."""
    is_form = request.method == "POST" and request.content_type == "multipart/form-data"
    return is_form and body_length(request) > FIELDS


def takes_files(view: Any) -> bool:
    """True if the view is marked as one that takes files."""
    return getattr(getattr(view, "cls", view), "takes_files", False)


def is_for_programs(request: HttpRequest) -> bool:
    """True if the address is one of the API's."""
    return request.path.startswith("/api/")


def problem(status: HTTPStatus, detail: str) -> HttpResponse:
    """A refusal in the form of RFC 9457."""
    body = {"type": "about:blank", "title": status.phrase, "status": int(status), "detail": detail}
    return JsonResponse(body, status=status, content_type="application/problem+json")
