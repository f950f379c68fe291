"""A person's own account: its page, download of her data, change of address, erasure."""

from allauth.decorators import rate_limit
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access
from annotate.forms.people import EmailForm, EraseForm
from annotate.http import SignedIn
from annotate.models import Annotator
from annotate.services.people import accounts, email_change
from annotate.services.people import own_data as service


@require_safe
@never_cache
@login_required
def account(request: SignedIn) -> HttpResponse:
    """Password, second factor, keys, data, erasure."""
    return _page(request, EraseForm(user=request.user))


@require_safe
@never_cache
@login_required
def own_data(request: SignedIn) -> StreamingHttpResponse:
    """Download her data, of all collections or of one: ?collection=its-short-name."""
    annotators = access.own_annotators(user=request.user, slug=request.GET.get("collection", ""))
    content = service.write(user=request.user, annotators=annotators)
    answer = StreamingHttpResponse(content, content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="my-data-{timezone.now():%Y-%m-%d}.json"'
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password")
@login_required
@rate_limit(action="manage_email")
def email(request: SignedIn) -> HttpResponse:
    """Send a link to another address; the answer is the same whoever has it."""
    form = EmailForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_bound and not settings.SENDS_MAIL:
        form.add_error(None, "This site sends no mail: its admin changes addresses.")
    if form.is_valid():
        try:
            email_change.send_confirmation_link(user=request.user, email=form.cleaned_data["email"])
        except email_change.MailNotSent as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request,
                f"A link is on its way to {form.cleaned_data['email']}; open it within a day.",
            )
            return redirect("annotate:account")
    return render(
        request,
        "annotate/people/account_email.html",
        {"form": form},
        status=422 if form.errors else 200,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def email_confirm(request: SignedIn, token: str) -> HttpResponse:
    """Confirm a new address by its link, for the person it was sent to."""
    try:
        if request.method != "POST":
            address = email_change.address_in_link(user=request.user, token=token)
            return render(request, "annotate/people/account_email.html", {"email": address})
        messages.success(
            request,
            f"Your address is {email_change.confirm_address(user=request.user, token=token)} now.",
        )
    except email_change.LinkUnusable:
        return render(
            request, "annotate/people/account_email.html", {"is_unusable": True}, status=404
        )
    return redirect("annotate:account")


@require_POST
@sensitive_post_parameters("password")
@login_required
def erase(request: SignedIn) -> HttpResponse:
    """Forget her; the judgments stay, under a pseudonym that leads to nobody."""
    form = EraseForm(request.POST, user=request.user)
    if form.is_valid():
        try:
            accounts.erase_oneself(user=request.user)
        except accounts.LastLead as error:
            form.add_error(None, str(error))
        else:
            logout(request)
            messages.success(
                request,
                "Your account is erased. What you judged stays, under a name that leads to nobody.",
            )
            return redirect(settings.LOGIN_URL)
    return _page(request, form, status=422)


def _page(request: SignedIn, form: EraseForm, *, status: int = 200) -> HttpResponse:
    annotators = (
        Annotator.objects.filter(user=request.user)
        .select_related("collection")
        .order_by("collection__name", "pk")
    )
    factors = Authenticator.objects.filter(user=request.user, type=Authenticator.Type.TOTP)
    context = {
        "form": form,
        "annotators": annotators,
        "has_second_factor": factors.exists(),
        "leads_need_mfa": settings.LEADS_NEED_MFA,
    }
    return render(request, "annotate/people/account.html", context, status=status)
