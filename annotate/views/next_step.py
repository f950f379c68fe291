"""The way on from the page of a step of a set-up."""

from django.http import HttpResponse
from django.shortcuts import redirect

from annotate.models import Collection


def after_step(collection: Collection, page: str, *arguments: object) -> HttpResponse:
    """Redirect to the next step while the collection is set up; after that to a page."""
    if collection.is_being_set_up:
        return redirect("metrics:setup-next", collection.slug)
    return redirect(page, *arguments)
