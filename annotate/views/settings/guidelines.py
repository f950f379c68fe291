"""Guidelines and the wording of the levels, for the leads of a collection."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.forms.settings import GuidelinesForm
from annotate.http import SignedIn
from annotate.markdown import to_html
from annotate.models import Collection, Role
from annotate.services.collection import collections
from annotate.services.collection.collections import Wording
from annotate.views.next_step import after_step


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def guidelines(request: SignedIn, slug: str) -> HttpResponse:
    """Show text and wording as they are; sent, store them as a new version."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    newest = collection.guidelines.latest("version")
    form = GuidelinesForm(
        request.POST if request.method == "POST" else None,
        initial={"markdown": newest.markdown},
        levels=list(collection.levels.all()),
    )
    if form.is_valid():
        try:
            return _save(request, collection, form)
        except collections.BadScheme as error:  # the levels were replaced meanwhile
            form.add_error(None, str(error))
    context = {
        "collection": collection,
        "guidelines": newest,
        "guidelines_html": to_html(newest.markdown),
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "annotate/settings/guidelines.html", context, status=status)


def _save(request: SignedIn, collection: Collection, form: GuidelinesForm) -> HttpResponse:
    """Store a valid form as a new version. Raises BadScheme."""
    version = collections.change_guidelines(
        collection=collection,
        markdown=form.cleaned_data["markdown"],
        wording=[Wording(**wording) for wording in form.wordings()],
        by=request.user,
    )
    messages.success(request, f"Saved: annotators now read version {version.version}.")
    return after_step(collection, "annotate:guidelines", collection.slug)


@require_POST
@login_required
def preview_guidelines(request: SignedIn, slug: str) -> HttpResponse:
    """Show the text as annotators would see it; nothing is stored."""
    access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    html = to_html(request.POST.get("markdown", "")[:100_000])
    return render(request, "annotate/settings/_guidelines_preview.html", {"guidelines_html": html})
