"""What people are told while the database, Redis or the disk does not serve them: 503, and when to come again.

A request waits for nobody: who holds a row for longer than some seconds is a job, and the answer is that the site is
busy. Nothing of a request that ends so is stored; an answer of the judge screen stays in the browser and comes again.
"""

import logging
import sys
from http import HTTPStatus

from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.views import defaults
from psycopg.errors import QueryCanceled

from annotate.services.background.works import FAILURES, is_outage

log = logging.getLogger(__name__)

LOCK_SECONDS, STATEMENT_SECONDS = 3, 20  # what a request waits for a row that somebody holds, and for one statement
RETRY_AFTER = "5"  # seconds
BUSY = "The site cannot do this just now; nothing was changed. Try again in some seconds."


def limit_waiting() -> None:
    """Let the connections of this process, which serves requests, wait for no longer than people do."""
    begin_sessions_with(f"-c lock_timeout={LOCK_SECONDS}s -c statement_timeout={STATEMENT_SECONDS}s")


def begin_sessions_with(settings: str) -> None:
    """Let PostgreSQL have these settings in each session of this process that begins from now on."""
    options = connection.settings_dict["OPTIONS"]
    options["options"] = f"{options.get('options', '')} {settings}".strip()


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to a request that failed: that the site is busy, or that something broke."""
    error = sys.exc_info()[1]
    if not isinstance(error, FAILURES) or not (is_outage(error) or _took_too_long(error)):
        return defaults.server_error(request)
    log.warning("%s %s was answered 503: %s", request.method, request.path, error)
    return _busy(request)


def _took_too_long(error: Exception) -> bool:
    """Whether it is a statement that was cut off by `limit_waiting`."""
    return isinstance(error.__cause__, QueryCanceled)


def _busy(request: HttpRequest) -> HttpResponse:
    status = HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": RETRY_AFTER}
    if request.path.startswith("/api/"):
        problem = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": BUSY}
        return JsonResponse(problem, status=status, headers=headers, content_type="application/problem+json")
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"error": BUSY}, status=status, headers=headers)
    again = request.get_full_path() if request.method == "GET" else ""
    page = loader.get_template("503.html").render({"busy": BUSY, "again": again})  # asks the database for nothing
    return HttpResponse(page, status=status, headers=headers)
