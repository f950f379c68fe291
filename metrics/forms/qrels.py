"""Forms of requests for qrels, from a page or a program."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotate.forms.fields import set_choices
from annotate.models import Collection, Direction, QuerySet, ReferenceSet
from metrics.core.labels.label_sources import (
    LabelSource,
    RequestedSource,
    UnknownLabelSource,
    people_parts,
    usual_source,
)
from metrics.http import QrelsRequest

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
    """The part of people's labels, and a checkbox a reference set; programs send one key."""

    template_name = "metrics/downloads/_label_source.html"
    use_fieldset = True
    names: Sequence[str] = ()

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """Render the widget with the project's own templates."""
        return render_to_string(self.template_name, self.get_context(name, value, attrs))

    def value_from_datadict(
        self, data: Mapping[str, Any], files: Any, name: str
    ) -> RequestedSource | None:
        """The requested source; None where nothing was sent."""
        word, sets = data.get(name) or "", tuple(data.get("sets") or ())
        return RequestedSource(word, sets) if word or sets else None

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """The context with the chosen source, valid or not. value : a RequestedSource, or a key."""
        requested_source = (
            value if isinstance(value, RequestedSource) else RequestedSource(str(value or ""))
        )
        context: dict[str, Any] = super().get_context(name, value, attrs)
        return context | {
            "requested_source": requested_source,
            "parts": people_parts(self.names),
            "names": self.names,
        }


class LabelSourceField(forms.Field):
    """A label source, by its key or by its parts."""

    widget = LabelSourceWidget

    def __init__(self) -> None:
        super().__init__(
            label="Label source", help_text="Of several sets the larger grade of a pair stands."
        )

    def offer(self, names: Sequence[str]) -> None:
        """Set the names of the reference sets that may be chosen."""
        self.widget.names = names
        if names:
            self.help_text = (
                "“People over reference” mixes two: people's grade of a pair where there is one, "
                "else the reference's. “People only” leaves the reference out. Of several sets the "
                "larger grade of a pair stands."
            )

    def to_python(self, value: Any) -> LabelSource | None:
        """The requested label source; None for an empty value."""
        if value in self.empty_values:
            return None
        requested_source: RequestedSource = value  # of the widget
        try:
            return requested_source.among(self.widget.names)
        except UnknownLabelSource as error:
            raise forms.ValidationError(str(error)) from error


class QrelsForm(forms.Form):
    """A request for qrels; an address without parameters works too, as all have defaults."""

    direction = forms.ChoiceField(choices=Direction.choices)
    label_source = LabelSourceField()
    queries = forms.ChoiceField(label="Query set")
    rule = forms.ChoiceField(
        label="Several labels of a pair",
        choices=RULE_CHOICES,
        required=False,
        help_text=(
            "Other rules than the policy's look at people's labels alone, not at adjudications."
        ),
    )
    grades = forms.ChoiceField(
        choices=[(GRADED, "Grades of the scheme"), (BINARY, "1 if positive, else 0")]
    )
    threshold = forms.IntegerField(
        label="Positive from grade",
        min_value=0,
        max_value=100,
        help_text="Counts for 1 and 0 only.",
    )

    def __init__(self, data: QueryDict | None = None, *, collection: Collection) -> None:
        references = ReferenceSet.objects.filter(collection=collection).order_by("pk")
        names = list(references.values_list("name", flat=True))
        usual_names = list(references.usual().values_list("name", flat=True))
        self.query_sets = {
            (row.name, row.direction): row
            for row in QuerySet.objects.filter(collection=collection).order_by("pk")
        }
        queries = list(dict.fromkeys(name for name, _ in self.query_sets))
        defaults = {
            "direction": Direction.FORWARD.value,
            "label_source": usual_source(usual_names).key,
            "queries": "all" if "all" in queries else next(iter(queries), ""),
            "grades": GRADED,
            "threshold": collection.positive_from,
        }
        submitted: dict[str, object] | None = None
        if data is not None:
            submitted = {name: value for name, value in data.items() if value}
        if submitted is not None and isinstance(data, QueryDict):
            sets = data.getlist("sets")
            submitted["sets"] = sets
            submitted.setdefault("label_source", "" if sets else defaults["label_source"])
        super().__init__(None if submitted is None else defaults | submitted, initial=defaults)
        source_field = self.fields["label_source"]
        assert isinstance(source_field, LabelSourceField), "declared above"  # noqa: S101
        source_field.offer(names)
        set_choices(self, "queries", [(name, name) for name in queries])
        if not queries:
            query_field = self.fields["queries"]
            query_field.required, query_field.widget = False, forms.HiddenInput()

    def refuse_unknown(self, parameters: QueryDict) -> None:
        """Add an error for an unknown parameter; ignored, it would give a file of other labels."""
        known_names = [*self.fields, "sets"]
        if unknown_names := [name for name in parameters if name not in known_names]:
            self.add_error(
                None,
                f'"{unknown_names[0][:60]}" is no parameter; there are {", ".join(known_names)}.',
            )

    def clean(self) -> dict[str, Any]:
        """Check the query set's direction; drop the rule where people's labels do not count."""
        cleaned: dict[str, Any] = super().clean() or {}
        label_source = cleaned.get("label_source")
        if label_source and not label_source.has_people:
            cleaned["rule"] = ""
        queries, direction = cleaned.get("queries"), cleaned.get("direction")
        if queries and direction and (queries, direction) not in self.query_sets:
            self.add_error(
                "queries",
                f'Query set "{queries}" has no direction "{Direction(direction).label}"; choose '
                "another.",
            )
        return cleaned

    def qrels_request(self) -> QrelsRequest:
        """The request that a valid form describes."""
        cleaned = self.cleaned_data
        return QrelsRequest(
            direction=Direction(cleaned["direction"]),
            label_source=cleaned["label_source"],
            query_set=self.query_sets.get((cleaned["queries"], cleaned["direction"])),
            threshold=cleaned["threshold"] if cleaned["grades"] == BINARY else None,
            rule=cleaned["rule"],
        )
