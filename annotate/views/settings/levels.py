"""Levels of a collection, which its leads change or take from a preset until the first judgment."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.core.levels.scheme_rules import BadScheme
from annotate.core.presets import schemes
from annotate.forms.collections import LevelFormSet, SchemeForm, level_rows
from annotate.forms.settings import ChangedSchemeForm
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.collection import collections
from annotate.services.collection.guidelines_shown import NewerVersion, require_newest
from annotate.views.next_step import after_step


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def levels(request: SignedIn, slug: str) -> HttpResponse:
    """Show the levels, or those of a preset; sent, give the collection these."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    if request.method != "POST":
        return _blank_page(request, collection)
    form, rows = ChangedSchemeForm(request.POST), LevelFormSet(request.POST, prefix="levels")
    if form.takes(rows):
        try:
            return _save(request, collection, form, rows)
        except NewerVersion as error:
            form.refuse_older(str(error), newest=error.newest)
        except BadScheme as error:
            form.refuse_scheme(rows, error)
        except collections.SchemeFrozen as error:
            form.add_error(None, str(error))
    return _page(request, collection, form, rows, status=422)


@require_POST
@login_required
def draft_levels(request: SignedIn, slug: str) -> HttpResponse:
    """Say what the levels mean, or contradict, as they are typed; nothing is stored."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form, rows = SchemeForm(request.POST), LevelFormSet(request.POST, prefix="levels")
    if form.takes(rows):
        try:
            grades = [level.grade for level in rows.levels()]
            collections.require_grades_in_use(collection, grades=grades)
        except BadScheme as error:
            form.refuse_scheme(rows, error)
    return _draft(request, form, rows)


@require_POST
@login_required
def draft_new_levels(request: SignedIn) -> HttpResponse:
    """Say what the levels of a collection that is not made yet mean, as they are typed."""
    access.require_maker(user=request.user)
    form, rows = SchemeForm(request.POST), LevelFormSet(request.POST, prefix="levels")
    form.takes(rows)
    return _draft(request, form, rows)


def _draft(request: SignedIn, form: SchemeForm, rows: LevelFormSet) -> HttpResponse:
    """The levels in a sentence, with the errors of all fields at the fields."""
    is_scheme = form.is_valid() and rows.is_valid()
    sentence = rows.sentence(form.cleaned_data["positive_from"]) if is_scheme else ""
    context = {"form": form, "levels": rows, "sentence": sentence, "is_typed": True}
    return render(request, "annotate/settings/_levels_draft.html", context)


@transaction.atomic
def _save(
    request: SignedIn, collection: Collection, form: ChangedSchemeForm, rows: LevelFormSet
) -> HttpResponse:
    """Give the collection these levels. Raises NewerVersion, BadScheme, SchemeFrozen."""
    require_newest(collection=collection, version=form.cleaned_data["version"])
    collections.change_scheme(
        collection=collection,
        levels=rows.levels(),
        positive_from=form.cleaned_data["positive_from"],
        by=request.user,
    )
    messages.success(request, "Saved: these are the levels people choose from.")
    return after_step(collection, "annotate:levels", collection.slug)


def _blank_page(request: SignedIn, collection: Collection) -> HttpResponse:
    """The page with the present levels, or with those of the preset that its address names."""
    key = request.GET.get("levels", "")
    preset = schemes.scheme_preset(key)
    if key and preset is None:
        raise Http404("There is no such scheme to begin from.")
    version = collection.guidelines.latest("version").version
    if preset:
        form = ChangedSchemeForm(
            initial={"positive_from": preset.positive_from, "version": version}
        )
        return _page(request, collection, form, LevelFormSet.of(preset.rows()), preset=preset)
    form = ChangedSchemeForm(
        initial={"positive_from": collection.positive_from, "version": version}
    )
    return _page(request, collection, form, LevelFormSet.of(level_rows(collection.levels.all())))


def _page(
    request: SignedIn,
    collection: Collection,
    form: ChangedSchemeForm,
    rows: LevelFormSet,
    *,
    preset: schemes.SchemePreset | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "collection": collection,
        "form": form,
        "levels": rows,
        "presets": schemes.SCHEMES,
        "chosen_preset": preset,
    }
    return render(request, "annotate/settings/levels.html", context, status=status)
