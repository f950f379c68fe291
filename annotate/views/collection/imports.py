"""Imports of files into a collection: the forms, the list, and each import's page."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import access
from annotate.core.files.formats import FormatError
from annotate.http import SignedIn, shows_local_files, takes_files
from annotate.models import Import, Role
from annotate.services.background import works
from annotate.services.imports import imports as service
from annotate.services.imports.forms import IMPORT_FORMS
from annotate.services.imports.imports import ReceivedImport

RESEARCHERS = (Role.RESEARCHER,)
MAX_LISTED = 200  # imports in the list


@require_http_methods(["GET", "HEAD", "POST"])
@shows_local_files
@login_required
@takes_files
def load(request: SignedIn, slug: str, import_kind: str) -> HttpResponse:
    """Show the form of a kind of import; or store its file, to be read later, and go there."""
    collection = access.get_collection(user=request.user, slug=slug, roles=RESEARCHERS)
    import_form = IMPORT_FORMS[import_kind]
    form = import_form.form(request.POST or None, request.FILES or None)
    if form.is_valid():
        try:
            received_import = service.receive_import(
                collection=collection,
                import_request=import_form.to_request(form),
                upload=form.cleaned_data["file"],
                media=form.cleaned_data.get("media"),
                by=request.user,
            )
            return redirect_to_import(request, received_import)
        except FormatError as error:
            form.add_error("media" if error.field == "media" else "file", str(error))
    context = {"collection": collection, "import_form": import_form, "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, import_form.template, context, status=status)


def redirect_to_import(
    request: HttpRequest, received_import: ReceivedImport, *, lacking_side: str = ""
) -> HttpResponse:
    """Redirect to the page of an import that was just received, or was received before.

    While the collection is set up, the file is read while its maker takes the next step.
    lacking_side : queries or documents, if their file is to be loaded next
    """
    import_ = received_import.import_
    if lacking_side:
        messages.info(request, f"{import_.file_name} is being read. Load the {lacking_side} next.")
        return redirect("annotate:load", import_.collection.slug, Import.Kind.ITEMS)
    if received_import.is_new and import_.collection.is_being_set_up:
        messages.success(request, f"{import_.file_name} is being read; Imports has its report.")
        step = {"after": "annotate:load", "kind": import_.kind}
        return redirect(reverse("metrics:setup-next", args=[import_.collection.slug], query=step))
    if not received_import.is_new:
        received_at = f"{import_.created_at:%-d %B %Y %H:%M} UTC"
        messages.info(
            request,
            f"This very file came on {received_at}, to be read in the same way; nothing was"
            " changed.",
        )
    return redirect("annotate:import", import_.collection.slug, import_.pk)


@require_safe
@never_cache
@login_required
def imports(request: SignedIn, slug: str) -> HttpResponse:
    """List the imports of a collection, the newest first."""
    collection = access.get_collection(user=request.user, slug=slug, roles=access.LEADERS)
    context = {
        "collection": collection,
        "imports": collection.imports.select_related("by", "work").order_by("-created_at", "-pk")[
            :MAX_LISTED
        ],
        "may_load": not collection.archived_at
        and Role.RESEARCHER in access.roles_in(user=request.user, collection=collection),
        "max_listed": MAX_LISTED,
        "import_forms": IMPORT_FORMS.items(),
    }
    return render(request, "annotate/imports/imports.html", context)


@require_safe
@never_cache
@login_required
def import_page(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show one import: its progress, the contents of its file, or its faults."""
    import_ = access.get_import(user=request.user, slug=slug, pk=pk)
    may_load = Role.RESEARCHER in access.roles_in(user=request.user, collection=import_.collection)
    context = {
        "collection": import_.collection,
        "import": import_,
        "report": import_.report,
        "may_load": may_load and not import_.collection.archived_at,
    }
    if import_.reading.is_unfinished:
        context["job"] = _job(import_, may_cancel=may_load)
    return render(request, "annotate/imports/import.html", context)


@require_safe
@never_cache
@login_required
def import_state(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Answer the page every 2 seconds while a file is being read; redirect it when that ends."""
    import_ = access.get_import(user=request.user, slug=slug, pk=pk)
    if not import_.reading.is_unfinished:
        return HttpResponse(headers={"HX-Redirect": reverse("annotate:import", args=[slug, pk])})
    may_cancel = Role.RESEARCHER in access.roles_in(
        user=request.user, collection=import_.collection
    )
    return render(request, "parts/_job.html", _job(import_, may_cancel=may_cancel))


@require_POST
@login_required
def import_cancel(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Stop reading a file."""
    import_ = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
    works.cancel(work=import_.reading, by=request.user)
    return redirect("annotate:import", slug, pk)


def _job(import_: Import, *, may_cancel: bool) -> dict[str, Any]:
    """Context of the progress part; labels that are stored can no longer be cancelled."""
    address = [import_.collection.slug, import_.pk]
    job = {
        "poll_url": reverse("annotate:import-state", args=address),
        "title": "Reading the file",
        "detail": f"{import_.file_name}: every row is checked before anything is stored."
        " You may leave this page.",
        "job_status": works.work_status(work=import_.reading),
    }
    if import_.unresolved:
        detail = (
            f"{import_.file_name}: its labels are stored and count; their pairs follow."
            " You may leave this page."
        )
        return {**job, "title": "Resolving the pairs", "detail": detail}
    if may_cancel:
        job["cancel_url"] = reverse("annotate:import-cancel", args=address)
        job["cancel_effect"] = "nothing of this file is stored."
    return job
