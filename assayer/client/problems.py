"""Refusals and failures of a site, read from its answers."""

from http import HTTPStatus
from typing import Any

import httpx2

from assayer.client.errors import (
    AssayerError,
    Conflict,
    Forbidden,
    NotFound,
    Refused,
    SiteFailed,
    TooFast,
    Unauthorized,
)

PASSING = {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
BY_STATUS: dict[int, type[AssayerError]] = {
    HTTPStatus.UNAUTHORIZED: Unauthorized,
    HTTPStatus.FORBIDDEN: Forbidden,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.CONFLICT: Conflict,
    HTTPStatus.PRECONDITION_FAILED: Conflict,
    HTTPStatus.TOO_MANY_REQUESTS: TooFast,
}


def error_of(response: httpx2.Response) -> AssayerError:
    """The error of an answer that was read and is no success."""
    status = response.status_code
    if response.is_redirect:
        detail = f"{response.url.scheme}://{response.url.netloc.decode()} sends requests on to"
        return AssayerError(f"{detail} {response.headers['Location']}.", status=status)
    problem = problem_of(response)
    default = SiteFailed if status >= HTTPStatus.INTERNAL_SERVER_ERROR else Refused
    errors: dict[str, list[str]] = {}
    for fault in problem.get("errors", []):
        errors.setdefault(str(fault["field"]), []).append(str(fault["message"]))
    detail = str(problem.get("detail") or f"The site answers {status} {response.reason_phrase}.")
    wait = response.headers.get("Retry-After", "")
    return BY_STATUS.get(status, default)(
        detail,
        status=status,
        errors=errors,
        is_passing=status in PASSING or status == HTTPStatus.TOO_MANY_REQUESTS,
        retry_after=float(wait) if wait.isdecimal() else 0,
    )


def problem_of(response: httpx2.Response) -> dict[str, Any]:
    """The fields of a refusal; {} of an answer that is none, as of a proxy."""
    if response.headers.get("Content-Type", "").split(";")[0] != "application/problem+json":
        return {}
    try:
        problem = response.json()
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
