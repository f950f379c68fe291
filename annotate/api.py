"""What every endpoint shares: who calls, what the key may do, and errors as application/problem+json."""

from collections.abc import Container
from http import HTTPStatus
from typing import Any

from django.http import Http404
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from annotate import access
from annotate.models import ApiToken, Collection, Role, User
from annotate.services import tokens


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`; sessions and cookies count for nothing here."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's owner and the token; None without the header."""
        kind, _, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if kind.lower() != "bearer":
            return None
        token = tokens.find_token(secret=secret.strip())
        if token is None:
            raise AuthenticationFailed("This token is unknown, was revoked or has run out; make a new one.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 tells a program to send."""
        return 'Bearer realm="assayer"'


class HasScope(BasePermission):
    """The token carries the scope that the endpoint names in `scope`."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Whether this key was made for this."""
        scope: str = view.scope  # type: ignore[attr-defined]
        self.message = f'This token lacks the scope "{scope}"; make one that has it.'
        return isinstance(request.auth, ApiToken) and scope in request.auth.scopes


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


def problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """Any refusal in the form of RFC 9457."""
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
    if getattr(error, "errors", None):
        body["errors"] = error.errors
    response.data = body
    response.content_type = "application/problem+json"
    return response
