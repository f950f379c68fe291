"""Forms of the parameters of each kind of download; missing parameters have defaults."""

from typing import Any

from django import forms

from annotate.core.files.judgments.judgment_exports import FORMATS
from annotate.forms.fields import set_choices
from annotate.models import Collection, QuerySet, ReferenceSet
from metrics.forms.qrels import QrelsForm
from pooling.models import Run

FORMAT_NAMES = {"csv": "CSV, for spreadsheets", "jsonl": "JSON lines", "parquet": "Parquet"}


class PlainForm(forms.Form):
    """A form without choices but packing."""

    packed = forms.BooleanField(label="Pack with gzip", required=False)

    def __init__(self, data: Any = None, *, collection: Collection, **options: Any) -> None:
        self.collection = collection
        super().__init__(data, **options)


class LabelsForm(QrelsForm):
    """Choice of labels, for qrels, a BEIR folder and JSON alike."""


class QrelsFileForm(LabelsForm):
    """Choice of labels and packing; a BEIR folder is a zip already."""

    packed = forms.BooleanField(
        label="Pack with gzip", required=False, help_text="A BEIR folder is packed anyway."
    )


class JudgmentsFileForm(PlainForm):
    """Choice of the format."""

    format = forms.ChoiceField(choices=[(name, FORMAT_NAMES[name]) for name in FORMATS])
    field_order = ["format", "packed"]


class StrataForm(PlainForm):
    """Choice of the sample: a reference set loaded with strata, or a pool drawn from strata."""

    sample = forms.ChoiceField()
    field_order = ["sample", "packed"]

    def __init__(
        self, data: Any = None, *, collection: Collection, pools: list[str], **options: Any
    ) -> None:
        super().__init__(data, collection=collection, **options)
        sets = ReferenceSet.objects.filter(collection=collection, labels__stratum__isnull=False)
        names = list(sets.order_by("name").values_list("name", flat=True).distinct())
        choices = [(f"reference:{name}", f"Reference set {name}") for name in names]
        choices += [(f"pool:{name}", f"Pool {name}") for name in pools]
        set_choices(self, "sample", choices)
        self.has_samples = bool(choices)


class RunFileForm(PlainForm):
    """Choice of the run and the query set."""

    run = forms.ChoiceField()
    queries = forms.ChoiceField(label="Query set")
    field_order = ["run", "queries", "packed"]

    def __init__(self, data: Any = None, *, collection: Collection, **options: Any) -> None:
        super().__init__(data, collection=collection, **options)
        runs = (
            Run.objects.published()
            .in_use()
            .filter(collection=collection)
            .order_by("direction", "name")
        )
        self.runs = {str(run.pk): run for run in runs}
        sets = QuerySet.objects.filter(collection=collection).order_by("direction", "name")
        self.query_sets = {str(row.pk): row for row in sets}
        set_choices(
            self,
            "run",
            [(key, _choice_text(run, run.doubts_text)) for key, run in self.runs.items()],
        )
        set_choices(
            self, "queries", [(key, _choice_text(row)) for key, row in self.query_sets.items()]
        )
        self.has_runs = bool(self.runs and self.query_sets)

    def clean(self) -> dict[str, Any]:
        """Check that the query set has the run's direction."""
        cleaned: dict[str, Any] = super().clean() or {}
        run = self.runs.get(cleaned.get("run", ""))
        queries = self.query_sets.get(cleaned.get("queries", ""))
        if run and queries and run.direction != queries.direction:
            message = (
                f'Query set "{queries.name}" goes the other way than run "{run}"; choose another.'
            )
            self.add_error("queries", message)
        return cleaned

    def run_and_query_set(self) -> tuple[Run, QuerySet]:
        """The run and the query set of a valid form."""
        return self.runs[self.cleaned_data["run"]], self.query_sets[self.cleaned_data["queries"]]


def _choice_text(row: Run | QuerySet, doubts: str = "") -> str:
    """The name of a run or query set with its direction, and what is doubtful about it."""
    direction = row.get_direction_display().lower()
    return f"{row.name} ({direction}, {doubts})" if doubts else f"{row.name} ({direction})"
