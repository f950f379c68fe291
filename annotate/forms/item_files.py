"""Fields of files to load: the columns of one in another shape, and the head of one to preview."""

import json
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
from annotate.core.files.file_previews import FileReading
from annotate.core.files.items.item_columns import ROW_KINDS, columns_of, mapping_fault
from annotate.core.files.label_columns import JUDGMENT_FIELDS, REFERENCE_FIELDS
from annotate.forms.fields import ColumnsField

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


class ReferenceColumnsField(ColumnsField):
    """The columns of a file of reference labels; {} if its format tells them.

    Chosen in menus or written as a JSON object they are names, else numbers of columns.
    """

    widget = ColumnMenus

    def to_python(self, value: Any) -> Any:
        """Return the columns by their fields; errors name one that is missing or repeated."""
        choices = value if isinstance(value, list) else []
        if isinstance(value, str) and value.lstrip().startswith("{"):
            choices = _choices_of_text(value, example='{"query": "topic", "grade": "rel"}')
        if not choices:
            return super().to_python(value)
        columns = REFERENCE_FIELDS.columns_of(choices)
        if fault := REFERENCE_FIELDS.fault(columns):
            raise forms.ValidationError(fault)
        return {field: names[0] for field, names in columns.items()}


class JudgmentColumnsField(forms.Field):
    """The columns of a file of judgments, lists by field; {} where the form names them else."""

    widget = ColumnMenus

    def __init__(self) -> None:
        super().__init__(required=False, label="Columns")

    def clean(self, value: Any) -> dict[str, list[str]]:
        """Return the columns by their fields; errors name one that is missing or repeated."""
        example = '{"query": "topic", "annotators": ["ann", "ben"]}'
        choices = value or []
        if isinstance(value, str):
            choices = _choices_of_text(value, example=example)
        columns = JUDGMENT_FIELDS.columns_of(choices)
        if fault := JUDGMENT_FIELDS.fault(columns) if choices else "":
            raise forms.ValidationError(fault)
        return columns


def _choices_of_text(
    text: str, *, example: str = '{"document_id": "clip"}'
) -> list[tuple[str, str]]:
    """Return columns and fields of a JSON object of fields and their columns, one or a list."""
    try:
        columns = json.loads(text)
    except (ValueError, RecursionError):
        columns = None
    entries = columns.items() if isinstance(columns, dict) else ()
    choices = [
        (column, str(field))
        for field, names in entries
        for column in (names if isinstance(names, list) else [names])
        if isinstance(column, str)
    ]
    if not isinstance(columns, dict) or len(choices) < sum(
        len(names) if isinstance(names, list) else 1 for names in columns.values()
    ):
        raise forms.ValidationError(
            f"Write columns as a JSON object of fields and columns: {example}."
        )
    return choices


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

    def reading(self, *, missing_side: str = "") -> FileReading:
        """Return the reading of the file that its preview is of.

        missing_side : query or document, of which alone the collection has no items; "" for neither
        """
        fields, choices = self.cleaned_data, column_choices(self.data)
        return FileReading(
            choices=choices,
            is_by_hand=fields["by_hand"] or bool(choices),
            kind="" if choices else fields["row"],
            has_header={"names": True, "row": False}.get(fields["header"]),
            missing_side=missing_side,
        )


def head_fault(form: forms.Form, *further_fields: str) -> str:
    """The errors of an import's fields that say how its file is read, as a sentence; "" if none.

    further_fields : those whose errors are told elsewhere
    """
    return " ".join(
        f"{form[field].label}: {' '.join(map(str, errors))}"
        for field, errors in form.errors.items()
        if field not in {"file", "name", *further_fields}
    )
