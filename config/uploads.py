"""Uploads: written to the disk where they will stay, refused unread when they are too large, answered to a script."""

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

FIELDS = 1024 * 1024  # what the other fields of a form may take


class Upload(TemporaryUploadedFile):
    """A file on its way in; it goes with the request unless it is moved to where it is kept."""

    def __init__(self, *args: Any) -> None:
        folder = Path(settings.MEDIA_ROOT) / "uploads"
        folder.mkdir(parents=True, exist_ok=True)
        UploadedFile.__init__(self, NamedTemporaryFile(dir=folder), *args)  # noqa: SIM115 - the request closes it


class UploadHandler(TemporaryFileUploadHandler):
    """Writes every upload to a file beside the kept ones, so that keeping it is a renaming."""

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: bytes, encoding: str | None = None
    ) -> None:
        """Refuse what is too large before any of it is read."""
        if content_length > settings.UPLOAD_MAX_BYTES + FIELDS:
            raise RequestDataTooBig(f"The upload is larger than {limit()}.")

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin a file."""
        FileUploadHandler.new_file(self, *args, **kwargs)
        self.file = Upload(self.file_name, self.content_type, 0, self.charset, self.content_type_extra)


class ScriptedUploadMiddleware:
    """Tells static/js/upload.js where to go next; a redirect it would follow unseen, and use up the page's messages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "X-Upload" not in request.headers or response.status_code != HTTPStatus.FOUND:
            return response
        answer = HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"X-Location": response.headers["Location"]})
        answer.cookies = response.cookies
        return answer


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for what cannot be read; an upload that is too large has its own."""
    if isinstance(exception, RequestDataTooBig):
        return render(request, "413.html", {"limit": limit()}, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return render(request, "400.html", status=HTTPStatus.BAD_REQUEST)


def limit() -> str:
    """The largest upload, as people say it."""
    return f"{settings.UPLOAD_MAX_BYTES // 2**20:,} MB"
