"""Previews of files: what the head of one is understood as, before it is loaded or stored."""

from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotate import access
from annotate.core.files.archives.file_heads import PIECE, AbsentBytes, HeadSource, open_heads
from annotate.core.files.archives.sources import MemberBytes
from annotate.core.files.formats import FormatError
from annotate.core.files.items.item_columns import ROW_KINDS, field_groups
from annotate.core.files.items.item_previews import ItemPreview, preview_items
from annotate.core.files.items.item_rows import ItemRow
from annotate.core.files.media_types import media_type
from annotate.forms.item_files import FileHeadForm
from annotate.http import SignedIn
from annotate.markdown import clean_page
from annotate.models import Role

PREVIEW = "annotate/imports/_preview.html"


class PreviewPart(NamedTuple):
    """A part of an item as its preview shows it.

    kind : "file" for one that is not at hand, of which the path or address stands in `text`
    text : of a page the safe HTML
    stretch : where in the archive the browser finds a medium's file
    """

    kind: str
    text: str
    stretch: MemberBytes | None = None
    content_type: str = ""


class PreviewItem(NamedTuple):
    """An item as annotators will see it."""

    row: ItemRow
    parts: list[PreviewPart]


@require_POST
@login_required
def items_preview(request: SignedIn, slug: str) -> HttpResponse:
    """Say what a file of items is understood as; nothing is stored."""
    access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    return _preview_page(request)


@require_POST
@login_required
def new_items_preview(request: SignedIn) -> HttpResponse:
    """Say what a file of items for a new collection is understood as; nothing is stored."""
    access.require_maker(user=request.user)
    return _preview_page(request)


def _preview_page(request: SignedIn) -> HttpResponse:
    """Render the preview, or ask for a further piece of the file: 204 with its position."""
    form = FileHeadForm(request.POST, request.FILES)
    if not form.is_valid():
        return HttpResponse("These are no pieces of a file.", status=422, content_type="text/plain")
    fields = form.cleaned_data
    try:
        source = open_heads(fields["pieces"], fields["size"], fields["name"])
        preview = preview_items(source, form.reading())
    except AbsentBytes as error:
        return HttpResponse(status=204, headers={"X-Piece": f"{error.at}-{error.at + PIECE}"})
    except FormatError as error:
        return render(request, PREVIEW, {"preview": ItemPreview(fields["name"], fault=str(error))})
    sides = [("Queries", preview.queries), ("Documents", preview.documents)]
    context = {
        "preview": preview,
        "sides": [(title, [_item(row, source) for row in rows]) for title, rows in sides if rows],
        "row_kinds": ROW_KINDS.items(),
        "field_groups": field_groups(preview.kind),
    }
    return render(request, PREVIEW, context)


def _item(row: ItemRow, source: HeadSource) -> PreviewItem:
    parts = []
    for part in row.parts:
        known_type, stretch = media_type(part.path), source.stretch(part.path)
        if not part.path:
            text = clean_page(part.text) if part.kind == "html" else part.text
            parts.append(PreviewPart(part.kind, text))
        elif known_type and stretch:
            content_type = known_type.content_type
            parts.append(PreviewPart(part.kind, part.path, stretch, content_type))
        else:
            parts.append(PreviewPart("file", part.path))
    return PreviewItem(row, parts)
