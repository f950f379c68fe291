"""What people fill in about runs and pools."""

from typing import Any

from django import forms

from annotate.core.reading import LIMITS
from annotate.models import Collection, Direction
from pooling.core.run_files import FORMATS
from pooling.core.strategies import MAX_SEED, STRATEGIES, Parameter
from pooling.models import Run

MAX_NAME = Run._meta.get_field("name").max_length
ACCEPTED = "; ".join(f"{each.label}: {each.sentence}" for each in FORMATS.values())


class RunForm(forms.Form):
    """A run to upload."""

    name = forms.CharField(max_length=MAX_NAME, help_text="Stands on the leaderboard; unique in this collection.")
    direction = forms.ChoiceField(choices=Direction.choices)
    file = forms.FileField(label="File", help_text=f"Plain or gzipped. {ACCEPTED}.")
    score_type = forms.ChoiceField(
        choices=Run.ScoreType.choices,
        initial=Run.ScoreType.FLOAT32,
        required=False,
        label="Order by",
        help_text="By score as trec_eval does, ties by id; by the rank column where scores mean nothing.",
    )
    system = forms.CharField(max_length=80, required=False, help_text="What made it, such as the model's name.")
    description = forms.CharField(
        max_length=2000, required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="Paper, settings, team."
    )

    def clean_score_type(self) -> str:
        """float32 where nothing is said."""
        return self.cleaned_data["score_type"] or Run.ScoreType.FLOAT32

    def clean_file(self) -> Any:
        """A file no larger than a reader takes."""
        upload = self.cleaned_data["file"]
        if upload.size > LIMITS.unpacked:
            raise forms.ValidationError(f"The file is larger than {LIMITS.unpacked // 2**20:,} MB; gzip or split it.")
        return upload


class RunsField(forms.ModelMultipleChoiceField):
    """Runs to tick; those of the reverse direction say so."""

    def label_from_instance(self, obj: Run) -> str:
        """A run's name, and its direction where it is not the usual one."""
        return obj.name if obj.direction == Direction.FORWARD else f"{obj.name} ({obj.get_direction_display().lower()})"


class PoolForm(forms.Form):
    """A pool by one strategy, whose parameters are fields of their own."""

    name = forms.CharField(max_length=MAX_NAME)

    def __init__(self, *args: Any, collection: Collection, strategy: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.strategy = strategy
        ready = collection.runs.filter(state=Run.State.READY, retired_at=None).order_by("direction", "name")
        self.fields["runs"] = RunsField(
            queryset=ready,
            widget=forms.CheckboxSelectMultiple,
            initial=ready,
            help_text="Runs of both directions may come together; they land on the same pairs.",
        )
        for parameter in STRATEGIES[strategy].parameters:
            self.fields[parameter.name] = _number(parameter)
        self.fields["query_set"] = forms.ModelChoiceField(
            queryset=collection.query_sets.order_by("direction", "name"),
            required=False,
            empty_label="All sources",
            help_text="Only these source items.",
        )
        self.fields["seed"] = forms.IntegerField(
            min_value=0, max_value=MAX_SEED, initial=1, help_text="The same seed draws the same again."
        )

    def parameters(self) -> dict[str, float]:
        """The strategy's own fields."""
        return {each.name: self.cleaned_data[each.name] for each in STRATEGIES[self.strategy].parameters}

    def choice(self) -> dict[str, Any]:
        """What a preview and a pool are made of."""
        given = self.cleaned_data
        return {
            "strategy": self.strategy,
            "parameters": self.parameters(),
            "runs": list(given["runs"]),
            "query_set": given["query_set"],
            "seed": given["seed"],
        }


def _number(parameter: Parameter) -> forms.Field:
    field = forms.IntegerField if parameter.is_whole else forms.FloatField
    return field(
        label=parameter.label,
        min_value=parameter.low,
        max_value=parameter.high,
        initial=parameter.default,
        help_text=parameter.sentence,
    )
