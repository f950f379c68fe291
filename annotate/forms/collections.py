"""Forms to make collections and to load files."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms

from annotate.core.files.formats import name_fault
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.core.levels import level_reasons
from annotate.core.levels.scheme_rules import (
    BadScheme,
    LevelSpec,
    check_scheme,
)
from annotate.core.phrases import enumeration
from annotate.forms.fields import (
    TO_THE_LETTER,
    Checkbox,
    ColumnsField,
    GradesField,
    ReasonsField,
    SkipBlankField,
    UploadField,
)
from annotate.forms.item_files import ItemColumnsField
from annotate.models import Collection, Level, ReferenceSet

LEVEL_ROWS = 7  # rows of the table; the service says how many levels a scheme may have


def items_field(**options: Any) -> UploadField:
    """Field of the file of a collection's items."""
    return UploadField(
        label="Items",
        help_text=(
            "JSON lines, CSV or TSV, TREC topics, a caption list such as {id: [captions]}, or a "
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


class SchemeForm(forms.Form):
    """The threshold of a scheme; its levels are in LevelFormSet."""

    positive_from = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=1,
        label="Relevant from grade",
        help_text="Smaller grades are not relevant.",
    )

    def takes(self, rows: "LevelFormSet") -> bool:
        """True if form and table are valid and make a scheme; else their fields say why not."""
        if not (self.is_valid() & rows.is_valid()):
            return False
        try:
            check_scheme(levels=rows.levels(), positive_from=self.cleaned_data["positive_from"])
        except BadScheme as error:
            self.refuse_scheme(rows, error)
        return self.is_valid() and rows.is_valid()

    def refuse_scheme(self, rows: "LevelFormSet", error: BadScheme) -> None:
        """Put the reason at its field; above the form where it is about the levels as a whole."""
        if error.n_level is None:
            self.add_error(error.field if error.field in self.fields else None, str(error))
        else:
            rows.named_rows()[error.n_level].add_error(error.cell, str(error))


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
    file = items_field(required=False)
    media = media_field()  # type: ignore[assignment]  # a field; forms name their files so too
    columns = ItemColumnsField()

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
            if name not in {"file", "media", "columns"}
        }


class LevelForm(forms.Form):
    """One level; a row without a name is no level."""

    grade = forms.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": "Grade"}),
    )
    name = forms.CharField(
        max_length=60, required=False, widget=forms.TextInput(attrs={"placeholder": "Name"})
    )
    sentence = forms.CharField(
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "When to choose it"}),
    )
    colour = forms.ChoiceField(choices=[("", "By grade"), *Level.Colour.choices], required=False)
    reasons = ReasonsField()
    key = forms.RegexField("^[0-9]$", required=False, widget=forms.HiddenInput)

    @property
    def number(self) -> int:
        """The row's place among the rows, from 1."""
        return int(str(self.prefix).rsplit("-", 1)[1]) + 1

    def is_used(self) -> bool:
        """True if something stands in the row."""
        return any(self[field].value() not in (None, "") for field in ("grade", "name", "reasons"))

    def clean(self) -> dict[str, Any]:
        """A row with a name needs its grade."""
        row = super().clean() or {}
        if row.get("name") and row.get("grade") is None and "grade" not in self.errors:
            self.add_error("grade", "Give this level a grade.")
        return row


_LevelFormSet = forms.formset_factory(
    LevelForm, extra=0, max_num=LEVEL_ROWS, absolute_max=LEVEL_ROWS + 1
)


class LevelFormSet(_LevelFormSet):  # type: ignore[valid-type, misc]  # made above
    """The table of levels."""

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> "LevelFormSet":
        """Return these levels to begin with, and empty rows for all a scheme may have."""
        return cls(initial=[*rows, *({} for _ in range(LEVEL_ROWS - len(rows)))], prefix="levels")

    @property
    def names_text(self) -> str:
        """The names of the levels, as they stand in the rows: Relevant and Not relevant."""
        names = [str(row["name"].value()) for row in self if row["name"].value()]
        return enumeration(names) if names else "Levels"

    def used_rows(self) -> list[LevelForm]:
        """The rows down to the last one in which something stands."""
        n_used = max((n for n, row in enumerate(self, 1) if row.is_used()), default=0)
        return list(self)[:n_used]

    def spare_rows(self) -> list[LevelForm]:
        """The empty rows below them."""
        return list(self)[len(self.used_rows()) :]

    def named_rows(self) -> list[LevelForm]:
        """The rows that have a name."""
        return [row for row in self if row.cleaned_data.get("name")]

    def levels(self) -> list[LevelSpec]:
        """The levels that stand in them."""
        return [LevelSpec(**row.cleaned_data) for row in self.named_rows()]

    def sentence(self, positive_from: int) -> str:
        """The levels by what they say: Relevant: “Yes” and “Partly”. Not relevant: “No”."""
        names: dict[bool, list[str]] = {True: [], False: []}
        for level in sorted(self.levels(), key=lambda level: -level.grade):
            names[level.grade >= positive_from].append(f"“{level.name}”")
        return f"Relevant: {enumeration(names[True])}. Not relevant: {enumeration(names[False])}."


def level_rows(levels: Iterable[Level]) -> list[dict[str, Any]]:
    """The levels of a collection as rows of the table in which they are edited, best first."""
    return [
        {
            "grade": level.grade,
            "name": level.name,
            "sentence": level.sentence,
            "colour": level.colour,
            "reasons": level_reasons.as_text(level.reasons),
            # a key that goes by the grade follows it when the grade is changed
            "key": level.key if level.key != str(level.grade)[:1] else "",
        }
        for level in sorted(levels, key=lambda level: -level.grade)
    ]


class ReferenceForm(forms.Form):
    """A reference set to load."""

    name = forms.CharField(max_length=ReferenceSet.MAX_NAME, initial="original")
    file = UploadField(
        label="Labels",
        help_text="TREC qrels, a table with query-id, corpus-id and score, JSON lists of "
        "positives; plain or gzipped.",
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
    columns = ColumnsField(
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


class JudgmentsImportForm(forms.Form):
    """Judgments to import, and the columns of the file."""

    LONG, WIDE = "long", "wide"

    file = UploadField(
        label="Judgments",
        help_text="CSV, TSV or JSON lines; plain or gzipped. The names of its columns are offered "
        "below; a table without a header has columns 1, 2, 3...",
        command="import_judgments",
    )
    name = forms.CharField(
        max_length=120, label="Name of the import", help_text="Such as who judged, and when."
    )
    query = forms.CharField(max_length=100, initial="query", label="Column of the query's id")
    document = forms.CharField(
        max_length=100, initial="document", label="Column of the document's id"
    )
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
        """The columns that the chosen layout needs must be named."""
        cleaned_data = super().clean() or {}
        required_fields = (
            ("annotator", "grade") if cleaned_data.get("layout") == self.LONG else ("annotators",)
        )
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
