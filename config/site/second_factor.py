"""The rule of the setting LEADS_NEED_MFA: a lead's session must have passed a second factor.

To have a second factor is not enough: a session from before she set it up, or one begun in another
way, proves nothing but a password. Programs show no second factor: a lead's token counts if it was
made after she had set one up.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotate.models import ApiToken, Membership, Role, User

# Views that a lead's session opens before it has passed: those on the way to it, and signing out.
EXEMPT_VIEWS = {
    "account_login",
    "account_logout",
    "account_reauthenticate",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "mfa_authenticate",
    "mfa_reauthenticate",
    "mfa_activate_totp",
    "healthz",
    "readyz",
}
API = "api:"  # the API accepts no sessions; TokenNeedsSecondFactor checks its tokens


class SecondFactorMiddleware:
    """Redirects leads without a passed second factor to the page that asks for it or sets it up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Return None, or the redirect to the second factor."""
        if getattr(view, "is_public", False):  # it asks for no user
            return None
        user = request.user
        if (
            not settings.LEADS_NEED_MFA
            or not user.is_authenticated
            or request.resolver_match is None
        ):
            return None
        name = request.resolver_match.view_name
        if name in EXEMPT_VIEWS or name.startswith(API):
            return None
        records = get_authentication_records(request, user)
        if any(record["method"] == "mfa" for record in records) or not _leads(user):
            return None
        if getattr(view, "answers_scripts", False):
            page = urlsplit(request.headers.get("Referer", "")).path or "/"
            sign_in = _second_factor_url(request, user, page)
            return JsonResponse({"error": "signed_out", "sign_in": sign_in}, status=401)
        return redirect(_second_factor_url(request, user, request.get_full_path()))


class TokenNeedsSecondFactor(BasePermission):
    """Refuses a lead's token made before she had the second factor that leads need."""

    message = (
        "Leads need a second factor here, and this token was made without one: set up an "
        "authenticator app on your account page, then make a new token."
    )

    def has_permission(self, request: Request, view: Any) -> bool:
        """True if the token may be used for this collection."""
        user = request.user
        assert user.is_authenticated  # noqa: S101 - IsAuthenticated is asked before
        if not settings.LEADS_NEED_MFA or not _leads(user, view.kwargs.get("slug")):
            return True
        if not isinstance(request.auth, ApiToken):
            return False
        return _authenticators(user).filter(created_at__lte=request.auth.created_at).exists()


def connect_signals() -> None:
    """Count a session that sets up a second factor as one that passed it: it showed the code."""
    authenticator_added.connect(_note_code, dispatch_uid="config_second_factor")


def _note_code(
    *, request: HttpRequest, user: User, authenticator: Authenticator, **_: object
) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)


def _second_factor_url(request: HttpRequest, user: User, page: str) -> str:
    """URL where this session passes a second factor, and then goes on to the page."""
    if _authenticators(user).exists():
        return f"{reverse('mfa_reauthenticate')}?{urlencode({REDIRECT_FIELD_NAME: page})}"
    messages.warning(
        request, "Leads need a second factor here: set up an authenticator app, then go on."
    )
    return reverse("mfa_activate_totp")


def _leads(user: User, slug: str | None = None) -> bool:
    """True if the user leads the collection, or without a slug, any one; a superuser leads all."""
    if user.is_superuser:
        return True
    led = Membership.objects.filter(user=user, role=Role.LEAD)
    return (led.filter(collection__slug=slug) if slug else led).exists()


def _authenticators(user: User) -> QuerySet[Authenticator]:
    return Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP)
