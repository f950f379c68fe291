"""The way on from the page of a step of a set-up.

Golds, questions and pairs of the training, and invitations are saved one after another: their pages
stay, for a redirect would throw people off after the first. What was saved is said with a button
that goes on (templates/shell/_go_on.html).
"""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotate.models import Collection


def after_step(collection: Collection, page: str, *arguments: object) -> HttpResponse:
    """Redirect to the step after that of a page while the collection is set up, else to the page.

    page : the name of its address
    """
    if collection.is_being_set_up:
        next_step = reverse("metrics:setup-next", args=[collection.slug], query={"after": page})
        return redirect(next_step)
    return redirect(page, *arguments)
