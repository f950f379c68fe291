"""The guards of a collection, with the marks that a lead sets."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.models import Collection, Guard, Role
from metrics.forms.guards import GuardForm
from metrics.services.numbers import guards as service


@require_safe
@never_cache
@login_required
def guards(request: SignedIn, slug: str) -> HttpResponse:
    """The guards and their marks."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    return _page(request, collection)


@require_POST
@login_required
def set_guard(request: SignedIn, slug: str, guard: str) -> HttpResponse:
    """Set the mark of a guard; an empty one switches it off."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    if guard not in Guard.values:
        raise Http404
    form = GuardForm(request.POST, guard=Guard(guard))
    if not form.is_valid():
        return _page(request, collection, form=form)
    mark = form.cleaned_data["mark"]
    service.set_mark(collection=collection, guard=Guard(guard), mark=mark, by=request.user)
    state = "off" if mark is None else "set, for the answers to come"
    messages.success(request, f"The flag “{Guard(guard).label}” is {state}.")
    return redirect("metrics:guards", slug)


def _page(
    request: HttpRequest, collection: Collection, *, form: GuardForm | None = None
) -> HttpResponse:
    """Make the page; `form` is of a mark that was refused."""
    context = {
        "collection": collection,
        "guards": service.guard_rows(collection=collection),
        "form": form,
    }
    return render(request, "metrics/guards/guards.html", context, status=422 if form else 200)
