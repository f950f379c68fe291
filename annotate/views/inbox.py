"""What waits for a lead, a tab at a time."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.models import Role
from annotate.services import gold_standings, inbox, passed_on, stuck_labels
from annotate.services.inbox import Tab


@require_safe
@never_cache
@login_required
def inbox_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One tab of what waits; the first that is not empty if none is asked for."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    waiting = inbox.count(collection=collection)
    tab = asked_tab(request) or next((Tab(name) for name, n in waiting._asdict().items() if n), Tab.BATCHES)
    context = {"collection": collection, "tab": tab, "names": "names" in request.GET}
    context["tabs"] = [(each, getattr(waiting, each.value, None)) for each in Tab]
    number = request.GET.get("page")
    if tab in inbox.OF_PAIRS:
        context["page"], context["rows"] = inbox.pair_page(collection=collection, tab=tab, number=number)
    elif tab == Tab.BATCHES:
        context["page"] = inbox.batch_page(collection=collection, number=number)
    else:
        context["doubtful"] = gold_standings.doubtful(collection=collection)
    context["passed_on"] = passed_on.passed_on(collection=collection)
    if context["passed_on"]:
        context["stuck"] = stuck_labels.together(stuck_labels.stuck_labels(collection=collection))
    return render(request, "annotate/inbox.html", context)


def asked_tab(request: HttpRequest) -> Tab | None:
    """The tab that an address names."""
    name = request.GET.get("tab")
    return Tab(name) if name in Tab.values else None
