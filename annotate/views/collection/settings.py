"""Guidelines, wording, policy and publication of a collection, for its leads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.core.presets.policies import POLICIES, policy_preset
from annotate.forms.publication import PublicationForm
from annotate.forms.settings import DeleteForm, GuidelinesForm, PayForm, PolicyForm, QueryGroupsForm
from annotate.http import SignedIn
from annotate.markdown import to_html
from annotate.models import Collection, Guidelines, Role
from annotate.services.collection import collections, item_groups, publication, purging
from annotate.services.collection.collections import Wording
from annotate.services.policy import policies, policy_draft
from annotate.services.storage.collection_rows import NotOwner, is_owner
from annotate.services.webhooks import hook_page


@require_safe
@login_required
def settings(request: SignedIn, slug: str) -> HttpResponse:
    """Show guidelines, policy and the other settings."""
    return settings_page(
        request, access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    )


@require_POST
@login_required
def change_guidelines(request: SignedIn, slug: str) -> HttpResponse:
    """Store the text and the wording as a new version."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = GuidelinesForm(request.POST, levels=list(collection.levels.all()))
    if not form.is_valid():
        return settings_page(request, collection, guidelines_form=form, status=422)
    version = collections.change_guidelines(
        collection=collection,
        markdown=form.cleaned_data["markdown"],
        wording=[Wording(**wording) for wording in form.wordings()],
        by=request.user,
    )
    messages.success(request, f"Saved: annotators now read version {version.version}.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def preview_guidelines(request: SignedIn, slug: str) -> HttpResponse:
    """Show the text as annotators would see it; nothing is stored."""
    access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    html = to_html(request.POST.get("markdown", "")[:100_000])
    return render(
        request, "annotate/collection/_guidelines_preview.html", {"guidelines_html": html}
    )


@require_POST
@login_required
def change_pay(request: SignedIn, slug: str) -> HttpResponse:
    """Set the pay of an hour of judging; only prices shown from now on follow."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = PayForm(request.POST, instance=collection)
    if not form.is_valid():
        return settings_page(
            request, access.get_collection(user=request.user, slug=slug), pay_form=form, status=422
        )
    collections.change_pay(collection=collection, **form.cleaned_data)
    messages.success(request, "Saved: the dashboard shows prices at this pay.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def change_query_groups(request: SignedIn, slug: str) -> HttpResponse:
    """Set the grouping of queries in intervals and tests."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = QueryGroupsForm(request.POST, instance=collection)
    if not form.is_valid():
        return settings_page(request, collection, groups_form=form, status=422)
    if collections.change_query_groups(collection=collection, **form.cleaned_data):
        messages.success(request, "Saved: the numbers are being computed anew.")
    else:
        messages.info(request, "Nothing changed.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def change_publication(request: SignedIn, slug: str) -> HttpResponse:
    """Set words and contents of releases from now on."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = PublicationForm(request.POST, collection=collection)
    if not form.is_valid():
        return settings_page(request, collection, publication_form=form, status=422)
    changed_fields = publication.change_publication(
        collection=collection,
        publication=publication.Publication(**form.fields_to_store()),
        by=request.user,
    )
    if changed_fields:
        messages.success(request, "Saved: it holds for releases from now on.")
    else:
        messages.info(request, "Nothing changed.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def delete_collection(request: SignedIn, slug: str) -> HttpResponse:
    """Queue the deletion of a collection that nobody has judged; its short name confirms it."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = DeleteForm(request.POST, collection=collection)
    if not form.is_valid():
        return settings_page(request, collection, delete_form=form, status=422)
    try:
        purging.request_deletion(collection=collection, by=request.user)
    except (purging.CollectionJudged, NotOwner) as error:
        messages.error(request, str(error))
        return redirect("annotate:settings", slug)
    messages.success(
        request, f"{collection.name} is being deleted; it leaves this page once that is done."
    )
    return redirect("annotate:home")


def settings_page(
    request: HttpRequest,
    collection: Collection,
    *,
    guidelines_form: GuidelinesForm | None = None,
    policy_form: PolicyForm | None = None,
    pay_form: PayForm | None = None,
    groups_form: QueryGroupsForm | None = None,
    publication_form: PublicationForm | None = None,
    delete_form: DeleteForm | None = None,
    policy_change: policies.PolicyPreview | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page with forms as they were filled in, and the preview of a policy."""
    guidelines = collection.guidelines.latest("version")
    context = {
        "collection": collection,
        "guidelines": guidelines,
        "guidelines_html": to_html(guidelines.markdown),
        "guidelines_form": guidelines_form or _guidelines_form(collection, guidelines),
        "policy_change": policy_change,
        "pay_form": pay_form or PayForm(instance=collection),
        "publication_form": publication_form or PublicationForm(collection=collection),
        "hooks_sentence": hook_page.trouble_sentence(collection=collection),
        "delete_form": delete_form or DeleteForm(collection=collection),
        "deletion": purging.DeletionNote(collection, may_delete=is_owner()),
    }
    context |= _group_context(collection, groups_form)
    context |= _policy_context(collection, policy_form, request.GET.get("policy", ""))
    return render(request, "annotate/collection/settings.html", context, status=status)


def _guidelines_form(collection: Collection, guidelines: Guidelines) -> GuidelinesForm:
    """The form of the guidelines with their present text."""
    levels = list(collection.levels.all())
    return GuidelinesForm(initial={"markdown": guidelines.markdown}, levels=levels)


def _policy_context(collection: Collection, form: PolicyForm | None, key: str) -> dict[str, object]:
    """Context: the form of the policy, filled by the preset of a key, and the policy in words."""
    policy = collection.policies.latest("version")
    preset = policy_preset(key)
    return {
        "policy": policy,
        "policy_form": form or PolicyForm.of(policy, preset),
        "policy_draft": policy_draft.in_words(policy),
        "presets": POLICIES,
        "chosen_preset": preset,
        "n_behind": policies.n_behind(collection=collection),
    }


def _group_context(collection: Collection, form: QueryGroupsForm | None) -> dict[str, object]:
    """Context: the form of the groups of queries, and their counts."""
    return {
        "groups_form": form or QueryGroupsForm(instance=collection),
        "group_counts": item_groups.count_groups(collection=collection),
    }
