"""Guidelines, wording and policy of a collection, for its leads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.markdown import to_html
from annotate.models import Collection, Role
from annotate.people_forms import GuidelinesForm, PolicyForm
from annotate.services import collections
from annotate.services.collections import Wording


@require_safe
@login_required
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """What annotators read, and how pairs are assigned and resolved."""
    return _page(request, access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,)))


@require_POST
@login_required
def change_guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the text and the wording as a new version."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = GuidelinesForm(request.POST, levels=list(collection.levels.all()))
    if not form.is_valid():
        return _page(request, collection, guidelines_form=form, status=422)
    given = form.cleaned_data
    words = [Wording(level.grade, given[f"name-{level.grade}"], given[f"sentence-{level.grade}"])
             for level in form.levels]
    version = collections.change_guidelines(
        collection=collection, markdown=given["markdown"], wording=words, by=request.user
    )
    messages.success(request, f"Saved: annotators now read version {version.version}.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def preview_guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """The text as annotators would see it; nothing is stored."""
    access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    html = to_html(request.POST.get("markdown", "")[:100_000])
    return render(request, "annotate/_guidelines_preview.html", {"guidelines_html": html})


@require_POST
@login_required
def change_policy(request: HttpRequest, slug: str) -> HttpResponse:
    """Store the figures as a new version; open pools keep theirs."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = PolicyForm(request.POST, instance=collection.policies.latest("version"))
    if form.is_valid():
        try:
            policy = collections.change_policy(collection=collection, by=request.user, **form.changes())
        except collections.BadPolicy as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Saved: pools opened from now on follow version {policy.version}.")
            return redirect("annotate:settings", slug)
    return _page(request, collection, policy_form=form, status=422)


def _page(
    request: HttpRequest,
    collection: Collection,
    *,
    guidelines_form: GuidelinesForm | None = None,
    policy_form: PolicyForm | None = None,
    status: int = 200,
) -> HttpResponse:
    guidelines, policy = collection.guidelines.latest("version"), collection.policies.latest("version")
    levels = list(collection.levels.all())
    context = {
        "collection": collection,
        "guidelines": guidelines,
        "policy": policy,
        "guidelines_html": to_html(guidelines.markdown),
        "guidelines_form": guidelines_form
        or GuidelinesForm(initial={"markdown": guidelines.markdown}, levels=levels),
        "policy_form": policy_form or PolicyForm(instance=policy),
    }
    return render(request, "annotate/settings.html", context, status=status)
