"""The way on from the page of a step of a set-up.

Golds, questions and pairs of the training, and invitations are saved one after another: their pages
stay, for a redirect would throw people off after the first. What was saved is said with a button
that goes on (templates/shell/_go_on.html).
"""

from django.http import HttpResponse
from django.shortcuts import redirect

from annotate.models import Collection


def after_step(collection: Collection, page: str, *arguments: object) -> HttpResponse:
    """Redirect to the next step while the collection is set up; after that to a page."""
    if collection.is_being_set_up:
        return redirect("metrics:setup-next", collection.slug)
    return redirect(page, *arguments)
