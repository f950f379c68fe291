"""The page behind an invitation's link: the only way to an account."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotate.forms.people import SignUpForm
from annotate.models import Invitation, User
from annotate.services.people import accounts
from annotate.sign_in import known_browsers


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password")
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join when signed in; else sign in, or make an account right here."""
    try:
        if request.method != "POST":
            return _page(request, accounts.open_invitation(token=token), SignUpForm())
        if request.user.is_authenticated:
            joined_invitation = accounts.accept_invitation(token=token, user=request.user)
            return redirect("metrics:collection", joined_invitation.collection.slug)
        return _sign_up(request, token)
    except accounts.InvitationUnusable as error:
        return render(
            request, "annotate/people/invitation_unusable.html", {"error": error}, status=404
        )


def _sign_up(request: HttpRequest, token: str) -> HttpResponse:
    """Make the account; the second of two clicks is redirected as the first one was."""
    form = SignUpForm(request.POST)
    try:
        invitation = accounts.open_invitation(token=token)
        if not form.is_valid():
            return _second_click(request, token) or _page(request, invitation, form, status=422)
        user = accounts.sign_up(token=token, **form.cleaned_data)
    except accounts.NameTaken as error:
        form.add_error("username", str(error))
        return _page(request, invitation, form, status=422)
    except accounts.InvitationUnusable:
        response = _second_click(request, token)
        if response is None:
            raise
        return response
    return _welcome(request, invitation, user)


def _second_click(request: HttpRequest, token: str) -> HttpResponse | None:
    """Redirect a person who just signed up by this link with the same credentials; else None."""
    credentials = {name: request.POST.get(name, "") for name in ("username", "password")}
    sign_up = accounts.recent_sign_up(token=token, **credentials)
    return _welcome(request, *sign_up) if sign_up else None


def _welcome(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    login(request, user)
    response = redirect("metrics:collection", invitation.collection.slug)
    known_browsers.remember(request, response, user)
    return response


def _page(
    request: HttpRequest, invitation: Invitation, form: SignUpForm, *, status: int = 200
) -> HttpResponse:
    context = {"invitation": invitation, "form": form}
    return render(request, "annotate/people/invitation.html", context, status=status)
