"""The form of a plan, which a lead fixes before the labels are in."""

from collections.abc import Sequence
from typing import Any

from django import forms

from annotate.models import Collection, Level, QuerySet
from metrics.core.labels.label_sources import LabelSource, People, kept_with_people

MAX_ALPHA = 0.2


class PlanForm(forms.Form):
    """The terms of a plan: measure, queries, labels, test, alpha, and looks."""

    measure = forms.CharField(
        max_length=60, initial="AP", help_text="One, as ir_measures writes it."
    )
    query_set = forms.ModelChoiceField(QuerySet.objects.none(), empty_label=None)
    label_source = forms.ChoiceField()
    threshold = forms.TypedChoiceField(label="Positive from", coerce=int)
    method = forms.ChoiceField(
        label="Test",
        help_text=(
            "They hold the family-wise error where runs vary about alike. Where one varies much "
            "more than the others, randomization with Holm holds it best."
        ),
    )
    alpha = forms.FloatField(
        initial=0.05,
        min_value=0.001,
        max_value=MAX_ALPHA,
        help_text="For all planned tests together.",
    )
    looks = forms.CharField(
        label="Planned tests at",
        max_length=100,
        initial="25 50 75 100",
        help_text=(
            "Per cent of the pairs wanted now. Pairs that nobody can judge would keep a test at "
            "100 away."
        ),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        collection: Collection,
        set_names: Sequence[str],
        methods: list[tuple[str, str]],
    ) -> None:
        super().__init__(data)
        sources = dict.fromkeys([*kept_with_people(set_names), LabelSource.of(People.ONLY, [])])
        levels = Level.objects.filter(collection=collection, grade__gt=0).order_by("grade")
        fields: dict[str, Any] = self.fields
        fields["query_set"].queryset = QuerySet.objects.filter(collection=collection).order_by(
            "name", "direction"
        )
        fields["query_set"].label_from_instance = lambda row: (
            f"{row.name}, {row.get_direction_display().lower()}"
        )
        fields["label_source"].choices = [(source.key, source.label) for source in sources]
        fields["method"].choices = methods
        fields["threshold"].choices = [
            (level.grade, f"{level.grade}: {level.name}") for level in levels
        ]
        fields["threshold"].initial = collection.positive_from

    def clean_looks(self) -> list[float]:
        """Parse the looks as shares in per cent, ascending."""
        try:
            shares = [float(word) for word in self.cleaned_data["looks"].replace(",", " ").split()]
        except ValueError:
            shares = []
        if not shares or shares != sorted(set(shares)) or not 0 < shares[0] <= shares[-1] <= 100:
            raise forms.ValidationError(
                "Numbers above 0 up to 100 that go up, with a blank between two."
            )
        return shares
