"""Previews of run files: what the head of each is understood as, before it is sent or stored."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotate import access
from annotate.forms.item_files import FileHeadForm, head_fault
from annotate.http import SignedIn
from annotate.models import Collection, Direction, Role
from annotate.services.collection.references import known_ids
from annotate.views.collection.previews import preview_page
from pooling.core.files.run_previews import RunPreview, RunReading, preview_run
from pooling.forms.runs import RunReadingForm, name_of_file
from pooling.services.pages.run_top_rows import top_items


@require_POST
@login_required
def run_preview(request: SignedIn, slug: str) -> HttpResponse:
    """Say what a run file is understood as, by the fields of its form; nothing is stored."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))

    def page(form: FileHeadForm) -> HttpResponse:
        context = _context(collection, form, request.POST)
        return render(request, "pooling/runs/_preview.html", context)

    return preview_page(request, page)


def _context(collection: Collection, form: FileHeadForm, data: QueryDict) -> dict[str, Any]:
    """Context of a preview. Raises AbsentBytes where a piece is to be sent first."""
    file_name = form.cleaned_data["name"]
    preview = RunPreview(file_name, run_name=data.get("run_name", "") or name_of_file(file_name))
    reading_form = RunReadingForm(data)
    if fault := head_fault(reading_form):
        preview.fault = fault
        return {"preview": preview}
    fields = reading_form.cleaned_data
    direction = Direction(fields["direction"])
    preview.side_nouns = direction.sources, direction.targets
    reading = RunReading(fields["columns"], fields["score_type"])
    preview_run(preview, form.stream(), reading, n_bytes=form.n_bytes)
    queries, documents = known_ids(collection=collection, ids=preview.ids)
    is_forward = direction == Direction.FORWARD
    preview.match(*((queries, documents) if is_forward else (documents, queries)))
    cells = top_items(collection=collection, direction=direction, row=preview.top_row)
    return {"preview": preview, "collection": collection, "cells": cells}
