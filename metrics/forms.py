"""Which qrels somebody wants, from a page or a program."""

from typing import Any, cast

from django import forms
from django.http import QueryDict

from annotate.models import Collection, Direction, QuerySet, ReferenceSet
from metrics.http import Wanted
from metrics.models import LabelSource

GRADED, BINARY = "graded", "binary"
RULE_CHOICES = [
    ("", "As the policy decides"),
    ("majority", "Majority; without one none"),
    ("median", "Median, the lower of two"),
    ("first", "First label alone"),
    ("largest", "Largest grade given"),
    ("smallest", "Smallest grade given"),
]


class QrelsForm(forms.Form):
    """What is left out has a default, so that an address without parameters works too."""

    direction = forms.ChoiceField(choices=Direction.choices)
    label_source = forms.ChoiceField(label="Label source", choices=LabelSource.choices)
    reference = forms.ChoiceField(label="Reference set")
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
        self.references = {row.name: row for row in ReferenceSet.objects.filter(collection=collection).order_by("pk")}
        self.query_sets = {
            (row.name, row.direction): row for row in QuerySet.objects.filter(collection=collection).order_by("pk")
        }
        names = list(dict.fromkeys(name for name, _ in self.query_sets))
        source = LabelSource.PEOPLE_OVER_REFERENCE if self.references else LabelSource.PEOPLE
        defaults = {
            "direction": Direction.FORWARD.value,
            "label_source": source.value,
            "reference": next(iter(self.references), ""),
            "queries": "all" if "all" in names else next(iter(names), ""),
            "grades": GRADED,
            "threshold": collection.positive_from,
        }
        given = None if data is None else {name: value for name, value in data.items() if value}
        super().__init__(None if given is None else defaults | given, initial=defaults)
        self._offer("reference", list(self.references))
        self._offer("queries", names)
        if not self.references:
            self._choice("label_source").choices = [(source.value, source.label)]

    def clean(self) -> dict[str, Any]:
        """The query set must have the direction."""
        given: dict[str, Any] = super().clean() or {}
        queries, direction = given.get("queries"), given.get("direction")
        if queries and direction and (queries, direction) not in self.query_sets:
            self.add_error("queries", f'Query set "{queries}" has no {direction} direction; choose another.')
        return given

    def wanted(self) -> Wanted:
        """What a valid form asks for."""
        given = self.cleaned_data
        source = LabelSource(given["label_source"])
        return Wanted(
            direction=Direction(given["direction"]),
            label_source=source,
            reference_set=None if source == LabelSource.PEOPLE else self.references[given["reference"]],
            query_set=self.query_sets.get((given["queries"], given["direction"])),
            threshold=given["threshold"] if given["grades"] == BINARY else None,
            rule="" if source == LabelSource.REFERENCE else given["rule"],
        )

    def _choice(self, name: str) -> forms.ChoiceField:
        return cast(forms.ChoiceField, self.fields[name])

    def _offer(self, name: str, names: list[str]) -> None:
        """Let a name be chosen where there is one."""
        field = self._choice(name)
        field.choices = [(name, name) for name in names]
        if not names:
            field.required, field.widget = False, forms.HiddenInput()
