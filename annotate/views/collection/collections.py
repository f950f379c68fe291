"""The form that makes a collection."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotate import access
from annotate.core.presets import schemes
from annotate.core.presets.schemes import SchemePreset
from annotate.forms.collections import CollectionForm
from annotate.forms.levels import LevelFormSet
from annotate.http import SignedIn, shows_local_files, takes_files
from annotate.models import Collection
from annotate.services.collection import collections
from annotate.services.collection.collections import CollectionExists
from annotate.services.collection.short_names import free_short_name
from annotate.services.imports import imports
from annotate.services.imports.faults import IMPORT_FAULTS
from annotate.services.imports.imports import ReceivedImport
from annotate.services.imports.kinds import ItemsImport
from annotate.views.collection.imports import redirect_to_import
from annotate.views.next_step import after_step
from annotate.views.settings.levels import levels_context


@require_http_methods(["GET", "HEAD", "POST"])
@shows_local_files
@login_required
@takes_files
def collection_new(request: SignedIn) -> HttpResponse:
    """Make a collection; its items, if a file of them is sent along, arrive by an import."""
    access.require_maker(user=request.user)
    if request.method != "POST":
        return _new_page(request, preset=_requested_preset(request))
    form = CollectionForm(request.POST, request.FILES)
    levels = LevelFormSet(request.POST, prefix="levels")
    if not form.takes(levels):
        return _new_page(request, form=form, levels=levels)
    try:
        collection, received_import = _make(request, form, levels)
    except CollectionExists as error:
        form.add_error("slug", str(error))
        return _new_page(request, form=form, levels=levels)
    except IMPORT_FAULTS as error:
        return _new_page(request, form=form, levels=levels, faults=str(error).splitlines())
    messages.success(request, f'Collection "{collection.name}" is made.')
    if received_import:
        lacking_side = form.cleaned_data["lacking_side"]
        return redirect_to_import(request, received_import, lacking_side=lacking_side)
    return after_step(collection, "metrics:collection", collection.slug)


def _requested_preset(request: SignedIn) -> SchemePreset:
    """The scheme to begin from; two levels where none is named. Raises Http404."""
    preset = schemes.scheme_preset(request.GET.get("levels", schemes.TWO_LEVELS.key))
    if preset is None:
        raise Http404("There is no such scheme to begin from.")
    return preset


def _new_page(
    request: SignedIn,
    *,
    preset: SchemePreset | None = None,
    form: CollectionForm | None = None,
    levels: LevelFormSet | None = None,
    faults: Sequence[str] = (),
) -> HttpResponse:
    """Render the form: blank with the levels of a preset, or as it was refused."""
    begin = preset or schemes.TWO_LEVELS
    form = form or CollectionForm(initial=begin.collection_fields())
    context = levels_context(form, levels or LevelFormSet.of(begin.rows())) | {
        "faults": faults,
        "presets": schemes.SCHEMES,
        "chosen_preset": preset,
    }
    status = 200 if preset else 422
    return render(request, "annotate/collection/collection_new.html", context, status=status)


@transaction.atomic
def _make(
    request: SignedIn, form: CollectionForm, levels: LevelFormSet
) -> tuple[Collection, ReceivedImport | None]:
    """Make the collection and the import of its items; neither where the archive is refused."""
    upload, media = form.cleaned_data["file"], form.cleaned_data["media"]
    fields = form.collection_fields()
    fields["slug"] = fields["slug"] or free_short_name(name=fields["name"])
    collection = collections.create_collection(levels=levels.levels(), by=request.user, **fields)
    if not upload:
        return collection, None
    return collection, imports.receive_import(
        collection=collection,
        import_request=ItemsImport(columns=form.cleaned_data["columns"]),
        upload=upload,
        media=media,
        by=request.user,
    )
