"""Which qrels somebody wants, from a page or a program."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotate.models import Collection, Direction, QuerySet, ReferenceSet
from metrics.core.label_sources import AskedSource, LabelSource, UnknownLabelSource, people_parts, usual_source
from metrics.http import Wanted

GRADED, BINARY = "graded", "binary"
RULE_CHOICES = [
    ("", "As the policy decides"),
    ("majority", "Majority; without one none"),
    ("median", "Median, the lower of two"),
    ("first", "First label alone"),
    ("largest", "Largest grade given"),
    ("smallest", "Smallest grade given"),
]


class LabelSourceWidget(forms.Widget):
    """The part of people's labels, and a box to tick for each reference set; or, from programs, one key."""

    template_name = "metrics/_label_source.html"
    use_fieldset = True
    names: Sequence[str] = ()

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """By the project's own templates."""
        return render_to_string(self.template_name, self.get_context(name, value, attrs))

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> AskedSource | None:
        """What is asked for; None where nothing is."""
        word, sets = data.get(name) or "", tuple(data.get("sets") or ())
        return AskedSource(word, sets) if word or sets else None

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """What is chosen, whether or not it is a source. value : an AskedSource, or a key."""
        asked = value if isinstance(value, AskedSource) else AskedSource(str(value or ""))
        context: dict[str, Any] = super().get_context(name, value, attrs)
        return context | {"asked": asked, "parts": people_parts(self.names), "names": self.names}


class LabelSourceField(forms.Field):
    """A label source, by its key or by its parts."""

    widget = LabelSourceWidget

    def __init__(self) -> None:
        super().__init__(label="Label source", help_text="Of several sets the larger grade of a pair stands.")

    def offer(self, names: Sequence[str]) -> None:
        """Let these reference sets be named."""
        self.widget.names = names

    def to_python(self, value: Any) -> LabelSource | None:
        """The source that is asked for."""
        if value in self.empty_values:
            return None
        try:
            return cast(AskedSource, value).among(self.widget.names)
        except UnknownLabelSource as error:
            raise forms.ValidationError(str(error)) from error


class QrelsForm(forms.Form):
    """What is left out has a default, so that an address without parameters works too."""

    direction = forms.ChoiceField(choices=Direction.choices)
    label_source = LabelSourceField()
    queries = forms.ChoiceField(label="Query set")
    rule = forms.ChoiceField(
        label="Several labels of a pair",
        choices=RULE_CHOICES,
        required=False,
        help_text="Other rules than the policy's look at people's labels alone, not at adjudications.",
    )
    grades = forms.ChoiceField(choices=[(GRADED, "Grades of the scheme"), (BINARY, "1 if positive, else 0")])
    threshold = forms.IntegerField(
        label="Positive from grade", min_value=0, max_value=100, help_text="Counts for 1 and 0 only."
    )

    def __init__(self, data: QueryDict | None = None, *, collection: Collection) -> None:
        sets = ReferenceSet.objects.filter(collection=collection).order_by("pk")
        names = list(sets.values_list("name", flat=True))
        self.query_sets = {
            (row.name, row.direction): row for row in QuerySet.objects.filter(collection=collection).order_by("pk")
        }
        queries = list(dict.fromkeys(name for name, _ in self.query_sets))
        defaults = {
            "direction": Direction.FORWARD.value,
            "label_source": usual_source(names).key,
            "queries": "all" if "all" in queries else next(iter(queries), ""),
            "grades": GRADED,
            "threshold": collection.positive_from,
        }
        given = None if data is None else {name: value for name, value in data.items() if value}
        if given is not None and isinstance(data, QueryDict):
            given["sets"] = data.getlist("sets")
            given.setdefault("label_source", "" if given["sets"] else defaults["label_source"])
        super().__init__(None if given is None else defaults | given, initial=defaults)
        cast(LabelSourceField, self.fields["label_source"]).offer(names)
        self._offer("queries", queries)

    def refuse_unknown(self, given: QueryDict) -> None:
        """Make an address wrong that says what the form does not take, which would be a file of something else."""
        taken = [*self.fields, "sets"]
        if strange := [name for name in given if name not in taken]:
            self.add_error(None, f'"{strange[0][:60]}" is no parameter; there are {", ".join(taken)}.')

    def clean(self) -> dict[str, Any]:
        """The query set must have the direction; a rule counts where people's labels do."""
        given: dict[str, Any] = super().clean() or {}
        source = given.get("label_source")
        if source and not source.has_people:
            given["rule"] = ""
        queries, direction = given.get("queries"), given.get("direction")
        if queries and direction and (queries, direction) not in self.query_sets:
            self.add_error("queries", f'Query set "{queries}" has no {direction} direction; choose another.')
        return given

    def wanted(self) -> Wanted:
        """What a valid form asks for."""
        given = self.cleaned_data
        return Wanted(
            direction=Direction(given["direction"]),
            label_source=given["label_source"],
            query_set=self.query_sets.get((given["queries"], given["direction"])),
            threshold=given["threshold"] if given["grades"] == BINARY else None,
            rule=given["rule"],
        )

    def _offer(self, name: str, names: list[str]) -> None:
        """Let a name be chosen where there is one."""
        field = cast(forms.ChoiceField, self.fields[name])
        field.choices = [(name, name) for name in names]
        if not names:
            field.required, field.widget = False, forms.HiddenInput()
