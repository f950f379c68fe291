"""The lead's dashboard: progress, agreement, people; live by a conditional request that costs little."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from metrics.services import dashboard as room


@require_safe
@login_required
def dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole page."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    level = room.known_level(collection=collection, wanted=request.GET.get("level"))
    shown = room.dashboard(collection=collection, level=level)
    return render(request, "metrics/dashboard.html", {"collection": collection, "level": level, "shown": shown})


@require_safe
@login_required
def numbers(request: HttpRequest, slug: str) -> HttpResponse:
    """The part that changes; 304 while it has not."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    level = room.known_level(collection=collection, wanted=request.GET.get("level"))
    etag = quote_etag(room.version(collection=collection, level=level))
    response = get_conditional_response(request, etag=etag)
    if response is None:
        shown = room.dashboard(collection=collection, level=level)
        context = {"collection": collection, "level": level, "shown": shown}
        response = render(request, "metrics/_numbers.html", context)
    response["ETag"] = etag
    return response
