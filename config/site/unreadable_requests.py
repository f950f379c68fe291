"""Requests with text that no database stores, or JSON that no parser reads: 400, and what to mend.

PostgreSQL refuses NUL characters and halves of surrogate pairs, file systems the former, in every
view. Addresses are checked first; a body is found unreadable once a view has failed on it.
"""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.db import DataError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader

log = logging.getLogger(__name__)

IN_ADDRESS = "The address contains a NUL character; remove it."
NUL = "A text contains a NUL character; remove it."
SURROGATE = "A text contains half of a surrogate pair; it is no valid Unicode text."
NESTED = "The JSON is nested too deeply; send it with fewer levels."
# PostgreSQL's codes for bytes, and for escapes in JSON, that are no character
NO_TEXT = {"22021", "22P05"}


class UnreadableMiddleware:
    """Answers unreadable requests with 400, in the form of errors for programs or browsers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if "\0" in request.path_info or "%00" in query or "\0" in query:
            return _refused(request, IN_ADDRESS)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a request that failed by its own text; None for other failures."""
        message = reason(exception, is_json="json" in (request.content_type or ""))
        if not message:
            return None
        log.warning("%s %s was answered 400: %s", request.method, request.path, message)
        return _refused(request, message)


def reason(error: Exception, *, is_json: bool) -> str:
    """Return the fault of the text that caused an error; "" for other errors.

    is_json : whether the request holds JSON; else too deep a recursion is the product's own fault
    """
    if isinstance(error, RecursionError):
        return NESTED if is_json else ""
    if isinstance(error, UnicodeEncodeError):
        return SURROGATE if error.reason == "surrogates not allowed" else ""
    if isinstance(error, DataError):
        is_nul = "NUL (0x00)" in str(error) or getattr(error.__cause__, "sqlstate", None) in NO_TEXT
        return NUL if is_nul else ""
    return NUL if isinstance(error, ValueError) and "embedded null" in str(error) else ""


def _refused(request: HttpRequest, message: str) -> HttpResponse:
    status = HTTPStatus.BAD_REQUEST
    if request.path.startswith("/api/"):
        problem = {
            "type": "about:blank",
            "title": status.phrase,
            "status": status.value,
            "detail": message,
        }
        return JsonResponse(problem, status=status, content_type="application/problem+json")
    if "json" in request.headers.get("Accept", "") or "json" in (request.content_type or ""):
        return JsonResponse({"error": message}, status=status)
    page = loader.get_template("400.html").render({"problem": message})  # who asks is not known yet
    return HttpResponse(page, status=status)
