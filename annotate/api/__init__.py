"""Shared by all endpoints: access to the collection, and errors as application/problem+json.

Keys and scopes are checked before by annotate/sign_in/authentication.py; an endpoint names its
`scope`.
"""

from collections.abc import Collection as Container
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.forms import BaseForm
from django.http import Http404
from rest_framework.exceptions import APIException, NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotate import access
from annotate.core.phrases import enumeration
from annotate.models import ApiToken, Collection, Role, User


class TokenRequest(Request):
    """A request with a token that annotate.sign_in has accepted, and its owner."""

    user: User
    auth: ApiToken


def get_collection(*, request: TokenRequest, slug: str, roles: Container[Role]) -> Collection:
    """Return the collection, if the token is valid for it and its owner holds one of the roles.

    Raises Http404 for who has no part in it, as pages do, and RoleMissing for its other members:
    they know that it is there, and a program shows no page that leaves out what they may not do.
    """
    collection = access.get_collection(user=request.user, slug=slug)
    if request.auth.collection_id not in {None, collection.pk}:
        raise Http404
    roles_held = access.roles_in(user=request.user, collection=collection)
    if roles_held.isdisjoint(roles):
        needed, own = (
            [role.value for role in Role if role in group] for group in (roles, roles_held)
        )
        raise RoleMissing(
            f"This needs the role {' or '.join(needed)}; you are {enumeration(own)} here."
        )
    return collection


class RoleMissing(PermissionDenied):
    """A member of the collection holds no role that this needs; `detail` names them."""


class Unprocessable(APIException):
    """The request can be read but not accepted; `detail` says why, `errors` lists the fields."""

    status_code = 422
    default_detail = "What was sent cannot be accepted."

    def __init__(self, detail: str, *, errors: list[Any] | None = None) -> None:
        super().__init__(detail)
        self.errors = errors


def invalid_form(form: BaseForm) -> Unprocessable:
    """Make the error of an invalid form, with the message of each field."""
    errors = [
        {"field": field, "message": message}
        for field, messages in form.errors.items()
        for message in messages
    ]
    return Unprocessable("Some fields are wrong; see errors.", errors=errors)


class UploadTooLarge(APIException):
    """The upload is larger than the site takes."""

    status_code = 413


def problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer any refusal in the form of RFC 9457."""
    if isinstance(error, RequestDataTooBig):
        error = UploadTooLarge(str(error))
    if isinstance(error, Http404):  # its own sentence names classes
        error = NotFound("There is nothing at this address, or nothing that this token may see.")
    response = exception_handler(error, context)
    if response is None:
        return None
    details = response.data
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(response.status_code).phrase,
        "status": response.status_code,
    }
    if isinstance(details, dict) and set(details) == {"detail"}:
        body["detail"] = details["detail"]
    else:
        body |= {"detail": "Some fields are wrong; see errors.", "errors": details}
    if isinstance(error, Unprocessable) and error.errors:
        body["errors"] = error.errors
    response.data = body
    response.content_type = "application/problem+json"
    return response
