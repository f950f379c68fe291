"""The first page after signing in."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.services.pages import collection_list


@require_safe
@login_required
def home(request: SignedIn) -> HttpResponse:
    """List the person's collections and what she can do in each."""
    entries = collection_list.entries(user=request.user)
    context = {
        "entries": entries,
        "may_make_collections": access.may_make_collections(user=request.user),
    }
    return render(request, "annotate/collection/home.html", context)
