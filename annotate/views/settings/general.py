"""Pay, marks of agreement, groups of queries, publication and deletion, for leads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.core.consequences import CountChanged
from annotate.forms.publication import PublicationForm
from annotate.forms.settings import AlphaMarksForm, DeleteForm, PayForm, QueryGroupsForm
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.collection import collections, item_groups, publication
from annotate.services.collection.lifecycle import deletion_notes, purging
from annotate.services.policy import alpha_marks
from annotate.services.storage.collection_rows import NotOwner
from annotate.services.webhooks import hook_page


@require_safe
@login_required
def settings(request: SignedIn, slug: str) -> HttpResponse:
    """Show the settings that are neither guidelines, levels nor policy."""
    return _page(request, access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,)))


@require_POST
@login_required
def change_pay(request: SignedIn, slug: str) -> HttpResponse:
    """Set the pay of an hour of judging; only prices shown from now on follow."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = PayForm(request.POST, instance=collection)
    if not form.is_valid():
        return _page(
            request, access.get_collection(user=request.user, slug=slug), pay_form=form, status=422
        )
    collections.change_pay(collection=collection, **form.cleaned_data)
    messages.success(request, "Saved: the dashboard shows prices at this pay.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def change_alpha_marks(request: SignedIn, slug: str) -> HttpResponse:
    """Set the marks that alpha is held to; pages and releases from now on follow."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = AlphaMarksForm(request.POST)
    if not form.is_valid():
        return _page(request, collection, marks_form=form, status=422)
    alpha_marks.change_alpha_marks(collection=collection, marks=form.marks)
    messages.success(request, f"Saved: alpha is now held to {form.marks.text}.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def change_query_groups(request: SignedIn, slug: str) -> HttpResponse:
    """Set the grouping of queries in intervals and tests."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = QueryGroupsForm(request.POST, instance=collection)
    if not form.is_valid():
        return _page(request, collection, groups_form=form, status=422)
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
        return _page(request, collection, publication_form=form, status=422)
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
        return _page(request, collection, delete_form=form, status=422)
    try:
        purging.request_deletion(
            collection=collection, by=request.user, expected=form.cleaned_data["expected"]
        )
    except (purging.CollectionJudged, NotOwner, CountChanged) as error:
        messages.error(request, str(error))
        return redirect("annotate:settings", slug)
    messages.success(
        request, f"{collection.name} is being deleted; it leaves this page once that is done."
    )
    return redirect("annotate:home")


def _page(
    request: HttpRequest,
    collection: Collection,
    *,
    pay_form: PayForm | None = None,
    marks_form: AlphaMarksForm | None = None,
    groups_form: QueryGroupsForm | None = None,
    publication_form: PublicationForm | None = None,
    delete_form: DeleteForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page with forms as they were filled in."""
    context = {
        "collection": collection,
        "pay_form": pay_form or PayForm(instance=collection),
        "marks_form": marks_form or AlphaMarksForm(initial=collection.alpha_marks._asdict()),
        "groups_form": groups_form or QueryGroupsForm(instance=collection),
        "group_counts": item_groups.count_groups(collection=collection),
        "publication_form": publication_form or PublicationForm(collection=collection),
        "hooks_sentence": hook_page.trouble_sentence(collection=collection),
        "delete_form": delete_form or DeleteForm(collection=collection),
        "deletion": deletion_notes.deletion_note(collection=collection),
    }
    return render(request, "annotate/settings/general.html", context, status=status)
