"""The answer during outages of the database, Redis or the disk: 503, with a time to try again.

A request does not wait for long: a row that is locked for more than some seconds is locked by a
job, and the answer is that the site is busy. Nothing of such a request is stored; a judgment stays
in the browser, which sends it again.
"""

import logging
import sys
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.views import defaults
from psycopg.errors import QueryCanceled

from annotate.services.background.works import FAILURES, is_outage
from annotate.services.storage.sessions import begin_sessions_with

log = logging.getLogger(__name__)

# a request's longest wait for a locked row, and for a statement
LOCK_SECONDS, STATEMENT_SECONDS = 3, 20
RETRY_AFTER = "5"  # seconds
BUSY = "The site cannot do this just now; nothing was changed. Try again in some seconds."


def limit_waiting() -> None:
    """Limit the waiting of this process's database sessions, as it serves requests."""
    begin_sessions_with(
        f"-c lock_timeout={LOCK_SECONDS}s -c statement_timeout={STATEMENT_SECONDS}s"
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a failed request: the site is busy, or something broke."""
    error = sys.exc_info()[1]
    # the cause is QueryCanceled where `limit_waiting` cut a statement off
    if not isinstance(error, FAILURES) or not (
        is_outage(error) or isinstance(error.__cause__, QueryCanceled)
    ):
        return defaults.server_error(request)
    log.warning("%s %s was answered 503: %s", request.method, request.path, error)
    return _busy(request)


def _busy(request: HttpRequest) -> HttpResponse:
    status = HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": RETRY_AFTER}
    if request.path.startswith("/api/"):
        problem = {
            "type": "about:blank",
            "title": status.phrase,
            "status": status.value,
            "detail": BUSY,
        }
        return JsonResponse(
            problem, status=status, headers=headers, content_type="application/problem+json"
        )
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"error": BUSY}, status=status, headers=headers)
    again = request.get_full_path() if request.method == "GET" else ""
    # asks the database for nothing
    page = loader.get_template("503.html").render({"busy": BUSY, "again": again})
    return HttpResponse(page, status=status, headers=headers)
