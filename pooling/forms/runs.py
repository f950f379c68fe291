"""Forms about runs, and the filter of a pool's pairs."""

from pathlib import PurePath
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotate.core.labels.pair_states import PairState
from annotate.forms.fields import TO_THE_LETTER, ColumnsField, UploadField
from annotate.models import Direction
from pooling.core.files.papers import paper_address
from pooling.core.files.run_files import FORMATS
from pooling.models import Pool, Run
from pooling.pair_filter import PairFilter

MAX_TAGS = 10
MAX_TAG = 30
MAX_NAME = Run._meta.get_field("name").max_length
ACCEPTED = "; ".join(
    f"{run_format.label}: {run_format.sentence}" for run_format in FORMATS.values()
)


class DescriptionForm(forms.Form):
    """The name and description of a run."""

    name = forms.CharField(
        max_length=MAX_NAME, help_text="Shown on the leaderboard; unique in this collection."
    )
    system = forms.CharField(
        max_length=80, required=False, help_text="What made it, such as the model's name."
    )
    team = forms.CharField(max_length=80, required=False, help_text="Who made it.")
    paper = forms.CharField(
        max_length=300, required=False, help_text="An address, or a DOI such as 10.1145/582415."
    )
    tags = forms.CharField(
        max_length=200, required=False, help_text="Up to 10 words, with commas between them."
    )
    description = forms.CharField(
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Settings, training data.",
    )

    def clean_paper(self) -> str:
        """The paper's address."""
        try:
            return paper_address(self.cleaned_data["paper"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_tags(self) -> list[str]:
        """Each tag once, in the order given."""
        tags = list(
            dict.fromkeys(
                filter(None, (tag.strip() for tag in self.cleaned_data["tags"].split(",")))
            )
        )
        if len(tags) > MAX_TAGS or any(len(tag) > MAX_TAG for tag in tags):
            raise forms.ValidationError(
                f"There are at most {MAX_TAGS} tags of at most {MAX_TAG} characters."
            )
        return tags


class RunReadingForm(forms.Form):
    """The fields by which the file of a run is read."""

    direction = forms.ChoiceField(choices=Direction.choices)
    score_type = forms.ChoiceField(
        choices=Run.ScoreType.choices,
        initial=Run.ScoreType.FLOAT32,
        required=False,
        label="Order by",
        help_text=(
            "By score as trec_eval does, ties by id; by the rank column where scores mean nothing."
        ),
    )
    columns = ColumnsField(
        required_columns=("query", "document"),
        one_of=("score", "rank"),
        example='query:1, document:2, score:3" or "query:1, document:2, rank:3',
    )

    def clean_score_type(self) -> str:
        """The score type; float32 by default."""
        return self.cleaned_data["score_type"] or Run.ScoreType.FLOAT32


class RunForm(DescriptionForm, RunReadingForm):
    """A run to upload."""

    file = UploadField(label="File", help_text=f"Plain or gzipped. {ACCEPTED}.", command="load_run")
    is_hidden = forms.BooleanField(
        required=False,
        label="Hide it until I publish it",
        help_text="Only you and the site's admins know of it; it is scored, and cannot be pooled.",
    )
    may_be_published = forms.BooleanField(
        required=False,
        label="May be published under its name, with its file",
        help_text=(
            "Else a release calls it run-01, or the like, and leaves its file out. Only you decide "
            "that, and may change it at any time."
        ),
    )
    field_order = ("name", "direction", "file", "columns", "score_type")


class FilesInput(forms.ClearableFileInput):
    """A choice of several files."""

    allow_multiple_selected = True


class FilesField(UploadField):
    """Several files, each up to the site's size limit."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Return the files, at least one."""
        return [super(FilesField, self).clean(upload, initial) for upload in data or [None]]


class RunsForm(RunForm):
    """Runs to upload together: what is said of them holds for each."""

    name = forms.CharField(
        max_length=MAX_NAME,
        required=False,
        help_text="Of one file, unique here; empty: the file's. Several take their files' names.",
    )
    file = FilesField(
        label="Files",
        help_text=f"One or several, plain or gzipped. {ACCEPTED}.",
        command="load_run",
    )
    MAIN = ("file", "direction", "name", "is_hidden", "may_be_published")
    FOLDED = (
        ("Columns and order", ("columns", "score_type")),
        ("About the system", ("system", "team", "paper", "tags", "description")),
    )

    def main_fields(self) -> list[forms.BoundField]:
        """The fields that most uploads need."""
        return [self[name] for name in self.MAIN]

    def folded_fields(self) -> list[tuple[str, list[forms.BoundField], bool]]:
        """The other fields under their headings, each with True if one of them is refused."""
        return [
            (heading, [self[name] for name in names], any(name in self.errors for name in names))
            for heading, names in self.FOLDED
        ]

    def clean(self) -> dict[str, Any]:
        """One name is not for several files."""
        cleaned_data = super().clean() or self.cleaned_data
        if cleaned_data.get("name") and len(cleaned_data.get("file", ())) > 1:
            self.add_error("name", "Leave it empty: several files take the names of their own.")
        return cleaned_data

    def uploads(self) -> list[tuple[str, UploadedFile]]:
        """The files, each with the name of its run."""
        name, uploads = self.cleaned_data["name"], self.cleaned_data["file"]
        return [(name or name_of_file(upload.name or ""), upload) for upload in uploads]

    def shared_fields(self) -> dict[str, Any]:
        """The fields that hold for all of the runs."""
        return {
            field: value
            for field, value in self.cleaned_data.items()
            if field not in {"name", "file"}
        }


def name_of_file(file_name: str) -> str:
    """The name of a run by that of its file, without the endings: bm25 of "bm25.run.gz"."""
    return PurePath(file_name.removesuffix(".gz")).stem[:MAX_NAME]


class LimitForm(forms.Form):
    """The share of unknown rows above which runs are put on hold."""

    per_cent = forms.FloatField(
        label="Unknown rows above which a run asks before it is used, in per cent",
        min_value=0,
        max_value=100,
    )


class PoolPairsForm(forms.Form):
    """The filter of a pool's pairs."""

    state = forms.ChoiceField(
        choices=[("", "All pairs"), *((state.value, state.page_name) for state in PairState)],
        required=False,
    )
    query = forms.CharField(
        max_length=255,
        required=False,
        label="Query id",
        widget=forms.TextInput(attrs=TO_THE_LETTER),
    )
    after = forms.IntegerField(
        min_value=0, max_value=2**63 - 1, required=False, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        runs = pool.runs.published().order_by("direction", "name")
        self.fields["run"] = forms.ModelChoiceField(
            runs, required=False, empty_label="All runs", label="Brought by"
        )

    def pair_filter(self) -> PairFilter:
        """The filter; call it when the form is valid."""
        cleaned_fields = self.cleaned_data
        return PairFilter(
            cleaned_fields["state"],
            cleaned_fields["run"],
            cleaned_fields["query"],
            cleaned_fields["after"] or 0,
        )
