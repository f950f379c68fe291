"""Fields of files of items: the columns of one in another shape, and the head of one to preview."""

import json
from collections.abc import Iterable
from typing import Any, BinaryIO, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString

from annotate.core.files.archives.file_heads import (
    MAX_BYTES,
    FilePiece,
    HeadSource,
    PiecedFile,
    open_heads,
)
from annotate.core.files.items.item_columns import ROW_KINDS, columns_of, mapping_fault
from annotate.core.files.items.item_previews import ItemReading

MAX_PIECES = 8


class ColumnMenus(forms.HiddenInput):
    """The columns as the preview's menus send them, or in one field as programs do."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return the text of programs, or pairs of a column and its field."""
        return data.get(name) or column_choices(data)

    def render(self, *args: Any, **options: Any) -> SafeString:
        """Return nothing: the preview comes with the file, and has the menus."""
        return SafeString()


def column_choices(data: Any) -> list[tuple[str, str]]:
    """Return the columns and what each is taken for, as the menus of a preview send them."""
    if not isinstance(data, MultiValueDict):
        return []
    return list(zip(data.getlist("column"), data.getlist("taken_for"), strict=False))


class ItemColumnsField(forms.Field):
    """The meanings of the columns of a file; {} if its format tells them."""

    widget = ColumnMenus

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Any) -> dict[str, str]:
        """Return the columns by their fields; errors name a field that is missing or repeated."""
        choices = value if isinstance(value, list) else _choices_of_text(value or "{}")
        columns, fault = columns_of(choices)
        # menus that all leave their column out choose nothing, which is a fault too
        if fault := fault or (mapping_fault(columns) if choices else ""):
            raise forms.ValidationError(fault)
        return columns


def _choices_of_text(text: str) -> Iterable[tuple[str, str]]:
    try:
        columns = json.loads(text)
    except (ValueError, RecursionError):
        columns = None
    if not isinstance(columns, dict) or not all(isinstance(name, str) for name in columns.values()):
        raise forms.ValidationError(
            'Write columns as a JSON object of fields and columns: {"document_id": "clip"}.'
        )
    return [(column, field) for field, column in columns.items()]


class FileHeadForm(forms.Form):
    """Pieces of a file for its preview, and how it is to be read."""

    name = forms.CharField(max_length=255)
    size = forms.IntegerField(min_value=1, max_value=2**60)
    row = forms.ChoiceField(choices=[("", "as it looks"), *ROW_KINDS.items()], required=False)
    header = forms.ChoiceField(
        choices=[("", "as it looks"), ("names", "names"), ("row", "row")], required=False
    )
    by_hand = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Add the pieces, with their positions."""
        cleaned_data = super().clean() or {}
        positions = cast(MultiValueDict[str, str], self.data).getlist("at")
        uploads = cast(MultiValueDict[str, UploadedFile], self.files).getlist("piece")
        if not 0 < len(uploads) == len(positions) <= MAX_PIECES or not all(
            position.isascii() and position.isdecimal() and len(position) < 20
            for position in positions
        ):
            raise forms.ValidationError("Send pieces of the file, each with its position.")
        if sum(upload.size or 0 for upload in uploads) > MAX_BYTES:
            raise forms.ValidationError("Send less of the file.")
        pieces = zip(positions, uploads, strict=True)
        cleaned_data["pieces"] = [FilePiece(int(at), upload.read()) for at, upload in pieces]
        return cleaned_data

    @property
    def n_bytes(self) -> int:
        """The number of bytes at hand."""
        return sum(len(piece.content) for piece in self.cleaned_data["pieces"])

    def stream(self) -> BinaryIO:
        """Return the file as a stream of its pieces; reading others raises AbsentBytes."""
        pieces, size = self.cleaned_data["pieces"], self.cleaned_data["size"]
        return cast(BinaryIO, PiecedFile(pieces, size))

    def source(self) -> HeadSource:
        """Open the head of the file, or of the files inside. Raises AbsentBytes, FormatError."""
        fields = self.cleaned_data
        return open_heads(fields["pieces"], fields["size"], fields["name"])

    def reading(self) -> ItemReading:
        """Return the reading of the file that its preview is of."""
        fields, choices = self.cleaned_data, column_choices(self.data)
        return ItemReading(
            choices=choices,
            is_by_hand=fields["by_hand"] or bool(choices),
            kind="" if choices else fields["row"],
            has_header={"names": True, "row": False}.get(fields["header"]),
        )


def head_fault(form: forms.Form) -> str:
    """The errors of an import's fields that say how its file is read, as a sentence; "" if none."""
    return " ".join(
        f"{form[field].label}: {' '.join(map(str, errors))}"
        for field, errors in form.errors.items()
        if field not in {"file", "name"}
    )
