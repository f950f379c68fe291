"""A collection's first page, and making collections."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotate import access
from annotate.forms import CollectionForm, LevelFormSet
from annotate.http import takes_files
from annotate.models import Annotator, Collection, Role
from annotate.services import collections, imports, overview, progress, work
from annotate.services.collections import LevelSpec
from annotate.services.faults import FAULTS
from annotate.services.import_kinds import Items
from annotate.services.imports import Received
from annotate.views.imports import received


@require_safe
@login_required
def collection(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures and next steps for leaders; for annotators their own work alone."""
    found = access.get_collection(user=request.user, slug=slug)
    roles = access.roles_in(user=request.user, collection=found)
    context = {"collection": found, "roles": roles, "levels": found.levels.all()}
    if Role.ANNOTATOR in roles:
        context |= _own_work(access.get_annotator(user=request.user, slug=slug))
    if roles & set(access.LEADERS):
        figures = overview.overview(collection=found)
        context |= {
            "figures": figures,
            "steps": overview.next_steps(figures=figures, roles=roles),
            "may_load": Role.RESEARCHER in roles,
        }
    return render(request, "annotate/collection.html", context)


def _own_work(annotator: Annotator) -> dict[str, object]:
    return {
        "own": progress.progress(annotator=annotator),
        "empty": work.why_none(annotators=[annotator])[annotator.pk],
    }


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@takes_files
def collection_new(request: HttpRequest) -> HttpResponse:
    """Make a collection; its items, if a file of them is sent along, arrive by an import."""
    access.require_maker(user=request.user)
    form = CollectionForm(request.POST or None, request.FILES or None)
    levels = LevelFormSet(request.POST, prefix="levels") if request.method == "POST" else LevelFormSet.blank()
    faults: list[str] = []
    if request.method == "POST" and form.is_valid() and levels.is_valid():
        try:
            made, got = _make(request, form, levels)
        except FAULTS as error:
            faults = str(error).splitlines()
        else:
            messages.success(request, f'Collection "{made.name}" is made.')
            return received(request, got) if got else redirect("annotate:collection", made.slug)
    status = 422 if request.method == "POST" else 200
    context = {"form": form, "levels": levels, "faults": faults}
    return render(request, "annotate/collection_new.html", context, status=status)


@transaction.atomic
def _make(request: HttpRequest, form: CollectionForm, levels: LevelFormSet) -> tuple[Collection, Received | None]:
    """The collection and the import of its items; neither where the file's archive is refused."""
    given = dict(form.cleaned_data)
    upload, media = given.pop("file"), given.pop("media")
    specs = [LevelSpec(**row) for row in levels.rows()]
    made = collections.create_collection(levels=specs, by=request.user, **given)
    if not upload:
        return made, None
    return made, imports.receive(collection=made, asked=Items(), upload=upload, media=media, by=request.user)
