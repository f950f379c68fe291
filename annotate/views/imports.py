"""Bringing files into a collection: the forms, what became of each file, and what is still being read."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access
from annotate.core.formats import FormatError
from annotate.http import takes_files
from annotate.models import Import, Role
from annotate.services import imports as service
from annotate.services.background import works
from annotate.services.import_forms import IMPORT_FORMS
from annotate.services.imports import Received

RESEARCHERS = (Role.RESEARCHER,)
get_or_post = require_http_methods(["GET", "HEAD", "POST"])
SHOWN = 200  # imports in the list


@get_or_post
@login_required
@takes_files
def items_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Load items into a collection."""
    return _form_page(request, slug, Import.Kind.ITEMS, "annotate/items_new.html")


@get_or_post
@login_required
@takes_files
def reference_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Load a reference set."""
    return _form_page(request, slug, Import.Kind.REFERENCE, "annotate/reference_new.html")


@get_or_post
@login_required
@takes_files
def judgments_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Import judgments made elsewhere."""
    return _form_page(request, slug, Import.Kind.JUDGMENTS, "annotate/judgments_import.html")


@get_or_post
@login_required
@takes_files
def query_set_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Load a query set from a list of ids."""
    return _form_page(request, slug, Import.Kind.QUERY_SET, "annotate/query_set_new.html")


def _form_page(request: HttpRequest, slug: str, kind: Import.Kind, template: str) -> HttpResponse:
    """The form; or its file kept, to be read in the background, and on to the import's page."""
    found = access.get_collection(user=request.user, slug=slug, roles=RESEARCHERS)
    form = IMPORT_FORMS[kind].form(request.POST or None, request.FILES or None)
    if form.is_valid():
        asked = IMPORT_FORMS[kind].asked(form)
        upload, media = form.cleaned_data["file"], form.cleaned_data.get("media")
        try:
            got = service.receive(collection=found, asked=asked, upload=upload, media=media, by=request.user)
            return received(request, got)
        except FormatError as error:
            form.add_error("media" if error.field == "media" else "file", str(error))
    context = {"collection": found, "form": form, "levels": found.levels.all()}
    return render(request, template, context, status=422 if request.method == "POST" else 200)


def received(request: HttpRequest, got: Received) -> HttpResponse:
    """On to the page of an import that was just received, or was here before."""
    made = got.made
    if not got.is_new:
        when = f"{made.created_at:%-d %B %Y %H:%M} UTC"
        messages.info(request, f"This very file came on {when}, to be read in the same way; nothing was changed.")
    return redirect("annotate:import", made.collection.slug, made.pk)


@require_safe
@never_cache
@login_required
def imports(request: HttpRequest, slug: str) -> HttpResponse:
    """What was brought into a collection, the newest first."""
    found = access.get_collection(user=request.user, slug=slug, roles=access.LEADERS)
    context = {
        "collection": found,
        "imports": found.imports.select_related("by", "work").order_by("-created_at", "-pk")[:SHOWN],
        "may_load": Role.RESEARCHER in access.roles_in(user=request.user, collection=found),
        "shown": SHOWN,
    }
    return render(request, "annotate/imports.html", context)


@require_safe
@never_cache
@login_required
def import_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One import: how far it is, or what its file held, or what is wrong with it."""
    made = access.get_import(user=request.user, slug=slug, pk=pk)
    may_load = Role.RESEARCHER in access.roles_in(user=request.user, collection=made.collection)
    context = {"collection": made.collection, "made": made, "report": made.report, "may_load": may_load}
    if made.work.is_unfinished:
        context["job"] = _job(made, may_cancel=may_load)
    return render(request, "annotate/import.html", context)


@require_safe
@never_cache
@login_required
def import_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asked every 2 seconds while a file is being read; sends the page on when it is."""
    made = access.get_import(user=request.user, slug=slug, pk=pk)
    if not made.work.is_unfinished:
        return HttpResponse(headers={"HX-Redirect": reverse("annotate:import", args=[slug, pk])})
    may_cancel = Role.RESEARCHER in access.roles_in(user=request.user, collection=made.collection)
    return render(request, "_job.html", _job(made, may_cancel=may_cancel))


@require_POST
@login_required
def import_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop reading a file."""
    made = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
    works.cancel(work=made.work, by=request.user)
    return redirect("annotate:import", slug, pk)


def _job(made: Import, *, may_cancel: bool) -> dict[str, Any]:
    """Context of the waiting part; labels that are stored can no longer be cancelled."""
    address = [made.collection.slug, made.pk]
    job = {
        "poll_url": reverse("annotate:import-state", args=address),
        "title": "Reading the file",
        "detail": f"{made.file_name}: every row is checked before anything is stored. You may leave this page.",
        "standing": works.standing(work=made.work),
    }
    if made.unresolved:
        stored = f"{made.file_name}: its labels are stored and count; their pairs follow. You may leave this page."
        return {**job, "title": "Resolving the pairs", "detail": stored}
    if may_cancel:
        job["cancel_url"] = reverse("annotate:import-cancel", args=address)
        job["cancel_effect"] = "nothing of this file is stored."
    return job
