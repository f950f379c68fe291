"""Levels of a collection, which its leads change or take from a preset until the first judgment."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotate import access
from annotate.core.presets import schemes
from annotate.forms.collections import LevelFormSet, level_rows
from annotate.forms.settings import ChangedSchemeForm
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.collection import collections
from annotate.services.collection.collections import LevelSpec
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
    if form.is_valid() and rows.is_valid():
        try:
            return _save(request, collection, form, rows)
        except NewerVersion as error:
            form.refuse_older(str(error), newest=error.newest)
        except collections.BadScheme as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
        except collections.SchemeFrozen as error:
            form.add_error(None, str(error))
    return _page(request, collection, form, rows, status=422)


@transaction.atomic
def _save(
    request: SignedIn, collection: Collection, form: ChangedSchemeForm, rows: LevelFormSet
) -> HttpResponse:
    """Give the collection these levels. Raises NewerVersion, BadScheme, SchemeFrozen."""
    require_newest(collection=collection, version=form.cleaned_data["version"])
    collections.change_scheme(
        collection=collection,
        levels=[LevelSpec(**row) for row in rows.rows()],
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
