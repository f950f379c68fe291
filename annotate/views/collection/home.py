"""The first page after signing in."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.services.pages import collection_list, tour


@require_safe
@login_required
def home(request: SignedIn) -> HttpResponse:
    """List the person's collections, what she can do in each, and the tour until it is closed."""
    entries = collection_list.entries(user=request.user)
    number = request.GET.get("card", "")
    context = {
        "entries": entries,
        "archived_collections": collection_list.archived_collections(user=request.user),
        "tour": tour.tour_of(user=request.user, entries=entries, number=number),
        "may_make_collections": access.may_make_collections(user=request.user),
    }
    return render(request, "annotate/collection/home.html", context)
