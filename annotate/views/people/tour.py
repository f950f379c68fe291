"""The tour of a person's first page, closed and shown again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotate.http import SignedIn
from annotate.services.pages import tour


@require_POST
@login_required
def tour_close(request: SignedIn) -> HttpResponse:
    """Close the tour for good."""
    tour.close(user=request.user)
    messages.success(request, "The tour is closed. Your account page shows it again.")
    return redirect("annotate:home")


@require_POST
@login_required
def tour_open(request: SignedIn) -> HttpResponse:
    """Show the tour again, on the first page."""
    tour.open_again(user=request.user)
    return redirect("annotate:home")
