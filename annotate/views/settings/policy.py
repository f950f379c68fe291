"""Change of a collection's policy by its leads, who first see a preview of its effect."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access
from annotate.core.presets.policies import POLICIES, PolicyPreset, policy_preset
from annotate.forms.settings import PolicyForm, PolicyUndoForm
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.background import progress
from annotate.services.collection import collections
from annotate.services.policy import policies, policy_draft
from annotate.views import undoing
from annotate.views.next_step import after_step


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def policy(request: SignedIn, slug: str) -> HttpResponse:
    """Show the policy, perhaps with a preset's figures; sent, store them as a new version.

    Where rounds follow it, they are stored once the preview of the change was shown.
    """
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    if request.method != "POST":
        preset = policy_preset(request.GET.get("policy", ""))
        form = PolicyForm.of(collection.policies.latest("version"), preset)
        return _page(request, collection, form, preset=preset)
    undo_form = PolicyUndoForm(request.POST)
    if undo_form.is_valid():
        return _take_back(request, collection, undo_form)
    form = PolicyForm(request.POST, instance=collection.policies.latest("version"))
    return _save(request, collection, form) if form.is_valid() else _page(request, collection, form)


def _save(request: SignedIn, collection: Collection, form: PolicyForm) -> HttpResponse:
    """Store the figures, or render the page with what speaks against it."""
    earlier, with_closed = collection.policies.latest("version"), form.cleaned_data["with_closed"]
    try:
        new_policy = policies.save_previewed_policy(
            collection=collection,
            by=request.user,
            changes=form.changes(),
            with_closed=with_closed,
            preview_key=request.POST.get("seen", ""),
        )
    except policies.PreviewUnseen as error:
        return _page(request, collection, form, policy_change=error.preview())
    except collections.BadPolicy as error:
        form.add_error(form.field_of(error.figure), str(error))
        return _page(request, collection, form)
    text = f"Saved: pools opened from now on follow version {new_policy.version}."
    version = policies.undo_version(earlier=earlier, policy=new_policy, with_closed=with_closed)
    undo_fields = {"version": f"{new_policy.version}", "back_to": f"{version}"} if version else {}
    undo_url = reverse("annotate:policy", args=[collection.slug])
    undoing.notify(request, text, undo_url=undo_url, **undo_fields)
    return after_step(collection, "annotate:policy", collection.slug)


def _take_back(request: SignedIn, collection: Collection, form: PolicyUndoForm) -> HttpResponse:
    """Go back to the figures of the version before, unless the policy was changed since."""
    back_to = form.cleaned_data["back_to"]
    try:
        policy = policies.take_back(collection=collection, by=request.user, **form.cleaned_data)
    except policies.PolicyChanged as error:
        messages.error(request, str(error))
    else:
        text = f"Taken back: version {policy.version} has the figures of version {back_to}."
        messages.success(request, text)
    return redirect("annotate:policy", collection.slug)


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
    return render(request, "annotate/settings/_policy_draft.html", context)


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
    return render(request, "annotate/settings/_policy_change.html", context)


def _page(
    request: SignedIn,
    collection: Collection,
    form: PolicyForm,
    *,
    preset: PolicyPreset | None = None,
    policy_change: policies.PolicyPreview | None = None,
) -> HttpResponse:
    """Render the policy in words beside its form, filled by a preset or as it was refused."""
    newest = collection.policies.latest("version")
    context = {
        "collection": collection,
        "policy": newest,
        "policy_form": form,
        "policy_change": policy_change,
        "policy_draft": policy_draft.in_words(newest),
        "presets": POLICIES,
        "chosen_preset": preset,
        "n_behind": policies.n_behind(collection=collection),
    }
    status = 422 if form.errors else 200
    return render(request, "annotate/settings/policy.html", context, status=status)
