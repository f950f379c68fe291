"""A collection's first page, making collections, and loading files into them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotate import access
from annotate.core.sources import open_source
from annotate.forms import CollectionForm, ItemsForm, JudgmentsForm, LevelFormSet, ReferenceForm
from annotate.models import Annotator, Collection, Role
from annotate.services import collections, importing, loading, overview, progress, references
from annotate.services.collections import LevelSpec
from annotate.services.faults import FAULTS

RESEARCHERS = (Role.RESEARCHER,)
get_or_post = require_http_methods(["GET", "HEAD", "POST"])


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
        "empty": progress.why_empty(annotator=annotator, asked=True),
    }


@get_or_post
@login_required
def collection_new(request: HttpRequest) -> HttpResponse:
    """Make a collection, with its items if a file is sent along."""
    access.require_maker(user=request.user)
    form = CollectionForm(request.POST or None, request.FILES or None)
    levels = LevelFormSet(request.POST, prefix="levels") if request.method == "POST" else LevelFormSet.blank()
    faults: list[str] = []
    if request.method == "POST" and form.is_valid() and levels.is_valid():
        try:
            reports = _make(request, form, levels)
        except FAULTS as error:
            faults = str(error).splitlines()
        else:
            return _done(request, form.cleaned_data["slug"], reports)
    status = 422 if request.method == "POST" else 200
    context = {"form": form, "levels": levels, "faults": faults}
    return render(request, "annotate/collection_new.html", context, status=status)


@transaction.atomic
def _make(request: HttpRequest, form: CollectionForm, levels: LevelFormSet) -> list[str]:
    """The collection and its items, or neither; what was done, in sentences."""
    given = dict(form.cleaned_data)
    upload = given.pop("file")
    specs = [LevelSpec(**row) for row in levels.rows()]
    made = collections.create_collection(levels=specs, by=request.user, **given)
    reports = [f'Collection "{made.name}" is made.']
    return reports + (_load_items(request, made, upload) if upload else [])


@get_or_post
@login_required
def items_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Load items into a collection."""
    found = access.get_collection(user=request.user, slug=slug, roles=RESEARCHERS)
    form = ItemsForm(request.POST or None, request.FILES or None)
    return _load_page(request, found, form, "annotate/items_new.html")


@get_or_post
@login_required
def reference_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Load a reference set."""
    found = access.get_collection(user=request.user, slug=slug, roles=RESEARCHERS)
    form = ReferenceForm(request.POST or None, request.FILES or None)
    return _load_page(request, found, form, "annotate/reference_new.html")


@get_or_post
@login_required
def judgments_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Import judgments made elsewhere."""
    found = access.get_collection(user=request.user, slug=slug, roles=RESEARCHERS)
    form = JudgmentsForm(request.POST or None, request.FILES or None)
    return _load_page(request, found, form, "annotate/judgments_import.html")


def _load_page(request: HttpRequest, found: Collection, form: Form, template: str) -> HttpResponse:
    """The form, with the file's faults; or its file loaded, and back to the collection's page."""
    faults: list[str] = []
    if request.method == "POST" and form.is_valid():
        try:
            reports = LOADERS[type(form)](request, found, form)
        except FAULTS as error:
            faults = str(error).splitlines()
        else:
            return _done(request, found.slug, reports)
    status = 422 if request.method == "POST" else 200
    context = {"collection": found, "form": form, "faults": faults, "levels": found.levels.all()}
    return render(request, template, context, status=status)


def _done(request: HttpRequest, slug: str, reports: list[str]) -> HttpResponse:
    for report in reports:
        messages.success(request, report)
    return redirect("annotate:collection", slug)


def _load_items(request: HttpRequest, found: Collection, upload: UploadedFile) -> list[str]:
    source = open_source(upload.file, upload.name)
    report = loading.load_collection(collection=found, source=source, by=request.user)
    return [str(told) for told in (report, *report.references)]


def _load_items_form(request: HttpRequest, found: Collection, form: ItemsForm) -> list[str]:
    return _load_items(request, found, form.cleaned_data["file"])


def _load_reference(request: HttpRequest, found: Collection, form: ReferenceForm) -> list[str]:
    given = form.cleaned_data
    report = references.load_reference(
        collection=found,
        stream=given["file"].file,
        file_name=given["file"].name,
        name=given["name"],
        by=request.user,
        grade_map=given["grades"],
        min_grade=given["min_grade"],
    )
    return [str(report)]


def _import_judgments(request: HttpRequest, found: Collection, form: JudgmentsForm) -> list[str]:
    upload = form.cleaned_data["file"]
    report = importing.import_judgments(
        collection=found,
        stream=upload.file,
        file_name=upload.name,
        columns=form.columns(),
        name=form.cleaned_data["name"],
        by=request.user,
    )
    return [str(report)]


LOADERS = {ItemsForm: _load_items_form, ReferenceForm: _load_reference, JudgmentsForm: _import_judgments}
