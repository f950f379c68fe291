"""Previews of files: what the head of one is understood as, before it is loaded or stored."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_POST

from annotate import access
from annotate.core.files.archives.file_heads import PIECE, AbsentBytes, HeadSource
from annotate.core.files.archives.sources import MemberBytes
from annotate.core.files.file_previews import FilePreview
from annotate.core.files.formats import FormatError
from annotate.core.files.id_lists import IdPreview, preview_ids
from annotate.core.files.items.item_columns import ROW_KINDS, field_groups
from annotate.core.files.items.item_previews import preview_items
from annotate.core.files.items.item_rows import ItemRow, is_address
from annotate.core.files.label_columns import JUDGMENT_FIELDS, REFERENCE_FIELDS
from annotate.core.files.label_previews import (
    LabelPreview,
    preview_judgments,
    preview_reference,
)
from annotate.core.files.media_types import media_type
from annotate.forms.collections import JudgmentsImportForm, ReferenceForm
from annotate.forms.item_files import FileHeadForm, head_fault
from annotate.forms.query_sets import QuerySetForm
from annotate.http import SignedIn
from annotate.markdown import clean_page
from annotate.models import Collection, Direction, Import, Item, Role
from annotate.services.collection.query_sets import SOURCE_SIDES
from annotate.services.collection.references import known_ids

PREVIEW = "annotate/imports/previews/_items.html"


class PreviewPart(NamedTuple):
    """A part of an item as its preview shows it.

    kind : "file" for one that is not at hand, of which the path or address stands in `text`
    text : of a page the safe HTML
    stretch : where in the archive the browser finds a medium's file
    medium : the kind of a file that is not at hand, such as image; "" for other parts
    """

    kind: str
    text: str
    stretch: MemberBytes | None = None
    content_type: str = ""
    medium: str = ""


class PreviewItem(NamedTuple):
    """An item as annotators will see it."""

    row: ItemRow
    parts: list[PreviewPart]


class LabelCell(NamedTuple):
    """A cell of a label, and the item of the collection that it names."""

    text: str
    item: Item | None


@require_POST
@login_required
def file_preview(request: SignedIn, slug: str, import_kind: str) -> HttpResponse:
    """Say what a file is understood as, by the fields of its form; nothing is stored."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.RESEARCHER,))
    if import_kind == Import.Kind.ITEMS:
        return _items_page(request, collection)

    def page(form: FileHeadForm) -> HttpResponse:
        preview = PREVIEWS[import_kind](form, request.POST)
        preview.match(*known_ids(collection=collection, ids=preview.ids))
        context = {
            "collection": collection,
            "preview": preview,
            "rows": _label_rows(collection, preview),
            "field_groups": FIELD_GROUPS.get(import_kind, ()),
        }
        return render(request, "annotate/imports/previews/_labels.html", context)

    return preview_page(request, page)


@require_POST
@login_required
def new_items_preview(request: SignedIn) -> HttpResponse:
    """Say what a file of items for a new collection is understood as; nothing is stored."""
    access.require_maker(user=request.user)
    return _items_page(request)


def _label_rows(collection: Collection, preview: LabelPreview | IdPreview) -> list[list[LabelCell]]:
    """The first labels or ids with the items that they name and the collection has; two queries."""
    texts = {text for row in preview.rows for text in row}
    rows = Item.objects.filter(collection=collection, external_id__in=texts)
    items = {(item.side, item.external_id): item for item in rows.prefetch_related("parts")}
    return [
        [
            LabelCell(text, items.get((cell, text)))
            for cell, text in zip(preview.cells, row, strict=True)
        ]
        for row in preview.rows
    ]


def _reference_preview(head: FileHeadForm, data: QueryDict) -> LabelPreview:
    source, reading, form = head.source(), head.reading(), ReferenceForm(data)
    # columns that were chosen in menus are told at the menus
    if fault := head_fault(form, *(["columns"] if reading.choices else [])):
        return LabelPreview(source.name, fault=fault)
    fields = form.cleaned_data
    columns = {} if reading.choices else fields["columns"]
    return preview_reference(source, reading, skip_blank=fields["skip_blank"], columns=columns)


def _judgments_preview(head: FileHeadForm, data: QueryDict) -> LabelPreview:
    source, form = head.source(), JudgmentsImportForm(data)
    if fault := head_fault(form, "columns", *form.BY_NAME):
        return LabelPreview(source.name, fault=fault)
    fields = form.cleaned_data
    return preview_judgments(
        source, head.reading(), skip_blank=fields["skip_blank"], grades=fields["grades"]
    )


def _query_set_preview(head: FileHeadForm, data: QueryDict) -> IdPreview:
    source, form = head.source(), QuerySetForm(data)
    if fault := head_fault(form):
        return IdPreview(source.name, fault=fault)
    direction = Direction(form.cleaned_data["direction"])
    return preview_ids(source, side=SOURCE_SIDES[direction], nouns=direction.sources)


PREVIEWS: Mapping[str, Callable[[FileHeadForm, QueryDict], LabelPreview | IdPreview]] = {
    Import.Kind.REFERENCE: _reference_preview,
    Import.Kind.JUDGMENTS: _judgments_preview,
    Import.Kind.QUERY_SET: _query_set_preview,
}
FIELD_GROUPS: Mapping[str, Sequence[tuple[str, Mapping[str, str]]]] = {
    Import.Kind.REFERENCE: [("Label", REFERENCE_FIELDS.meanings)],
    Import.Kind.JUDGMENTS: [("Label", JUDGMENT_FIELDS.meanings)],
}


def preview_page(request: SignedIn, page: Callable[[FileHeadForm], HttpResponse]) -> HttpResponse:
    """Answer with the page of a preview, or 204 with the position of a piece that it needs."""
    form = FileHeadForm(request.POST, request.FILES)
    if not form.is_valid():
        return HttpResponse("These are no pieces of a file.", status=422, content_type="text/plain")
    try:
        return page(form)
    except AbsentBytes as error:
        return HttpResponse(status=204, headers={"X-Piece": f"{error.at}-{error.at + PIECE}"})
    except FormatError as error:
        preview = FilePreview(form.cleaned_data["name"], fault=str(error))
        return render(request, PREVIEW, {"preview": preview})


def _items_page(request: SignedIn, collection: Collection | None = None) -> HttpResponse:
    """The preview of a file of items, or what it needs.

    collection : None for the first file of a new one, beside which nothing is loaded
    """
    missing_side = collection.items.missing_side() if collection else ""

    def page(form: FileHeadForm) -> HttpResponse:
        source = form.source()
        preview = preview_items(source, form.reading(missing_side=missing_side))
        sides = [("Queries", preview.queries), ("Documents", preview.documents)]
        context = {
            "preview": preview,
            "lacking_side": "" if collection else preview.lacking_side,
            "sides": [
                (title, [_item(row, source) for row in rows]) for title, rows in sides if rows
            ],
            "row_kinds": ROW_KINDS.items(),
            "field_groups": field_groups(preview.kind),
        }
        return render(request, PREVIEW, context)

    return preview_page(request, page)


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
            content_type = known_type.content_type if known_type else ""
            medium = "" if is_address(part.path) else part.kind
            parts.append(PreviewPart("file", part.path, None, content_type, medium))
    return PreviewItem(row, parts)
