"""First page of a collection, and the form that makes one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotate import access
from annotate.forms.collections import CollectionForm, LevelFormSet
from annotate.http import SignedIn, takes_files
from annotate.models import Collection, Role
from annotate.services.collection import collections
from annotate.services.collection.collections import LevelSpec
from annotate.services.imports import imports
from annotate.services.imports.faults import IMPORT_FAULTS
from annotate.services.imports.imports import ReceivedImport
from annotate.services.imports.kinds import ItemsImport
from annotate.services.judging import work_availability
from annotate.services.pages import annotator_progress, overview
from annotate.services.webhooks import hook_page
from annotate.views.collection.imports import redirect_to_import


@require_safe
@login_required
def collection(request: SignedIn, slug: str) -> HttpResponse:
    """Show figures and next steps to leaders; to annotators their own work alone."""
    collection_ = access.get_collection(user=request.user, slug=slug)
    roles = access.roles_in(user=request.user, collection=collection_)
    context = {"collection": collection_, "roles": roles, "levels": collection_.levels.all()}
    if Role.ANNOTATOR in roles:
        annotator = access.get_annotator(user=request.user, slug=slug)
        context |= {
            "progress": annotator_progress.progress(annotator=annotator),
            "empty": work_availability.no_work_reasons(annotators=[annotator])[annotator.pk],
        }
    if roles & set(access.LEADERS):
        figures = overview.overview(collection=collection_)
        context |= {
            "figures": figures,
            "steps": overview.next_steps(figures=figures, roles=roles),
            "hooks_sentence": hook_page.trouble_sentence(collection=collection_)
            if Role.LEAD in roles
            else "",
            "may_load": Role.RESEARCHER in roles,
        }
    return render(request, "annotate/collection/collection.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@takes_files
def collection_new(request: SignedIn) -> HttpResponse:
    """Make a collection; its items, if a file of them is sent along, arrive by an import."""
    access.require_maker(user=request.user)
    form = CollectionForm(request.POST or None, request.FILES or None)
    is_post = request.method == "POST"
    levels = LevelFormSet(request.POST, prefix="levels") if is_post else LevelFormSet.blank()
    faults: list[str] = []
    if is_post and form.is_valid() and levels.is_valid():
        try:
            collection, received_import = _make(request, form, levels)
        except IMPORT_FAULTS as error:
            faults = str(error).splitlines()
        else:
            messages.success(request, f'Collection "{collection.name}" is made.')
            return (
                redirect_to_import(request, received_import)
                if received_import
                else redirect("annotate:collection", collection.slug)
            )
    status = 422 if is_post else 200
    context = {"form": form, "levels": levels, "faults": faults}
    return render(request, "annotate/collection/collection_new.html", context, status=status)


@transaction.atomic
def _make(
    request: SignedIn, form: CollectionForm, levels: LevelFormSet
) -> tuple[Collection, ReceivedImport | None]:
    """Make the collection and the import of its items; neither where the archive is refused."""
    upload, media = form.cleaned_data["file"], form.cleaned_data["media"]
    specs = [LevelSpec(**row) for row in levels.rows()]
    collection = collections.create_collection(
        levels=specs, by=request.user, **form.collection_fields()
    )
    if not upload:
        return collection, None
    return collection, imports.receive_import(
        collection=collection,
        import_request=ItemsImport(),
        upload=upload,
        media=media,
        by=request.user,
    )
