"""Inbox of a lead, one tab at a time."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.models import Role
from annotate.services.golds import quality as gold_quality
from annotate.services.judging import unplayable_pairs
from annotate.services.pages import stuck_labels
from annotate.services.review import inbox
from annotate.services.review.inbox import Tab
from annotate.services.review.inbox_hints import HINTS


@require_safe
@never_cache
@login_required
def inbox_page(request: SignedIn, slug: str) -> HttpResponse:
    """Show one tab; the first that is not empty if the address names none."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    counts = inbox.count(collection=collection)
    tab = requested_tab(request) or next(
        (Tab(name) for name, n in counts._asdict().items() if n), Tab.BATCHES
    )
    context = {"collection": collection, "tab": tab, "shows_names": "names" in request.GET}
    context["tabs"] = [(tab_, getattr(counts, tab_.value, None)) for tab_ in Tab]
    context["hint"] = HINTS[tab]
    if tab in inbox.OF_PAIRS:
        page, rows = inbox.pair_page(collection=collection, tab=tab, number=request.GET.get("page"))
        context |= {"page": page, "rows": rows}
    elif tab == Tab.GOLDS:
        context["doubtful"] = gold_quality.doubtful(collection=collection)
    else:
        context |= inbox.work_page(collection=collection, tab=tab, number=request.GET.get("page"))
    context["unplayable_pairs"] = unplayable_pairs.unplayable_pairs(collection=collection)
    if context["unplayable_pairs"]:
        labels = stuck_labels.stuck_labels(collection=collection)
        context["stuck"] = stuck_labels.total_stuck(labels)
    return render(request, "annotate/review/inbox.html", context)


def requested_tab(request: HttpRequest) -> Tab | None:
    """Return the tab that the address names, if any."""
    name = request.GET.get("tab")
    return Tab(name) if name in Tab.values else None
