"""Forms about pools."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict

from annotate.core.phrases import enumeration
from annotate.models import Collection, Direction, QuerySet, QuerySetItem, Side
from pooling.core.strategies.options import OPTIONS
from pooling.core.strategies.parameters import ChoiceParameter, NumberParameter, Parameter
from pooling.core.strategies.strategies import MAX_SEED, STRATEGIES
from pooling.models import Pool, Run

MAX_LIST = 250_000  # characters of a list of queries
MAX_NAME = Pool._meta.get_field("name").max_length


class PoolChoice(NamedTuple):
    """The choices for a pool and its preview; only : keys of source items, empty for all."""

    strategy: str
    parameters: dict[str, object]
    runs: Sequence[Run]
    query_set: QuerySet | None
    seed: int
    only: Sequence[int] = ()


def direction_of(runs: Sequence[Run], query_set: QuerySet | None) -> Direction:
    """The direction of listed queries: of the query set, else of the first run."""
    if query_set is not None:
        return Direction(query_set.direction)
    return Direction(runs[0].direction) if runs else Direction.FORWARD


class RunsField(forms.ModelMultipleChoiceField):
    """Runs to tick; templates/parts/_run_choice.html draws them."""

    def label_from_instance(self, obj: Run) -> str:
        """The label of a run in all choices of runs."""
        return obj.choice_label


class QuerySetField(forms.ModelChoiceField):
    """A query set to choose, with its direction."""

    def label_from_instance(self, obj: QuerySet) -> str:
        """Its name and direction."""
        return f"{obj.name} ({obj.get_direction_display().lower()})"


class PoolForm(forms.Form):
    """A pool by one strategy: a field for each of its parameters and for the options of all."""

    name = forms.CharField(max_length=MAX_NAME)

    def __init__(self, *args: Any, collection: Collection, strategy: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.strategy, self.collection = strategy, collection
        self.fields["name"].initial = _free_name(collection)
        plan = STRATEGIES[strategy]
        ready = collection.runs.published().in_use().order_by("direction", "name")
        self.ready = list(ready)
        # with both directions ticked, no query set would fit
        initial_runs = [run for run in self.ready if run.direction == self.ready[0].direction]
        self.fields["runs"] = RunsField(
            queryset=ready,
            required=plan.needs_runs,
            widget=forms.CheckboxSelectMultiple,
            initial=initial_runs,
            help_text="Runs of both directions may come together; they land on the same pairs.",
        )
        for parameter in plan.parameters:
            self.fields[parameter.name] = _field(parameter)
        self.fields["query_set"] = QuerySetField(
            queryset=collection.query_sets.order_by("direction", "name"),
            required=plan.needs_query_set,
            empty_label="Choose one" if plan.needs_query_set else "All queries",
            help_text="Only these queries; of runs from documents to queries, these documents.",
        )
        self.fields["only"] = forms.CharField(
            label="Only these queries",
            max_length=MAX_LIST,
            required=False,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=_ONLY,
        )
        self.fields["seed"] = forms.IntegerField(
            min_value=0,
            max_value=MAX_SEED,
            initial=1,
            required=False,
            help_text="The same seed draws the same again.",
        )
        for parameter in OPTIONS:
            self.fields[parameter.name] = _field(parameter, is_required=False)
        sets = collection.reference_sets.usual().order_by("name").values_list("name", "name")
        of_set = {"": "Nothing", **dict(sets)}
        self.fields["trusted"] = _choice(
            ChoiceParameter("trusted", "Leave out what is labelled in", of_set, "", _TRUSTED)
        )
        self.options = [option.name for option in OPTIONS]
        self.on_hold = list(collection.runs.published().on_hold().order_by("name"))

    def clean_seed(self) -> int:
        """The seed; 1 by default."""
        return 1 if self.cleaned_data["seed"] is None else self.cleaned_data["seed"]

    def clean(self) -> dict[str, Any]:
        """The keys of the listed queries in place of their ids; each must be there."""
        fields = super().clean() or self.cleaned_data
        lines = fields.get("only", "").splitlines()
        names = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
        query_set, runs = fields.get("query_set"), list(fields.get("runs") or ())
        if not names or "query_set" in self.errors:
            return fields | {"only": []}
        if query_set is None and len({run.direction for run in runs}) > 1:
            self.add_error("only", "They are of one direction: leave out the runs of the other.")
        direction = direction_of(runs, query_set)
        side = Side.QUERY if direction == Direction.FORWARD else Side.DOCUMENT
        items = self.collection.items.filter(side=side, split="test")
        if query_set is not None:
            sources = query_set.members.filter(part=QuerySetItem.Part.SOURCE)
            items = items.filter(pk__in=sources.values("item"))
        keys = dict(items.filter(external_id__in=names).values_list("external_id", "pk"))
        if unknown := [name for name in names if name not in keys]:
            owner = f"query set “{query_set}”" if query_set else "collection"
            self.add_error("only", f"The {owner} has no {side.label.lower()} “{unknown[0][:60]}”.")
        fields["only"] = [keys[name] for name in names if name in keys]
        return fields

    def choice(self) -> PoolChoice:
        """The choices; call it when the form is valid."""
        cleaned_fields = self.cleaned_data
        parameters = {
            parameter.name: cleaned_fields[parameter.name]
            for parameter in STRATEGIES[self.strategy].parameters
        }
        for parameter in OPTIONS:
            if cleaned_fields[parameter.name] not in (None, ""):
                parameters[parameter.name] = cleaned_fields[parameter.name]
        return PoolChoice(
            self.strategy,
            parameters,
            list(cleaned_fields["runs"]),
            cleaned_fields["query_set"],
            cleaned_fields["seed"],
            cleaned_fields["only"],
        )

    @property
    def faults(self) -> list[str]:
        """The faults of its fields, each after the label of its field, and those of the whole."""
        return [
            f"{self[name].label}: {fault}" if name in self.fields else str(fault)
            for name, faults in self.errors.items()
            for fault in faults
        ]

    @property
    def hidden_fields_html(self) -> list[str]:
        """All fields as they are first filled in, to be sent unseen."""
        return [field.as_hidden() for field in self if field.value() not in (None, "", [])]

    @property
    def first_runs_text(self) -> str:
        """The runs that are ticked at first, by their names."""
        return enumeration([run.name for run in self.chosen_runs])

    @property
    def chosen_runs(self) -> list[Run]:
        """The runs that are ticked, or named by the address."""
        keys = {
            str(getattr(run_or_key, "pk", run_or_key)) for run_or_key in self["runs"].value() or ()
        }
        return [run for run in self.ready if str(run.pk) in keys]

    @property
    def main_fields(self) -> list[forms.BoundField]:
        """The fields that every pool needs."""
        return [field for field in self.visible_fields() if field.name not in self.options]

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """The fields that may keep their defaults."""
        return [self[name] for name in self.options]

    @property
    def has_options(self) -> bool:
        """True if any option is set or invalid, so that the options should be shown."""
        return any(
            name in self.errors
            or self[name].value() not in (None, "", _DEFAULTS[name], str(_DEFAULTS[name]))
            for name in self.options
        )


def prefilled(*, collection: Collection, query: QueryDict) -> dict[str, object]:
    """Initial values of the fields: those in the address, and the pay rate of the last pool."""
    last = collection.pools.filter(parameters__has_key="rate").order_by("pk").last()
    last_rate = (
        {name: last.parameters[name] for name in ("rate", "currency") if name in last.parameters}
        if last
        else {}
    )
    runs = [int(key) for key in query.getlist("runs") if key.isdecimal() and len(key) < 19]
    return (
        last_rate
        | {name: query[name] for name in query if name != "runs"}
        | ({"runs": runs} if runs else {})
    )


def _free_name(collection: Collection) -> str:
    """A name that no pool of the collection has: Pool 1, or the next number."""
    names = set(collection.pools.values_list("name", flat=True))
    return next(name for number in count(1) if (name := f"Pool {number}") not in names)


_ONLY = (
    "Ids, one a line: of the query set, if one is chosen. They become a query set of the name of "
    "the pool."
)
_TRUSTED = (
    "Pairs whose label in this reference set is trusted; a share of them may stay as a check."
)
_DEFAULTS: Mapping[str, object] = {option.name: option.default for option in OPTIONS}


def _field(parameter: Parameter, *, is_required: bool = True) -> forms.Field:
    if isinstance(parameter, ChoiceParameter):
        return _choice(parameter)
    if not isinstance(parameter, NumberParameter):
        return forms.CharField(
            label=parameter.label,
            max_length=parameter.length,
            initial=parameter.default,
            required=False,
            help_text=parameter.sentence,
        )
    if parameter.is_whole:
        return forms.IntegerField(
            label=parameter.label,
            min_value=int(parameter.low),
            max_value=int(parameter.high),
            initial=parameter.default,
            required=is_required,
            help_text=parameter.sentence,
        )
    return forms.FloatField(
        label=parameter.label,
        min_value=parameter.low,
        max_value=parameter.high,
        initial=parameter.default,
        required=is_required,
        help_text=parameter.sentence,
    )


def _choice(parameter: ChoiceParameter) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=parameter.label,
        choices=list(parameter.choices.items()),
        initial=parameter.default,
        required="" not in parameter.choices,
        help_text=parameter.sentence,
    )
