"""A person's own API tokens."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.forms.people import TokenForm
from annotate.http import SignedIn
from annotate.services.people import tokens
from annotate.views.new_secrets import NewSecret

NEW_TOKEN = NewSecret("new-token")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def own_tokens(request: SignedIn) -> HttpResponse:
    """Show the tokens, the form for a new one, and the secret of the one just made, for a while."""
    collections = access.collections_of(user=request.user, roles=access.LEADERS)
    form = TokenForm(request.POST if request.method == "POST" else None, collections=collections)
    if form.is_valid():
        new_token = tokens.create_token(user=request.user, **form.cleaned_data)
        return NEW_TOKEN.leading_to(request, new_token.secret, "annotate:tokens")
    secret = NEW_TOKEN.of(request)
    own = request.user.api_tokens.select_related("collection").order_by("revoked_at", "-created_at")
    context = {
        "tokens": [(token, tokens.revocation_consequences(token=token)) for token in own],
        "form": form,
        "secret": secret,
        "new_token": tokens.valid_token(secret=secret),
    }
    return render(
        request, "annotate/people/tokens.html", context, status=422 if form.errors else 200
    )


@require_POST
@login_required
def revoke(request: SignedIn, pk: int) -> HttpResponse:
    """Revoke a token."""
    token = access.get_token(user=request.user, pk=pk)
    tokens.revoke_token(token=token)
    messages.success(request, f"The token {token} no longer works.")
    return redirect("annotate:tokens")
