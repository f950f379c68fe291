"""Forms to make collections and to load files."""

from collections.abc import Sequence
from typing import Any

from django import forms

from annotate.core.files.formats import name_fault
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.forms.fields import (
    TO_THE_LETTER,
    Checkbox,
    GradesField,
    SkipBlankField,
    UploadField,
)
from annotate.forms.item_files import (
    ItemColumnsField,
    JudgmentColumnsField,
    ReferenceColumnsField,
)
from annotate.forms.levels import SchemeForm
from annotate.models import Collection, ReferenceSet


def items_field(*, n_files: str = "", **options: Any) -> UploadField:
    """Field of the file of a collection's items; n_files : a sentence on several files."""
    return UploadField(
        label="Items",
        help_text=(
            n_files
            + "JSON lines, CSV or TSV, TREC topics, a caption list such as {id: [captions]}, or a "
            "plain list of document ids, each plain or gzipped; or a zip of a BEIR folder, of one "
            "such file with its media, or of texts and media alone; or the folder itself. Of a "
            "table or JSON in another shape you say what its columns are."
        ),
        command="load_collection",
        takes_folders=True,
        **options,
    )


def media_field() -> UploadField:
    """Field of the media that the file of items names, packed in a zip of their own."""
    return UploadField(
        label="Media",
        help_text="A zip of the images, clips and sounds that the items name, if they are not in "
        "the file's own zip.",
        command="load_collection --media",
        required=False,
    )


class ItemsForm(forms.Form):
    """Items for an existing collection."""

    file = items_field()
    media = media_field()  # type: ignore[assignment]  # a field; forms name their files so too
    columns = ItemColumnsField()


class CollectionForm(SchemeForm):
    """A new collection; its levels are in LevelFormSet."""

    name = forms.CharField(max_length=120)
    slug = forms.SlugField(
        max_length=60,
        label="Short name",
        required=False,
        help_text="Part of addresses: letters, digits, hyphens. Empty: made of the name.",
        widget=forms.TextInput(attrs=TO_THE_LETTER),
    )
    description = forms.CharField(
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For its members.",
    )
    measurement = forms.ChoiceField(
        choices=Collection.Measurement.choices,
        initial=Collection.Measurement.ORDINAL,
        label="Level of measurement",
        help_text="How grades are compared when agreement is computed; ordered levels are ordinal.",
    )
    guidelines = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Markdown; what annotators read.",
    )
    file = items_field(
        n_files="If queries and documents are two files, the second comes on the next page. ",
        required=False,
    )
    media = media_field()  # type: ignore[assignment]  # a field; forms name their files so too
    columns = ItemColumnsField()
    # the preview of the file sends it
    lacking_side = forms.ChoiceField(
        choices=[(side, side) for side in ("queries", "documents")], required=False
    )

    def clean(self) -> dict[str, Any]:
        """Media without items belong to nothing."""
        cleaned_data = super().clean() or {}
        if cleaned_data.get("media") and not cleaned_data.get("file") and "file" not in self.errors:
            self.add_error("file", "Give the file of items that names these media too.")
        return cleaned_data

    def collection_fields(self) -> dict[str, Any]:
        """The fields of the collection, without the files."""
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in {"file", "media", "columns", "lacking_side"}
        }


class LabelFileForm(forms.Form):
    """A file of labels: its first fields, and others that wait behind "More settings"."""

    FINE_PRINT: Sequence[str] = ()
    BY_NAME: Sequence[str] = ()

    def first_fields(self) -> list[forms.BoundField]:
        """The fields that stand above the preview of the file."""
        further_fields = {*self.FINE_PRINT, *self.BY_NAME}
        return [field for field in self.visible_fields() if field.name not in further_fields]

    def fine_print(self) -> list[forms.BoundField]:
        """The fields that wait behind "More settings"."""
        return [self[name] for name in self.FINE_PRINT]

    def is_fine_print_refused(self) -> bool:
        """True if a field of the fine print has an error."""
        return any(name in self.errors for name in self.FINE_PRINT)

    def by_name(self) -> list[forms.BoundField]:
        """The fields that name columns one by one, for browsers without scripts."""
        return [self[name] for name in self.BY_NAME]


class ReferenceForm(LabelFileForm):
    """A reference set to load."""

    FINE_PRINT = ("grades", "min_grade", "skip_unknown", "make_documents", "skip_blank")

    name = forms.CharField(max_length=ReferenceSet.MAX_NAME, initial="original")
    file = UploadField(
        label="Labels",
        help_text="TREC qrels, a table with query-id, corpus-id and score, JSON lists of "
        "positives; plain or gzipped. Of a table or JSON in another shape you say what its "
        "columns are.",
        command="load_reference",
    )
    grades = GradesField(
        required=False,
        label="Grades of the file",
        help_text='What they become in this collection, as "0:1, 1:4". Empty: they are this '
        "collection's own grades.",
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
        help_text="They are counted. Otherwise a single one of them is a fault, and nothing is "
        "loaded.",
    )
    make_documents = forms.BooleanField(
        required=False,
        widget=Checkbox,
        label="Make the documents that only these labels name",
        help_text="They are known by their ids alone. Labels of queries this collection does not "
        "have make none.",
    )
    skip_blank = SkipBlankField("In a sample with strata they are faults all the same.")
    columns = ReferenceColumnsField(
        required_columns=("query", "document", "grade"),
        optional_columns=("stratum",),
        example="query:1, document:2, grade:3",
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


class JudgmentsImportForm(LabelFileForm):
    """Judgments to import, and the columns of the file: chosen in menus, or named one by one."""

    LONG, WIDE = "long", "wide"
    FINE_PRINT = ("grades", "skip_blank")
    BY_NAME = ("query", "document", "layout", "annotator", "grade", "annotators", "time")

    file = UploadField(
        label="Judgments",
        help_text="CSV, TSV, JSON lines or a JSON array; plain or gzipped. Say below what its "
        "columns are.",
        command="import_judgments",
    )
    name = forms.CharField(
        max_length=120, label="Name of the import", help_text="Such as who judged, and when."
    )
    columns = JudgmentColumnsField()
    query = forms.CharField(
        max_length=100, initial="query", required=False, label="Column of the query's id"
    )
    document = forms.CharField(
        max_length=100, initial="document", required=False, label="Column of the document's id"
    )
    layout = forms.ChoiceField(
        choices=[(LONG, "One label a line"), (WIDE, "One column of grades an annotator")],
        initial=LONG,
        required=False,
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
        max_length=100,
        initial="grade",
        required=False,
        label="Column of the grade",
        help_text="One label a line.",
    )
    annotators = forms.CharField(
        max_length=2000,
        required=False,
        label="Columns of the annotators",
        help_text='One column of grades an annotator: their names, as "expert1, expert2".',
    )
    time = forms.CharField(
        max_length=100,
        required=False,
        label="Column of the time",
        help_text="ISO 8601, or seconds since 1970.",
    )
    grades = GradesField(
        required=False, label="Words for grades", help_text='Such as "yes:1, no:0".'
    )
    skip_blank = SkipBlankField(
        "One label a line; blank cells of annotators' columns are left out anyway."
    )

    def clean(self) -> dict[str, Any]:
        """The columns that the chosen layout needs must be named, unless menus say them."""
        cleaned_data = super().clean() or {}
        if cleaned_data.get("columns") or "columns" in self.errors:
            return cleaned_data
        for field in ("query", "document"):
            if not cleaned_data.get(field):
                self.add_error(field, "Name the column.")
        required_fields = (
            ("annotators",) if cleaned_data.get("layout") == self.WIDE else ("annotator", "grade")
        )
        for field in required_fields:
            if not cleaned_data.get(field):
                self.add_error(field, "Name it, or choose the other layout.")
        if cleaned_data.get("query") and cleaned_data.get("query") == cleaned_data.get("document"):
            self.add_error("document", "The query's id stands in this column; a pair has two.")
        return cleaned_data

    def judgment_columns(self) -> JudgmentColumns:
        """Return the columns by which the file is read."""
        fields = self.cleaned_data
        if fields["columns"]:
            return JudgmentColumns.of(fields["columns"], fields["grades"])
        is_wide = fields["layout"] == self.WIDE
        people = (
            tuple(name.strip() for name in fields["annotators"].split(",") if name.strip())
            if is_wide
            else ()
        )
        return JudgmentColumns(
            query=fields["query"],
            document=fields["document"],
            annotator=fields["annotator"],
            grade=fields["grade"],
            annotators=people,
            time=fields["time"],
            grades=fields["grades"],
        )
