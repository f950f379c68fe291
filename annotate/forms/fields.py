"""Fields of forms that several forms have."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet

from annotate.core.levels import level_reasons
from annotate.models import Side

MEGABYTE = 1024 * 1024
# for ids and names that count to the letter: no phone capitalises or corrects them
TO_THE_LETTER = {"autocapitalize": "none", "autocorrect": "off", "spellcheck": "false"}


def item_id_field(side: Side) -> forms.CharField:
    """The id of an item of a side; where scripts run it is found by its words too.

    See static/js/find/item-fields.js.
    """
    attributes = {**TO_THE_LETTER, "data-item": side.value}
    return forms.CharField(
        max_length=255, label=f"{side.label}'s id", widget=forms.TextInput(attrs=attributes)
    )


class UploadField(forms.FileField):
    """A file up to the site's size limit, which the page knows: nobody uploads in vain.

    takes_folders : True if the page packs a folder into one archive
    """

    def __init__(
        self, *, help_text: str, command: str = "", takes_folders: bool = False, **options: Any
    ) -> None:
        limit = settings.UPLOAD_MAX_BYTES // MEGABYTE
        self.takes_folders = takes_folders
        super().__init__(help_text=f"{help_text} Up to {limit:,} MB.", **options)
        self.command = command

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Add the attributes that files/drop.js reads."""
        attributes = super().widget_attrs(widget) | {"data-max-bytes": settings.UPLOAD_MAX_BYTES}
        return attributes | ({"data-folders": ""} if self.takes_folders else {})

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Return the file; the error for a larger one names the command that loads it, if any."""
        upload = super().clean(data, initial)
        if isinstance(upload, UploadedFile) and (upload.size or 0) > settings.UPLOAD_MAX_BYTES:
            limit = settings.UPLOAD_MAX_BYTES // MEGABYTE
            advice = "cut it into smaller ones"
            if self.command:
                advice = f"load it on the server: python3 manage.py {self.command}"
            raise forms.ValidationError(f"The file is larger than {limit:,} MB; {advice}.")
        return upload


class GradesField(forms.CharField):
    """A map from a file's words or numbers to grades, as "yes:1, no:0"."""

    def to_python(self, value: Any) -> dict[str, int]:  # type: ignore[override]  # a map
        """Return the grades by the file's words."""
        grades = {}
        for entry in filter(str.strip, (super().to_python(value) or "").split(",")):
            file_grade, colon, grade = entry.rpartition(":")
            if not colon or not file_grade.strip() or not grade.strip().isdecimal():
                raise forms.ValidationError(
                    f'Write grades as "yes:1, no:0", not as "{entry.strip()}".'
                )
            if file_grade.strip() in grades:
                raise forms.ValidationError(
                    f'"{file_grade.strip()}" stands twice; say it once.', code="twice"
                )
            grades[file_grade.strip()] = int(grade)
        return grades


class ColumnsField(GradesField):
    """The columns of a table without a header by their numbers, as "query:1, document:3, grade:4".

    required_columns, optional_columns : names of columns; one_of : at least one of these is
        required
    """

    def __init__(
        self,
        *,
        required_columns: Sequence[str],
        optional_columns: Sequence[str] = (),
        one_of: Sequence[str] = (),
        example: str,
    ) -> None:
        super().__init__(
            required=False,
            max_length=200,
            label="Columns of a table without a header",
            help_text=f'Their numbers, as "{example}". Empty: the file says itself what is where.',
        )
        self.required_columns, self.one_of, self.column_names = (
            required_columns,
            one_of,
            (*required_columns, *one_of, *optional_columns),
        )

    def to_python(self, value: Any) -> dict[str, int]:  # type: ignore[override]  # a map
        """Return the numbers by the columns' names, from 1.

        Errors name the missing or repeated column.
        """
        try:
            columns = super().to_python(value)
        except forms.ValidationError as error:
            if error.code == "twice":
                raise
            column_names = ", ".join(self.column_names)
            raise forms.ValidationError(
                f'Write columns as "{self.column_names[0]}:1": {column_names}, each a number.'
            ) from error
        if fault := self._fault(columns):
            raise forms.ValidationError(fault)
        return columns

    def _fault(self, columns: dict[str, int]) -> str:
        if unknown_columns := [name for name in columns if name not in self.column_names]:
            return (
                f'There is no "{unknown_columns[0]}" to be in a column; known are '
                f"{', '.join(self.column_names)}."
            )
        if columns and (
            missing_columns := [name for name in self.required_columns if name not in columns]
        ):
            return f"Which column holds the {missing_columns[0]}?"
        if columns and self.one_of and not set(self.one_of) & set(columns):
            return f"Which column holds the {' or the '.join(self.one_of)}?"
        if 0 in columns.values() or len(set(columns.values())) < len(columns):
            return "Columns are counted from 1, and no two are the same."
        return ""


class ReasonsField(forms.CharField):
    """The reasons of a level as annotate.core.levels.level_reasons reads them.

    Clean, they are as a level keeps them.
    """

    def __init__(self, **options: Any) -> None:
        attributes = {
            "rows": 1,
            "class": "one-line",
            "placeholder": "Reasons to choose from, if any",
        }
        widget = forms.Textarea(attrs=attributes)
        super().__init__(max_length=1000, required=False, widget=widget, **options)

    def clean(self, value: Any) -> list[level_reasons.Stored]:
        """Return the reasons; errors say which cannot be offered."""
        reasons = level_reasons.parse_text(super().clean(value) or "")
        if fault := level_reasons.fault(reasons):
            raise forms.ValidationError(f"It {fault}.")
        return level_reasons.as_stored(reasons)


class Checkbox(forms.CheckboxInput):
    """A box to tick; from programs "0", "no", "off" and "false" are no tick."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> bool:
        """True if it is ticked."""
        return str(data.get(name) or "").strip().lower() not in (
            "",
            "0",
            "no",
            "off",
            "false",
            "none",
        )


class SkipBlankField(forms.BooleanField):
    """A choice to leave out rows without a grade; scope : a sentence on the files it applies to."""

    widget = Checkbox

    def __init__(self, scope: str) -> None:
        super().__init__(
            required=False,
            label="Leave out rows without a grade",
            help_text="Blank, “NA” and the like. They are counted; otherwise they are faults. "
            f"{scope}",
        )


def set_choices(form: forms.BaseForm, name: str, choices: Iterable[tuple[Any, str]]) -> None:
    """Set the choices of a form's field."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField), "the form declares it"  # noqa: S101
    field.choices = list(choices)


def set_rows(form: forms.BaseForm, name: str, rows: QuerySet[Any]) -> None:
    """Set the rows from which a form's field lets people choose."""
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField), "the form declares it"  # noqa: S101
    field.queryset = rows
