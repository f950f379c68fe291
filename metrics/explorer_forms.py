"""The address of a page of the explorer, checked."""

from typing import Any

from django import forms
from django.http import QueryDict

from annotate.access import Person
from annotate.models import Collection, Direction, QuerySet, ReferenceSet
from metrics.core.label_sources import LabelSource, kept_with_people, usual_source
from metrics.explorer_state import DEPTHS, MAX_RUNS, Asked, Order, Show
from pooling.models import Run

EVERYTHING = "all"


class ExplorerForm(forms.Form):
    """Which query, which runs, how deep; what is left out has a default, so that the bare address works.

    viewer : who looks: other people's hidden runs cannot be asked for
    measures : the names of the measures that queries can be ordered by
    """

    direction = forms.ChoiceField(choices=Direction.choices)
    queries = forms.ChoiceField(label="Query set")
    labels = forms.ChoiceField(label="Label source")
    run = forms.TypedMultipleChoiceField(coerce=int, label="Runs", widget=forms.CheckboxSelectMultiple, required=False)
    depth = forms.TypedChoiceField(coerce=int, choices=[(depth, f"Top {depth}") for depth in DEPTHS], label="Depth")
    show = forms.ChoiceField(choices=Show.choices)
    measure = forms.ChoiceField(help_text="Of what people's labels gain.")
    order = forms.ChoiceField(choices=Order.choices)
    seed = forms.IntegerField(min_value=0, max_value=2**32 - 1)
    q = forms.CharField(max_length=255, required=False, strip=False)
    search = forms.CharField(max_length=200, required=False)

    def __init__(self, data: QueryDict, *, collection: Collection, viewer: Person, measures: list[str]) -> None:
        self.collection = collection
        self.way = Direction.REVERSE if data.get("direction") == Direction.REVERSE else Direction.FORWARD
        self.references = {row.name: row for row in ReferenceSet.objects.filter(collection=collection).order_by("pk")}
        sets = QuerySet.objects.filter(collection=collection, direction=self.way)
        self.query_sets = {row.name: row for row in sets.order_by("pk")}
        seen = Run.objects.visible_to(viewer).in_use().filter(collection=collection, direction=self.way)
        self.runs = list(seen.order_by("name", "pk"))
        super().__init__(self._filled(data))
        self._offer("queries", [(name, name) for name in self.query_sets])
        sources = kept_with_people(list(self.references))
        self._offer("labels", [(source.key, source.label) for source in sources])
        shown = ", ".join(source.key.replace("%", "%%") for source in sources)
        self.fields["labels"].error_messages["invalid_choice"] = (
            f'Label source "%(value).60s" is not shown here; the explorer shows {shown}.'
        )
        self._offer("measure", [(name, name) for name in measures])
        self._offer("run", [(str(run.pk), run.name) for run in self.runs])

    def asked(self) -> Asked:
        """What a valid form asks for."""
        given = self.cleaned_data
        source = LabelSource.parse(given["labels"])
        chosen = [run for run in self.runs if run.pk in given["run"]]
        return Asked(
            direction=self.way,
            query_set=self.query_sets.get(given["queries"]),
            label_source=source,
            reference_set=next((self.references[name] for name in source.sets), None),
            offered=self.runs,
            runs=chosen or self.runs[:MAX_RUNS],
            depth=given["depth"],
            show=Show(given["show"]),
            order=Order(given["order"]),
            measure=given["measure"],
            seed=given["seed"],
            query=given["q"],
            search=given["search"].strip(),
        )

    def _filled(self, data: QueryDict) -> dict[str, Any]:
        sets = list(self.query_sets)
        defaults = {
            "direction": self.way.value,
            "queries": EVERYTHING if EVERYTHING in sets else next(iter(sets), ""),
            "labels": usual_source(list(self.references)).key,
            "depth": "10",
            "show": Show.ALL.value,
            "measure": "AP",
            "order": Order.LOADED.value,
            "seed": "0",
        }
        given = {name: value for name, value in data.items() if value and name != "run"}
        return defaults | given | {"run": data.getlist("run")}

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        """Let a name be chosen where there is one."""
        field = self.fields[name]
        field.choices = choices  # type: ignore[attr-defined]
        field.required = field.required and bool(choices)
