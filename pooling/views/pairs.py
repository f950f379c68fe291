"""A label explained: all there is to know of one pair, on one page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import Shown, as_shown
from annotate.models import ReferenceLabel, Role
from annotate.services.pair_history import history_of
from pooling.services.provenance import origin


@require_safe
@never_cache
@login_required
def pair(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Where a pair comes from, what was said of it, how its grade came about; names and comments are for leads."""
    found = access.get_pair(user=request.user, slug=slug, pk=pk)
    is_lead = Role.LEAD in access.roles_in(user=request.user, collection=found.collection)
    labels = ReferenceLabel.objects.filter(query=found.query_id, document=found.document_id)
    context = {
        "collection": found.collection,
        "pair": found,
        "history": history_of(pair=found, for_lead=is_lead),
        "origin": origin(pair=found, viewer=request.user),
        "references": labels.select_related("reference_set").order_by("reference_set__name"),
        "sides": [(item.get_side_display(), Shown(item, as_shown(item, slug)))
                  for item in (found.query, found.document)],
        "is_lead": is_lead,
        "names": is_lead and "names" in request.GET,
    }  # fmt: skip
    return render(request, "pooling/pair.html", context)
