"""Validation of the explorer's address."""

from typing import Any

from django import forms
from django.http import QueryDict

from annotate.access import Person
from annotate.forms.fields import set_choices
from annotate.models import Collection, Direction, QuerySet, ReferenceSet
from metrics.core.labels.label_sources import LabelSource, kept_with_people, usual_source
from metrics.explorer_state import DEPTHS, MAX_RUNS, ExplorerState, QueryOrder, ResultFilter
from pooling.models import Run

DEFAULT_QUERY_SET = "all"


class ExplorerForm(forms.Form):
    """Choice of query, runs and depth; the bare address works, as missing parameters have defaults.

    viewer : the person who looks; other people's hidden runs cannot be chosen
    measures : names of the measures by which queries can be ordered
    """

    direction = forms.ChoiceField(choices=Direction.choices)
    queries = forms.ChoiceField(label="Query set")
    labels = forms.ChoiceField(label="Label source")
    run = forms.TypedMultipleChoiceField(
        coerce=int, label="Runs", widget=forms.CheckboxSelectMultiple, required=False
    )
    depth = forms.TypedChoiceField(
        coerce=int, choices=[(depth, f"Top {depth}") for depth in DEPTHS], label="Depth"
    )
    show = forms.ChoiceField(choices=ResultFilter.choices)
    measure = forms.ChoiceField(help_text="Of what people's labels gain.")
    order = forms.ChoiceField(choices=QueryOrder.choices)
    seed = forms.IntegerField(min_value=0, max_value=2**32 - 1)
    q = forms.CharField(max_length=255, required=False, strip=False)
    search = forms.CharField(max_length=200, required=False)
    truth = forms.BooleanField(label="Show the known truth of each pair", required=False)

    def __init__(
        self, data: QueryDict, *, collection: Collection, viewer: Person, measures: list[str]
    ) -> None:
        self.collection = collection
        self.chosen_direction = (
            Direction.REVERSE if data.get("direction") == Direction.REVERSE else Direction.FORWARD
        )
        sets_by_age = ReferenceSet.objects.filter(collection=collection).order_by("pk")
        self.references = {row.name: row for row in sets_by_age.usual()}
        self.truth_set = sets_by_age.known_truth().first() if collection.is_rehearsal else None
        sets = QuerySet.objects.filter(collection=collection, direction=self.chosen_direction)
        self.query_sets = {row.name: row for row in sets.order_by("pk")}
        visible_runs = (
            Run.objects.visible_to(viewer)
            .in_use()
            .filter(collection=collection, direction=self.chosen_direction)
        )
        self.runs = list(visible_runs.order_by("name", "pk"))
        super().__init__(self._filled(data))
        self._offer("queries", [(name, name) for name in self.query_sets])
        sources = kept_with_people(list(self.references))
        self._offer("labels", [(source.key, source.label) for source in sources])
        source_keys = ", ".join(source.key.replace("%", "%%") for source in sources)
        self.fields["labels"].error_messages["invalid_choice"] = (
            f'Label source "%(value).60s" is not shown here; the explorer shows {source_keys}.'
        )
        self._offer("measure", [(name, name) for name in measures])
        self._offer("run", [(str(run.pk), run.name) for run in self.runs])

    def state(self) -> ExplorerState:
        """The state that a valid form describes."""
        cleaned = self.cleaned_data
        label_source = LabelSource.parse(cleaned["labels"])
        chosen_runs = [run for run in self.runs if run.pk in cleaned["run"]]
        return ExplorerState(
            direction=self.chosen_direction,
            query_set=self.query_sets.get(cleaned["queries"]),
            label_source=label_source,
            reference_set=next((self.references[name] for name in label_source.sets), None),
            available_runs=self.runs,
            runs=chosen_runs or self.runs[:MAX_RUNS],
            depth=cleaned["depth"],
            result_filter=ResultFilter(cleaned["show"]),
            order=QueryOrder(cleaned["order"]),
            measure=cleaned["measure"],
            seed=cleaned["seed"],
            query_id=cleaned["q"],
            search=cleaned["search"].strip(),
            truth_set=self.truth_set if cleaned["truth"] else None,
        )

    def choice_fields(self) -> list[forms.BoundField]:
        """The fields beside the runs; query set and label source only if there is a choice."""
        names = [
            "queries" if len(self.query_sets) > 1 else "",
            "labels" if len(self.references) > 1 else "",
            "depth",
            "show",
            "measure",
        ]
        return [self[name] for name in names if name]

    def _filled(self, data: QueryDict) -> dict[str, Any]:
        set_names = list(self.query_sets)
        defaults = {
            "direction": self.chosen_direction.value,
            "queries": DEFAULT_QUERY_SET
            if DEFAULT_QUERY_SET in set_names
            else next(iter(set_names), ""),
            "labels": usual_source(list(self.references)).key,
            "depth": "10",
            "show": ResultFilter.ALL.value,
            "measure": "AP",
            "order": QueryOrder.LOADED.value,
            "seed": "0",
        }
        submitted = {name: value for name, value in data.items() if value and name != "run"}
        return defaults | submitted | {"run": data.getlist("run")}

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        """Set the choices of a field; a field without choices is not required."""
        set_choices(self, name, choices)
        field = self.fields[name]
        field.required = field.required and bool(choices)
