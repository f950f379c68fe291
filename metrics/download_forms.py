"""What each kind of download may be given; what is left out has a default."""

from typing import Any

from django import forms

from annotate.core.judgment_files import FORMATS
from annotate.models import Collection, ReferenceSet
from metrics.forms import QrelsForm

FORMAT_NAMES = {"csv": "CSV, for spreadsheets", "jsonl": "JSON lines", "parquet": "Parquet"}


class PlainForm(forms.Form):
    """Nothing to choose but packing."""

    packed = forms.BooleanField(label="Pack with gzip", required=False)

    def __init__(self, data: Any = None, *, collection: Collection, **options: Any) -> None:
        self.collection = collection
        super().__init__(data, **options)


class LabelsForm(QrelsForm):
    """Which labels; for qrels, a BEIR folder and JSON alike."""


class QrelsFileForm(LabelsForm):
    """Which labels, perhaps packed; a BEIR folder is a zip already."""

    packed = forms.BooleanField(label="Pack with gzip", required=False, help_text="A BEIR folder is packed anyway.")


class JudgmentsForm(PlainForm):
    """In which format."""

    format = forms.ChoiceField(choices=[(name, FORMAT_NAMES[name]) for name in FORMATS])
    field_order = ["format", "packed"]


class StrataForm(PlainForm):
    """Which sample: a reference set that was loaded with strata, or a pool that was drawn from strata."""

    sample = forms.ChoiceField()
    field_order = ["sample", "packed"]

    def __init__(self, data: Any = None, *, collection: Collection, pools: list[str], **options: Any) -> None:
        super().__init__(data, collection=collection, **options)
        sets = ReferenceSet.objects.filter(collection=collection, labels__stratum__isnull=False)
        names = list(sets.order_by("name").values_list("name", flat=True).distinct())
        choices = [(f"reference:{name}", f"Reference set {name}") for name in names]
        choices += [(f"pool:{name}", f"Pool {name}") for name in pools]
        self.fields["sample"].choices = choices  # type: ignore[attr-defined]
        self.has_samples = bool(choices)
