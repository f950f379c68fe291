"""The page that explains a label: origin, judgments, grade and history of one pair."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import ItemContent, SignedIn, item_content
from annotate.models import ReferenceLabel, Role
from annotate.services.review.pair_history import history_of
from pooling.sentences import reference_grades
from pooling.services.pages.provenance import origin


@require_safe
@never_cache
@login_required
def pair(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """The origin, judgments and grade of a pair; names and comments are for leads."""
    pair = access.get_pair(user=request.user, slug=slug, pk=pk)
    is_lead = Role.LEAD in access.roles_in(user=request.user, collection=pair.collection)
    labels = ReferenceLabel.objects.filter(query=pair.query_id, document=pair.document_id)
    context = {
        "collection": pair.collection,
        "pair": pair,
        "history": history_of(pair=pair, for_lead=is_lead),
        "origin": origin(pair=pair, viewer=request.user),
        "references": reference_grades(
            labels.select_related("reference_set").order_by("reference_set__name")
        ),
        "sides": [
            (item.get_side_display(), ItemContent(item, item_content(item, slug)))
            for item in (pair.query, pair.document)
        ],
        "is_lead": is_lead,
        "shows_names": is_lead and "names" in request.GET,
    }
    return render(request, "pooling/pools/pair.html", context)
