"""Inbox of a lead, one tab at a time."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.models import Role
from annotate.services import gold_quality, inbox, stuck_labels, unplayable_pairs
from annotate.services.inbox import Tab


@require_safe
@never_cache
@login_required
def inbox_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one tab; the first that is not empty if the address names none."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    counts = inbox.count(collection=collection)
    tab = requested_tab(request) or next((Tab(name) for name, n in counts._asdict().items() if n), Tab.BATCHES)
    context = {"collection": collection, "tab": tab, "names": "names" in request.GET}
    context["tabs"] = [(tab_, getattr(counts, tab_.value, None)) for tab_ in Tab]
    number = request.GET.get("page")
    if tab in inbox.OF_PAIRS:
        context["page"], context["rows"] = inbox.pair_page(collection=collection, tab=tab, number=number)
    elif tab == Tab.BATCHES:
        context["page"] = inbox.batch_page(collection=collection, number=number)
    else:
        context["doubtful"] = gold_quality.doubtful(collection=collection)
    context["unplayable_pairs"] = unplayable_pairs.unplayable_pairs(collection=collection)
    if context["unplayable_pairs"]:
        context["stuck"] = stuck_labels.total_stuck(stuck_labels.stuck_labels(collection=collection))
    return render(request, "annotate/inbox.html", context)


def requested_tab(request: HttpRequest) -> Tab | None:
    """Return the tab that the address names, if any."""
    name = request.GET.get("tab")
    return Tab(name) if name in Tab.values else None
