"""The researcher's leaderboard."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from metrics.services import leaderboard as room


@require_safe
@login_required
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Runs by measures in both directions, with people's labels and with the reference alone."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    shown = room.leaderboard_of(
        collection=collection, reference=request.GET.get("reference"), query_set=request.GET.get("queries")
    )
    return render(request, "metrics/leaderboard.html", {"collection": collection, "shown": shown})
