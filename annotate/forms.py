"""What people fill in to make collections and to load files."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotate.core import shortcomings
from annotate.core.formats import name_fault
from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import Collection, Level, ReferenceSet

MEGABYTE = 1024 * 1024
# for ids and names that count to the letter: no phone capitalises or corrects them
TO_THE_LETTER = {"autocapitalize": "none", "autocorrect": "off", "spellcheck": "false"}
LEVEL_ROWS = 7  # as many as the table has room for; how many a scheme may have is the service's business


class UploadField(forms.FileField):
    """A file up to the size that the site takes; its browser is told the limit, so that nobody sends in vain."""

    def __init__(self, *, command: str, help_text: str, **options: Any) -> None:
        limit = settings.UPLOAD_MAX_BYTES // MEGABYTE
        super().__init__(help_text=f"{help_text} Up to {limit:,} MB.", **options)
        self.command = command

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """What file-drop.js looks for."""
        return {**super().widget_attrs(widget), "data-max-bytes": settings.UPLOAD_MAX_BYTES}

    def clean(self, data: Any, initial: Any = None) -> Any:
        """The file; an error that names the command for larger ones."""
        upload = super().clean(data, initial)
        if isinstance(upload, UploadedFile) and (upload.size or 0) > settings.UPLOAD_MAX_BYTES:
            limit = settings.UPLOAD_MAX_BYTES // MEGABYTE
            raise forms.ValidationError(
                f"The file is larger than {limit:,} MB; load it on the server: python3 manage.py {self.command}."
            )
        return upload


class GradesField(forms.CharField):
    """Which grades a file's words or numbers mean, as "yes:1, no:0"."""

    def to_python(self, value: Any) -> dict[str, int]:  # type: ignore[override]
        """The grades by what the file says."""
        found = {}
        for entry in filter(str.strip, (super().to_python(value) or "").split(",")):
            said, colon, grade = entry.rpartition(":")
            if not colon or not said.strip() or not grade.strip().isdecimal():
                raise forms.ValidationError(f'Write grades as "yes:1, no:0", not as "{entry.strip()}".')
            if said.strip() in found:
                raise forms.ValidationError(f'"{said.strip()}" stands twice; say it once.', code="twice")
            found[said.strip()] = int(grade)
        return found


class ColumnsField(GradesField):
    """The columns of a table without a header by their numbers, as "query:1, document:3, grade:4".

    needed, others : names of columns; `one_of` : of these at least one is needed
    """

    def __init__(
        self, *, needed: Sequence[str], others: Sequence[str] = (), one_of: Sequence[str] = (), example: str
    ) -> None:
        super().__init__(
            required=False,
            max_length=200,
            label="Columns of a table without a header",
            help_text=f'Their numbers, as "{example}". Empty: the file says itself what is where.',
        )
        self.needed, self.one_of, self.known = needed, one_of, (*needed, *one_of, *others)

    def to_python(self, value: Any) -> dict[str, int]:
        """The numbers by the columns' names, from 1; an error that says what is missing or stands twice."""
        try:
            found = super().to_python(value)
        except forms.ValidationError as error:
            if error.code == "twice":
                raise
            known = ", ".join(self.known)
            raise forms.ValidationError(f'Write columns as "{self.known[0]}:1": {known}, each a number.') from error
        if fault := self._fault(found):
            raise forms.ValidationError(fault)
        return found

    def _fault(self, found: dict[str, int]) -> str:
        if strange := [name for name in found if name not in self.known]:
            return f'There is no "{strange[0]}" to be in a column; known are {", ".join(self.known)}.'
        if found and (missing := [name for name in self.needed if name not in found]):
            return f"Which column holds the {missing[0]}?"
        if found and self.one_of and not set(self.one_of) & set(found):
            return f"Which column holds the {' or the '.join(self.one_of)}?"
        if 0 in found.values() or len(set(found.values())) < len(found):
            return "Columns are counted from 1, and no two are the same."
        return ""


class ReasonsField(forms.CharField):
    """The reasons of a level as annotate.core.shortcomings reads them; clean, they are as a level keeps them."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 1, "class": "one-line"})
        super().__init__(max_length=1000, required=False, widget=widget, **options)

    def clean(self, value: Any) -> list[shortcomings.Stored]:
        """The reasons; an error that says what cannot be offered."""
        found = shortcomings.typed(super().clean(value) or "")
        if wrong := shortcomings.fault(found):
            raise forms.ValidationError(f"It {wrong}.")
        return shortcomings.kept(found)


def items_field(**options: Any) -> UploadField:
    """The file of a collection's items."""
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
    """The media that the file of items names, packed apart from it."""
    return UploadField(
        label="Media",
        help_text="A zip of the images, clips and sounds that the items name, if they are not in the file's own zip.",
        command="load_collection --media",
        required=False,
    )


class ItemsForm(forms.Form):
    """Items for a collection there is."""

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
        given = super().clean() or {}
        if given.get("media") and not given.get("file") and "file" not in self.errors:
            self.add_error("file", "Give the file of items that names these media too.")
        return given


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
        """Two levels to begin with, and room for all there may be."""
        return cls(initial=[*cls.FIRST, *({} for _ in range(LEVEL_ROWS - len(cls.FIRST)))], prefix="levels")

    def rows(self) -> list[dict[str, Any]]:
        """The rows that have a name."""
        named = [row for row in self.cleaned_data if row.get("name")]
        return [{**row, "colour": row["colour"] or Level.Colour.SLATE} for row in named]


class Checkbox(forms.CheckboxInput):
    """A box to tick; from programs "0", "no", "off" and "false" are no tick."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> bool:
        """Whether it is ticked."""
        return str(data.get(name) or "").strip().lower() not in ("", "0", "no", "off", "false", "none")


class SkipBlankField(forms.BooleanField):
    """Whether rows without a grade may be left out; where says of which files."""

    widget = Checkbox

    def __init__(self, where: str) -> None:
        super().__init__(
            required=False,
            label="Leave out rows without a grade",
            help_text=f"Blank, “NA” and the like. They are counted; otherwise they are faults. {where}",
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
        needed=("query", "document", "grade"), others=("stratum",), example="query:1, document:2, grade:3"
    )

    def clean_name(self) -> str:
        """A name that can stand in a file."""
        name: str = self.cleaned_data["name"]
        if fault := name_fault(name, longest=ReferenceSet.MAX_NAME):
            raise forms.ValidationError(f"A reference set's name {fault}.")
        return name

    def clean_min_grade(self) -> int:
        """Nothing is left out where nothing is said."""
        return self.cleaned_data["min_grade"] or 0

    def clean_grades(self) -> dict[int, int]:
        """Both sides of the map are numbers here."""
        grades = self.cleaned_data["grades"]
        if not all(said.isdecimal() for said in grades):
            raise forms.ValidationError("The grades of a reference file are whole numbers.")
        return {int(said): grade for said, grade in grades.items()}


class JudgmentsForm(forms.Form):
    """Judgments to import, and which columns say what."""

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
        given = super().clean() or {}
        needed = ("annotator", "grade") if given.get("layout") == self.LONG else ("annotators",)
        for field in needed:
            if not given.get(field):
                self.add_error(field, "Name it, or choose the other layout.")
        if given.get("query") and given.get("query") == given.get("document"):
            self.add_error("document", "The query's id stands in this column; a pair has two.")
        return given

    def columns(self) -> JudgmentColumns:
        """What to read the file by."""
        given = self.cleaned_data
        wide = given["layout"] == self.WIDE
        people = tuple(name.strip() for name in given["annotators"].split(",") if name.strip()) if wide else ()
        return JudgmentColumns(
            query=given["query"],
            document=given["document"],
            annotator=given["annotator"],
            grade=given["grade"],
            annotators=people,
            time=given["time"],
            grades=given["grades"],
        )
