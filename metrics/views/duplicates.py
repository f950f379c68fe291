"""Duplicates of a collection: what is found, and what a lead has judged once for all."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.core.consequences import CountChanged
from annotate.core.phrases import counted
from annotate.forms.consequences import ExpectedForm
from annotate.http import SignedIn
from annotate.models import Collection, Duplicate, Role
from annotate.services.review.duplicate_marks import (
    DuplicateGroup,
    DuplicateRefused,
    mark_duplicates,
    unmark_duplicates,
)
from annotate.views import undoing
from metrics.forms.duplicates import MarkForm, UnmarkForm
from metrics.services.analysis.choices import SharedChoices, read_shared_choices
from metrics.services.analysis.duplicate_groups import page_of, same_groups
from metrics.services.analysis.page import panels_of
from metrics.services.analysis.register import ANALYSES

ANALYSIS = ANALYSES["duplicates"]


@require_safe
@never_cache
@login_required
def duplicates(request: SignedIn, slug: str) -> HttpResponse:
    """Show found groups, and the items that are marked as duplicates."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return _page(request, collection)


@require_safe
@never_cache
@login_required
def duplicates_state(request: SignedIn, slug: str) -> HttpResponse:
    """Answer the poll, every 2 seconds, while groups are looked for."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    return render(request, "metrics/duplicates/_found.html", _context(request, collection))


@require_POST
@login_required
def mark(request: SignedIn, slug: str) -> HttpResponse:
    """Mark items of one group as duplicates of its original."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = MarkForm(request.POST, collection=collection)
    if not form.is_valid():
        return _page(request, collection, refusal=_faults(form))
    groups = [DuplicateGroup(form.cleaned_data["original"], form.cleaned_data["item"])]
    return _mark(request, collection, groups)


@require_POST
@login_required
def mark_all(request: SignedIn, slug: str) -> HttpResponse:
    """Mark the items of all found groups that are the same."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    (panel,) = panels_of(
        collection=collection, analyses=[ANALYSIS], choices=_choices(request, collection)
    )
    if panel.answer is None:
        messages.info(request, "Duplicates are still being looked for.")
        return redirect("metrics:duplicates", slug)
    return _mark(request, collection, same_groups(collection=collection, panel=panel))


@require_POST
@login_required
def unmark(request: SignedIn, slug: str) -> HttpResponse:
    """Take the mark of one item back."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = UnmarkForm(request.POST, collection=collection)
    if not form.is_valid():
        return _page(request, collection, refusal=_faults(form))
    item = form.cleaned_data["item"]
    original = Duplicate.objects.filter(item=item).values_list("original", flat=True).first()
    if unmark_duplicates(collection=collection, items=[item], by=request.user):
        fields = {"original": f"{original}", "item": f"{item.pk}", "is_undo": "on"}
        undo_url = reverse("metrics:duplicates-mark", args=[slug])
        text = f"{item} is judged by itself again."
        undoing.notify(request, text, undo_url=undo_url, **fields)
    else:
        messages.info(request, f"{item} was not marked.")
    return redirect("metrics:duplicates", slug)


@require_POST
@login_required
def unmark_all(request: SignedIn, slug: str) -> HttpResponse:
    """Take all marks back."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    marks = Duplicate.objects.filter(collection=collection).select_related("item")
    items = [mark.item for mark in marks]
    expected = ExpectedForm.number_in(request.POST)
    try:
        n = unmark_duplicates(
            collection=collection, items=items, by=request.user, expected=expected
        )
    except CountChanged as error:
        return _page(request, collection, refusal=str(error))
    messages.success(request, f"{counted(n, 'mark')} {'is' if n == 1 else 'are'} taken back.")
    return redirect("metrics:duplicates", slug)


def _mark(request: SignedIn, collection: Collection, groups: list[DuplicateGroup]) -> HttpResponse:
    if not groups:
        messages.info(request, "No group of items that are the same is open.")
        return redirect("metrics:duplicates", collection.slug)
    expected = ExpectedForm.number_in(request.POST)
    try:
        n = mark_duplicates(
            collection=collection, groups=groups, by=request.user, expected=expected
        )
    except (CountChanged, DuplicateRefused) as refusal:
        return _page(request, collection, refusal=str(refusal))
    messages.success(
        request,
        f"{counted(n, 'item')} {'is' if n == 1 else 'are'} judged as the original from now on.",
    )
    return redirect("metrics:duplicates", collection.slug)


def _faults(form: MarkForm | UnmarkForm) -> str:
    return " ".join(str(text) for texts in form.errors.values() for text in texts)


def _choices(request: SignedIn, collection: Collection) -> SharedChoices:
    """The defaults: nothing that can be chosen changes what is found."""
    return read_shared_choices(collection=collection, viewer=request.user, parameters=QueryDict())


def _context(request: SignedIn, collection: Collection) -> dict[str, object]:
    choices = _choices(request, collection)
    return {
        "collection": collection,
        "page": page_of(
            collection=collection,
            analysis=ANALYSIS,
            choices=choices,
            number=request.GET.get("page", ""),
        ),
        "may_mark": Role.LEAD in access.roles_in(user=request.user, collection=collection),
    }


def _page(request: SignedIn, collection: Collection, *, refusal: str = "") -> HttpResponse:
    context = {**_context(request, collection), "refusal": refusal}
    status = 422 if refusal else 200
    return render(request, "metrics/duplicates/page.html", context, status=status)
