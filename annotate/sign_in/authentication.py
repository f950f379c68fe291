"""Authentication of API calls by tokens, and their scopes.

Loaded by rest_framework's settings: imports none of its views.
"""

from typing import Any

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotate.models import ApiToken, User
from annotate.services.people import tokens


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`; sessions and cookies count for nothing here."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the token's owner and the token; None without the header."""
        kind, _, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if kind.lower() != "bearer":
            return None
        token = tokens.find_token(secret=secret.strip())
        if token is None:
            raise AuthenticationFailed(
                "This token is unknown, was revoked or has run out; make a new one."
            )
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Value of the WWW-Authenticate header of a 401."""
        return 'Bearer realm="assayer"'


class HasScope(BasePermission):
    """The token carries the scope that the endpoint names for the request's method.

    Who may write may read: `runs:write` stands for `runs:read` too.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """True if the token has the endpoint's scope."""
        scope: str = view.scope_of(request.method)
        self.message = f'This token lacks the scope "{scope}"; make one that has it.'
        if not isinstance(request.auth, ApiToken):
            return False
        return not scope or not {scope, writing(scope)}.isdisjoint(request.auth.scopes)


def writing(scope: str) -> str:
    """The scope that includes this one: `runs:write` for `runs:read`."""
    return f"{scope.removesuffix(':read')}:write" if scope.endswith(":read") else scope
