"""Change of a collection's policy by its leads, who first see a preview of its effect."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.forms.settings import PolicyForm
from annotate.http import SignedIn
from annotate.models import Role
from annotate.services.background import progress
from annotate.services.collection import collections
from annotate.services.policy import policies, policy_draft
from annotate.views.collection.settings import settings_page


@require_POST
@login_required
def change_policy(request: SignedIn, slug: str) -> HttpResponse:
    """Store the figures as a new version; where rounds follow it, once its preview was shown."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = PolicyForm(request.POST, instance=collection.policies.latest("version"))
    if not form.is_valid():
        return settings_page(request, collection, policy_form=form, status=422)
    try:
        policy = policies.save_previewed_policy(
            collection=collection,
            by=request.user,
            changes=form.changes(),
            with_closed=form.cleaned_data["with_closed"],
            preview_key=request.POST.get("seen", ""),
        )
    except policies.PreviewUnseen as error:
        return settings_page(request, collection, policy_form=form, policy_change=error.preview())
    except collections.BadPolicy as error:
        form.add_error(form.field_of(error.figure), str(error))
        return settings_page(request, collection, policy_form=form, status=422)
    text = f"Saved: pools opened from now on follow version {policy.version}."
    messages.success(request, text)
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def draft_policy(request: SignedIn, slug: str) -> HttpResponse:
    """Say what the figures mean as they are typed; nothing is stored."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = PolicyForm(request.POST, instance=collection.policies.latest("version"))
    draft = None
    if form.is_valid():
        try:
            draft = policy_draft.draft(
                collection=collection,
                by=request.user,
                changes=form.changes(),
                with_closed=form.cleaned_data["with_closed"],
            )
        except collections.BadPolicy as error:
            form.add_error(form.field_of(error.figure), str(error))
    context = {"policy_form": form, "policy_draft": draft, "is_typed": True}
    return render(request, "annotate/collection/_policy_draft.html", context)


@require_safe
@never_cache
@login_required
def policy_preview(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """Answer the page's request every 2 seconds while the preview of a policy is being computed."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    preview = policies.find_preview(collection=collection, key=key)
    context = {
        "policy_change": preview,
        "collection": collection,
        "job_status": progress.job_status(job=policies.job_of(collection=collection, key=key)),
    }
    return render(request, "annotate/collection/_policy_change.html", context)
