"""The page behind an invitation's link: the only way to an account."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotate import known_browsers
from annotate.models import Invitation
from annotate.people_forms import SignUpForm
from annotate.services import accounts


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password")
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join when signed in; else sign in, or make an account right here."""
    try:
        invited = accounts.open_invitation(token=token)
        if request.method != "POST":
            return _page(request, invited, SignUpForm())
        if request.user.is_authenticated:
            accounts.accept_invitation(token=token, user=request.user)
            return redirect("annotate:collection", invited.collection.slug)
        return _sign_up(request, invited, token)
    except accounts.InvitationUnusable as error:
        return render(request, "annotate/invitation_unusable.html", {"error": error}, status=404)


def _sign_up(request: HttpRequest, invited: Invitation, token: str) -> HttpResponse:
    form = SignUpForm(request.POST)
    if not form.is_valid():
        return _page(request, invited, form, status=422)
    user = accounts.sign_up(token=token, **form.cleaned_data)
    login(request, user)
    response = redirect("annotate:collection", invited.collection.slug)
    known_browsers.remember(request, response, user)
    return response


def _page(request: HttpRequest, invited: Invitation, form: SignUpForm, *, status: int = 200) -> HttpResponse:
    context = {"invitation": invited, "form": form}
    return render(request, "annotate/invitation.html", context, status=status)
