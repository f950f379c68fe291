"""Guidelines and the wording of the levels, for the leads of a collection."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.core.levels.scheme_rules import BadScheme
from annotate.forms.settings import GuidelinesForm
from annotate.http import SignedIn
from annotate.markdown import to_html
from annotate.models import Collection, Role
from annotate.services.collection import collections
from annotate.services.collection.collections import Wording
from annotate.services.collection.guidelines_shown import NewerVersion, require_newest
from annotate.views.next_step import after_step


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def guidelines(request: SignedIn, slug: str) -> HttpResponse:
    """Show text and wording as they are; sent, store them as a new version."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    newest = collection.guidelines.latest("version")
    form = GuidelinesForm(
        request.POST if request.method == "POST" else None,
        initial={"markdown": newest.markdown, "version": newest.version},
        levels=list(collection.levels.all()),
    )
    answer = _save(request, collection, form) if form.is_valid() else None
    if answer is not None:
        return answer
    context = {
        "collection": collection,
        "guidelines": newest,
        "guidelines_html": to_html(newest.markdown),
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "annotate/settings/guidelines.html", context, status=status)


def _save(request: SignedIn, collection: Collection, form: GuidelinesForm) -> HttpResponse | None:
    """Store a valid form as a new version; None where it is refused, for reasons on the form."""
    try:
        with transaction.atomic():
            require_newest(collection=collection, version=form.cleaned_data["version"])
            version = collections.change_guidelines(
                collection=collection,
                markdown=form.cleaned_data["markdown"],
                wording=[Wording(**wording) for wording in form.wordings()],
                by=request.user,
            )
    except NewerVersion as error:
        form.refuse_older(str(error), newest=error.newest)
        return None
    except BadScheme as error:  # the levels were replaced meanwhile
        form.add_error(None, str(error))
        return None
    messages.success(request, f"Saved: annotators now read version {version.version}.")
    return after_step(collection, "annotate:guidelines", collection.slug)


@require_POST
@login_required
def preview_guidelines(request: SignedIn, slug: str) -> HttpResponse:
    """Show the text as annotators would see it; nothing is stored."""
    access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    html = to_html(request.POST.get("markdown", "")[:100_000])
    return render(request, "annotate/settings/_guidelines_preview.html", {"guidelines_html": html})
