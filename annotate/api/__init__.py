"""What every endpoint shares: the collection it is about, and errors as application/problem+json.

Keys and scopes are checked before by annotate/authentication.py; an endpoint names its `scope`.
"""

from collections.abc import Collection as Container
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.forms import Form
from django.http import Http404
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotate import access
from annotate.models import Collection, Role


def get_collection(*, request: Request, slug: str, roles: Container[Role]) -> Collection:
    """The collection, if the token's owner holds one of the roles and the token is not for another one."""
    collection = access.get_collection(user=request.user, slug=slug, roles=roles)
    if request.auth.collection_id not in {None, collection.pk}:
        raise Http404
    return collection


class Unprocessable(APIException):
    """What was sent can be read but not accepted; `detail` says why, `errors` lists the places."""

    status_code = 422
    default_detail = "What was sent cannot be accepted."

    def __init__(self, detail: str, *, errors: list[Any] | None = None) -> None:
        super().__init__(detail)
        self.errors = errors


def refused(form: Form) -> Unprocessable:
    """What is wrong with the fields, each by its name."""
    errors = [{"field": field, "message": message} for field, told in form.errors.items() for message in told]
    return Unprocessable("Some fields are wrong; see errors.", errors=errors)


class TooLarge(APIException):
    """The upload is larger than the site takes."""

    status_code = 413


def problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """Any refusal in the form of RFC 9457."""
    error = TooLarge(str(error)) if isinstance(error, RequestDataTooBig) else error
    response = exception_handler(error, context)
    if response is None:
        return None
    told = response.data
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(response.status_code).phrase,
        "status": response.status_code,
    }
    if isinstance(told, dict) and set(told) == {"detail"}:
        body["detail"] = told["detail"]
    else:
        body |= {"detail": "Some fields are wrong; see errors.", "errors": told}
    if isinstance(error, Unprocessable) and error.errors:
        body["errors"] = error.errors
    response.data = body
    response.content_type = "application/problem+json"
    return response
