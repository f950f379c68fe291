"""Levels of a collection, which its leads change or take from a preset until the first judgment."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.core.levels.scheme_rules import BadScheme, key_of
from annotate.core.presets import schemes
from annotate.forms.levels import LevelFormSet, SchemeForm, level_rows
from annotate.forms.settings import ChangedSchemeForm
from annotate.http import SignedIn
from annotate.models import Collection, Level, Role
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
    return _draft(request, form, rows, collection.levels.all())


@require_POST
@login_required
def draft_new_levels(request: SignedIn) -> HttpResponse:
    """Say what the levels of a collection that is not made yet mean, as they are typed."""
    access.require_maker(user=request.user)
    form, rows = SchemeForm(request.POST), LevelFormSet(request.POST, prefix="levels")
    form.takes(rows)
    return _draft(request, form, rows)


def levels_context(
    form: SchemeForm, rows: LevelFormSet, *, present_levels: Iterable[Level] = ()
) -> dict[str, Any]:
    """Return the context of a form of levels: with it, as typed, their picture and their sentence.

    present_levels : those of the collection, which keep their colours
    """
    threshold = form.threshold()
    is_refused = form.is_bound and (
        not rows.is_valid() or bool({"positive_from", NON_FIELD_ERRORS} & form.errors.keys())
    )
    drafts = collections.coloured_levels(
        rows.drafts(), positive_from=threshold or 1, present_levels=present_levels
    )
    return {
        "form": form,
        "levels": rows,
        "drawn_levels": [level._replace(key=key_of(level)) for level in drafts],
        "sentence": "" if is_refused or threshold is None else rows.sentence(threshold),
    }


def _draft(
    request: SignedIn, form: SchemeForm, rows: LevelFormSet, present_levels: Iterable[Level] = ()
) -> HttpResponse:
    """The levels in a picture and a sentence, with the errors of all fields at the fields."""
    context = levels_context(form, rows, present_levels=present_levels) | {"is_typed": True}
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
    context = levels_context(form, rows, present_levels=collection.levels.all()) | {
        "collection": collection,
        "presets": schemes.SCHEMES,
        "chosen_preset": preset,
    }
    return render(request, "annotate/settings/levels.html", context, status=status)
