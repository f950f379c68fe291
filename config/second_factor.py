"""Where the setting LEADS_NEED_MFA asks for it: a lead without a second factor sets one up before any lead's page.

Programs show no second factor: a lead's token counts if it was made after she had set one up.
"""

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotate.models import ApiToken, Membership, Role, User

# What she may open all the same: signing in and out, her own account, joining, and judging as an annotator.
OPEN = (
    "account_", "mfa_", "healthz", "readyz", "annotate:home", "annotate:account", "annotate:own-data",
    "annotate:invitation", "annotate:judge", "annotate:part-media",
    "api:",  # sessions count for nothing there; TokenNeedsSecondFactor asks instead
)  # fmt: skip
JUDGING = {
    "annotate:training", "annotate:training-quiz", "annotate:training-begin", "annotate:training-screen",
    "annotate:training-next", "annotate:training-answer", "annotate:training-report",
}  # fmt: skip


class SecondFactorMiddleware:
    """Sends leads who have no authenticator to the page where they set one up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> HttpResponse | None:
        """Nothing, or the way to the second factor."""
        if not settings.LEADS_NEED_MFA or not request.user.is_authenticated or request.resolver_match is None:
            return None
        name = request.resolver_match.view_name
        revokes = name == "annotate:invitation-revoke"  # begins like the page of a link, and is a lead's all the same
        if (name.startswith(OPEN) and not revokes) or name in JUDGING:
            return None
        if not _leads(request.user, kwargs.get("slug")) or _authenticators(request.user).exists():
            return None
        messages.warning(request, "Leads need a second factor here: set up an authenticator app, then go on.")
        return redirect("mfa_activate_totp")


class TokenNeedsSecondFactor(BasePermission):
    """Refuses a lead's token that was made before she had the second factor that leads need here."""

    message = (
        "Leads need a second factor here, and this token was made without one: set up an authenticator app on your "
        "account page, then make a new token."
    )

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the token may be used for what belongs to this collection."""
        if not settings.LEADS_NEED_MFA or not _leads(request.user, view.kwargs.get("slug")):
            return True
        if not isinstance(request.auth, ApiToken):
            return False
        return _authenticators(request.user).filter(created_at__lte=request.auth.created_at).exists()


def _leads(user: User | AnonymousUser, slug: str | None) -> bool:
    """Whether the page belongs to something this person leads; without a collection, whether she leads any."""
    if user.is_superuser:
        return True
    led = Membership.objects.filter(user=user, role=Role.LEAD)
    return (led.filter(collection__slug=slug) if slug else led).exists()


def _authenticators(user: User | AnonymousUser) -> QuerySet[Authenticator]:
    return Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP)
