"""Pay, marks of agreement, groups of queries, publication, archive and deletion, for leads."""

from collections.abc import Callable, Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.core.consequences import ActChanged, CountChanged
from annotate.forms.consequences import TakeBackForm
from annotate.forms.publication import PublicationForm
from annotate.forms.settings import AlphaMarksForm, DeleteForm, PayForm, QueryGroupsForm
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.collection import collections, item_groups, publication
from annotate.services.collection.lifecycle import deletion_notes, purging
from annotate.services.policy import alpha_marks
from annotate.services.storage.collection_rows import NotOwner
from annotate.services.supervision import archiving
from annotate.services.webhooks import hook_page
from annotate.views import undoing

# notices, and the act that takes back what they tell
ARCHIVED = "Archived: nothing more is handed out or uploaded in this collection.", "unarchive"
UNARCHIVED = "Unarchived: its open pools hand out pairs again.", "archive"


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

    def save() -> str:
        collections.change_pay(collection=collection, **form.cleaned_data)
        return "the dashboard shows prices at this pay."

    return _save(request, collection, save, name="pay_form", form=form)


@require_POST
@login_required
def change_alpha_marks(request: SignedIn, slug: str) -> HttpResponse:
    """Set the marks that alpha is held to; pages and releases from now on follow."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = AlphaMarksForm(request.POST)

    def save() -> str:
        alpha_marks.change_alpha_marks(collection=collection, marks=form.marks)
        return f"alpha is now held to {form.marks.text}."

    return _save(request, collection, save, name="marks_form", form=form)


@require_POST
@login_required
def change_query_groups(request: SignedIn, slug: str) -> HttpResponse:
    """Set the grouping of queries in intervals and tests."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = QueryGroupsForm(request.POST, instance=collection)

    def save() -> str:
        is_new = collections.change_query_groups(collection=collection, **form.cleaned_data)
        return "the numbers are being computed anew." if is_new else ""

    return _save(request, collection, save, name="groups_form", form=form)


@require_POST
@login_required
def change_publication(request: SignedIn, slug: str) -> HttpResponse:
    """Set words and contents of releases from now on."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = PublicationForm(request.POST, collection=collection)

    def save() -> str:
        changed_fields = publication.change_publication(
            collection=collection,
            publication=publication.Publication(**form.fields_to_store()),
            by=request.user,
        )
        return "it holds for releases from now on." if changed_fields else ""

    return _save(request, collection, save, name="publication_form", form=form)


def _save(
    request: SignedIn, collection: Collection, save: Callable[[], str], *, name: str, form: BaseForm
) -> HttpResponse:
    """Save one of the page's forms, or show it with its errors.

    name : of the form on the page
    save : returns what follows from it, as the end of a sentence; "" if nothing changed
    """
    if not form.is_valid():
        # the form may have left refused values in the collection
        collection.refresh_from_db()
        return _page(request, collection, {name: form}, status=422)
    if consequence := save():
        messages.success(request, f"Saved: {consequence}")
    else:
        messages.info(request, "Nothing changed.")
    return redirect("annotate:settings", collection.slug)


@require_POST
@login_required
def change_archive(request: SignedIn, slug: str) -> HttpResponse:
    """Archive a collection, or unarchive it."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    opposite = "unarchive" if collection.archived_at else "archive"
    is_archiving = request.POST.get("act", opposite) == "archive"
    text, undo_act = ARCHIVED if is_archiving else UNARCHIVED
    try:
        if is_archiving:
            is_new = archiving.archive_collection(collection=collection, by=request.user)
        else:
            is_new = archiving.unarchive_collection(
                collection=collection, by=request.user, done_at=TakeBackForm.moment_in(request.POST)
            )
    except ActChanged as error:
        messages.error(request, str(error))
        return redirect("annotate:settings", slug)
    if is_new:
        done_at = collection.archived_at
        undoing.notify(request, text, undo_url=request.path, done_at=done_at, act=undo_act)
    else:
        messages.info(request, "Nothing was changed: it had been done before.")
    return redirect("annotate:settings", slug)


@require_POST
@login_required
def delete_collection(request: SignedIn, slug: str) -> HttpResponse:
    """Queue the deletion of a collection that nobody has judged; its short name confirms it."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = DeleteForm(request.POST, collection=collection)
    if not form.is_valid():
        return _page(request, collection, {"delete_form": form}, status=422)
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
    forms: Mapping[str, BaseForm] | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """Render the page; `forms` are those that were filled in, by their names there."""
    context = {
        "collection": collection,
        "pay_form": PayForm(instance=collection),
        "marks_form": AlphaMarksForm(initial=collection.alpha_marks._asdict()),
        "groups_form": QueryGroupsForm(instance=collection),
        "group_counts": item_groups.count_groups(collection=collection),
        "publication_form": PublicationForm(collection=collection),
        "hooks_sentence": hook_page.trouble_sentence(collection=collection),
        "delete_form": DeleteForm(collection=collection),
        "archive": archiving.archive_consequences(collection=collection),
        "deletion": deletion_notes.deletion_note(collection=collection),
        **(forms or {}),
    }
    return render(request, "annotate/settings/general.html", context, status=status)
