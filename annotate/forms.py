"""Forms to make collections and to load files."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotate.core import level_reasons
from annotate.core.formats import name_fault
from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import Collection, Level, ReferenceSet

MEGABYTE = 1024 * 1024
# for ids and names that count to the letter: no phone capitalises or corrects them
TO_THE_LETTER = {"autocapitalize": "none", "autocorrect": "off", "spellcheck": "false"}
LEVEL_ROWS = 7  # rows of the table; the service says how many levels a scheme may have


class UploadField(forms.FileField):
    """A file up to the site's size limit.

    The limit is on the page, so that nobody uploads in vain.
    """

    def __init__(self, *, command: str, help_text: str, **options: Any) -> None:
        limit = settings.UPLOAD_MAX_BYTES // MEGABYTE
        super().__init__(help_text=f"{help_text} Up to {limit:,} MB.", **options)
        self.command = command

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Add the attribute that file-drop.js reads."""
        return {**super().widget_attrs(widget), "data-max-bytes": settings.UPLOAD_MAX_BYTES}

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Return the file; the error for a larger one names the command that loads it."""
        upload = super().clean(data, initial)
        if isinstance(upload, UploadedFile) and (upload.size or 0) > settings.UPLOAD_MAX_BYTES:
            limit = settings.UPLOAD_MAX_BYTES // MEGABYTE
            raise forms.ValidationError(
                f"The file is larger than {limit:,} MB; load it on the server: python3 manage.py {self.command}."
            )
        return upload


class GradesField(forms.CharField):
    """A map from a file's words or numbers to grades, as "yes:1, no:0"."""

    def to_python(self, value: Any) -> dict[str, int]:  # type: ignore[override]
        """Return the grades by the file's words."""
        grades = {}
        for entry in filter(str.strip, (super().to_python(value) or "").split(",")):
            file_grade, colon, grade = entry.rpartition(":")
            if not colon or not file_grade.strip() or not grade.strip().isdecimal():
                raise forms.ValidationError(f'Write grades as "yes:1, no:0", not as "{entry.strip()}".')
            if file_grade.strip() in grades:
                raise forms.ValidationError(f'"{file_grade.strip()}" stands twice; say it once.', code="twice")
            grades[file_grade.strip()] = int(grade)
        return grades


class ColumnsField(GradesField):
    """The columns of a table without a header by their numbers, as "query:1, document:3, grade:4".

    required_columns, optional_columns : names of columns; one_of : at least one of these is
        required
    """

    def __init__(
        self, *, required_columns: Sequence[str], optional_columns: Sequence[str] = (), one_of: Sequence[str] = (), example: str
    ) -> None:
        super().__init__(
            required=False,
            max_length=200,
            label="Columns of a table without a header",
            help_text=f'Their numbers, as "{example}". Empty: the file says itself what is where.',
        )
        self.required_columns, self.one_of, self.column_names = required_columns, one_of, (*required_columns, *one_of, *optional_columns)

    def to_python(self, value: Any) -> dict[str, int]:
        """Return the numbers by the columns' names, from 1.

        Errors name the missing or repeated column.
        """
        try:
            columns = super().to_python(value)
        except forms.ValidationError as error:
            if error.code == "twice":
                raise
            column_names = ", ".join(self.column_names)
            raise forms.ValidationError(f'Write columns as "{self.column_names[0]}:1": {column_names}, each a number.') from error
        if fault := self._fault(columns):
            raise forms.ValidationError(fault)
        return columns

    def _fault(self, columns: dict[str, int]) -> str:
        if unknown_columns := [name for name in columns if name not in self.column_names]:
            return f'There is no "{unknown_columns[0]}" to be in a column; known are {", ".join(self.column_names)}.'
        if columns and (missing_columns := [name for name in self.required_columns if name not in columns]):
            return f"Which column holds the {missing_columns[0]}?"
        if columns and self.one_of and not set(self.one_of) & set(columns):
            return f"Which column holds the {' or the '.join(self.one_of)}?"
        if 0 in columns.values() or len(set(columns.values())) < len(columns):
            return "Columns are counted from 1, and no two are the same."
        return ""


class ReasonsField(forms.CharField):
    """The reasons of a level as annotate.core.level_reasons reads them.

    Clean, they are as a level keeps them.
    """

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 1, "class": "one-line"})
        super().__init__(max_length=1000, required=False, widget=widget, **options)

    def clean(self, value: Any) -> list[level_reasons.Stored]:
        """Return the reasons; errors say which cannot be offered."""
        reasons = level_reasons.parse_text(super().clean(value) or "")
        if fault := level_reasons.fault(reasons):
            raise forms.ValidationError(f"It {fault}.")
        return level_reasons.as_stored(reasons)


def items_field(**options: Any) -> UploadField:
    """Field of the file of a collection's items."""
    return UploadField(
        label="Items",
        help_text=(
            "JSON lines, CSV or TSV, TREC topics, a caption list such as {id: [captions]}, or a plain list of "
            "document ids, each plain or gzipped; or a zip of a BEIR folder, or of one such file with its media."
        ),
        command="load_collection",
        **options,
    )


def media_field() -> UploadField:
    """Field of the media that the file of items names, packed in a zip of their own."""
    return UploadField(
        label="Media",
        help_text="A zip of the images, clips and sounds that the items name, if they are not in the file's own zip.",
        command="load_collection --media",
        required=False,
    )


class ItemsForm(forms.Form):
    """Items for an existing collection."""

    file = items_field()
    media = media_field()


class CollectionForm(forms.Form):
    """A new collection; its levels are in LevelFormSet."""

    name = forms.CharField(max_length=120)
    slug = forms.SlugField(
        max_length=60, label="Short name", help_text="Stands in addresses: letters, digits, hyphens.",
        widget=forms.TextInput(attrs=TO_THE_LETTER),
    )
    description = forms.CharField(
        max_length=2000, required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="For its members."
    )
    measurement = forms.ChoiceField(
        choices=Collection.Measurement.choices,
        initial=Collection.Measurement.ORDINAL,
        label="Level of measurement",
        help_text="How grades are compared when agreement is computed; ordered levels are ordinal.",
    )
    positive_from = forms.IntegerField(
        min_value=0, max_value=100, initial=1, label="Relevant from grade", help_text="Smaller grades are not relevant."
    )
    guidelines = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 6}), help_text="Markdown; what annotators read."
    )
    file = items_field(required=False)
    media = media_field()

    def clean(self) -> dict[str, Any]:
        """Media without items belong to nothing."""
        cleaned_data = super().clean() or {}
        if cleaned_data.get("media") and not cleaned_data.get("file") and "file" not in self.errors:
            self.add_error("file", "Give the file of items that names these media too.")
        return cleaned_data


class LevelForm(forms.Form):
    """One level; a row without a name is no level."""

    grade = forms.IntegerField(min_value=0, max_value=100, required=False)
    name = forms.CharField(max_length=60, required=False)
    sentence = forms.CharField(max_length=200, required=False)
    colour = forms.ChoiceField(choices=Level.Colour.choices, required=False)
    reasons = ReasonsField()

    def clean(self) -> dict[str, Any]:
        """A row with a name needs its grade."""
        row = super().clean() or {}
        if row.get("name") and row.get("grade") is None and "grade" not in self.errors:
            self.add_error("grade", "Give this level a grade.")
        return row


_LevelFormSet = forms.formset_factory(LevelForm, extra=0, max_num=LEVEL_ROWS, absolute_max=LEVEL_ROWS + 1)


class LevelFormSet(_LevelFormSet):  # type: ignore[valid-type, misc]
    """The table of levels."""

    FIRST = (
        {"grade": 1, "name": "Relevant", "sentence": "It shows what the query says.", "colour": Level.Colour.GREEN},
        {"grade": 0, "name": "Not relevant", "sentence": "It does not.", "colour": Level.Colour.SLATE},
    )

    @classmethod
    def blank(cls) -> "LevelFormSet":
        """Return two levels to begin with, and empty rows for all a scheme may have."""
        return cls(initial=[*cls.FIRST, *({} for _ in range(LEVEL_ROWS - len(cls.FIRST)))], prefix="levels")

    def rows(self) -> list[dict[str, Any]]:
        """The rows that have a name."""
        named_rows = [row for row in self.cleaned_data if row.get("name")]
        return [{**row, "colour": row["colour"] or Level.Colour.SLATE} for row in named_rows]


class Checkbox(forms.CheckboxInput):
    """A box to tick; from programs "0", "no", "off" and "false" are no tick."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> bool:
        """True if it is ticked."""
        return str(data.get(name) or "").strip().lower() not in ("", "0", "no", "off", "false", "none")


class SkipBlankField(forms.BooleanField):
    """A choice to leave out rows without a grade; scope : a sentence on the files it applies to."""

    widget = Checkbox

    def __init__(self, scope: str) -> None:
        super().__init__(
            required=False,
            label="Leave out rows without a grade",
            help_text=f"Blank, “NA” and the like. They are counted; otherwise they are faults. {scope}",
        )


class ReferenceForm(forms.Form):
    """A reference set to load."""

    name = forms.CharField(max_length=ReferenceSet.MAX_NAME, initial="original")
    file = UploadField(
        label="Labels",
        help_text="TREC qrels, a table with query-id, corpus-id and score, JSON lists of positives; plain or gzipped.",
        command="load_reference",
    )
    grades = GradesField(
        required=False,
        label="Grades of the file",
        help_text='What they become in this collection, as "0:1, 1:4". Empty: they are this collection\'s own grades.',
    )
    min_grade = forms.IntegerField(
        min_value=0,
        initial=0,
        required=False,
        label="Smallest grade",
        help_text="Rows with a smaller grade in the file are left out.",
    )
    skip_unknown = forms.BooleanField(
        required=False,
        widget=Checkbox,
        label="Leave out labels of items this collection does not have",
        help_text="They are counted. Otherwise a single one of them is a fault, and nothing is loaded.",
    )
    make_documents = forms.BooleanField(
        required=False,
        widget=Checkbox,
        label="Make the documents that only these labels name",
        help_text="They are known by their ids alone. Labels of queries this collection does not have make none.",
    )
    skip_blank = SkipBlankField("In a sample with strata they are faults all the same.")
    columns = ColumnsField(
        required_columns=("query", "document", "grade"), optional_columns=("stratum",), example="query:1, document:2, grade:3"
    )

    def clean_name(self) -> str:
        """Return a name that can be part of a file."""
        name: str = self.cleaned_data["name"]
        if fault := name_fault(name, longest=ReferenceSet.MAX_NAME):
            raise forms.ValidationError(f"A reference set's name {fault}.")
        return name

    def clean_min_grade(self) -> int:
        """Return 0, which leaves out nothing, for an empty field."""
        return self.cleaned_data["min_grade"] or 0

    def clean_grades(self) -> dict[int, int]:
        """Return the map with numbers on both sides."""
        grades = self.cleaned_data["grades"]
        if not all(file_grade.isdecimal() for file_grade in grades):
            raise forms.ValidationError("The grades of a reference file are whole numbers.")
        return {int(file_grade): grade for file_grade, grade in grades.items()}


class JudgmentsImportForm(forms.Form):
    """Judgments to import, and the columns of the file."""

    LONG, WIDE = "long", "wide"

    file = UploadField(
        label="Judgments",
        help_text="CSV, TSV or JSON lines; plain or gzipped. The names of its columns are offered below; a table "
        "without a header has columns 1, 2, 3...",
        command="import_judgments",
    )
    name = forms.CharField(max_length=120, label="Name of the import", help_text="Such as who judged, and when.")
    query = forms.CharField(max_length=100, initial="query", label="Column of the query's id")
    document = forms.CharField(max_length=100, initial="document", label="Column of the document's id")
    layout = forms.ChoiceField(
        choices=[(LONG, "One label a line"), (WIDE, "One column of grades an annotator")],
        initial=LONG,
        widget=forms.RadioSelect,
    )
    annotator = forms.CharField(
        max_length=100,
        initial="annotator",
        required=False,
        label="Column of the annotator",
        help_text="One label a line.",
    )
    grade = forms.CharField(
        max_length=100, initial="grade", required=False, label="Column of the grade", help_text="One label a line."
    )
    annotators = forms.CharField(
        max_length=2000,
        required=False,
        label="Columns of the annotators",
        help_text='One column of grades an annotator: their names, as "expert1, expert2".',
    )
    time = forms.CharField(
        max_length=100, required=False, label="Column of the time", help_text="ISO 8601, or seconds since 1970."
    )
    grades = GradesField(required=False, label="Words for grades", help_text='Such as "yes:1, no:0".')
    skip_blank = SkipBlankField("One label a line; blank cells of annotators' columns are left out anyway.")

    def clean(self) -> dict[str, Any]:
        """The columns that the chosen layout needs must be named."""
        cleaned_data = super().clean() or {}
        required_fields = ("annotator", "grade") if cleaned_data.get("layout") == self.LONG else ("annotators",)
        for field in required_fields:
            if not cleaned_data.get(field):
                self.add_error(field, "Name it, or choose the other layout.")
        if cleaned_data.get("query") and cleaned_data.get("query") == cleaned_data.get("document"):
            self.add_error("document", "The query's id stands in this column; a pair has two.")
        return cleaned_data

    def columns(self) -> JudgmentColumns:
        """Return the columns by which the file is read."""
        fields = self.cleaned_data
        is_wide = fields["layout"] == self.WIDE
        people = tuple(name.strip() for name in fields["annotators"].split(",") if name.strip()) if is_wide else ()
        return JudgmentColumns(
            query=fields["query"],
            document=fields["document"],
            annotator=fields["annotator"],
            grade=fields["grade"],
            annotators=people,
            time=fields["time"],
            grades=fields["grades"],
        )
