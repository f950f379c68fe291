"""Which qrels somebody wants, from a page or a program."""

from typing import Any

from django import forms

from annotate.models import Collection, Direction, QuerySet, ReferenceSet
from metrics.http import Wanted
from metrics.models import LabelSource

GRADED, BINARY = "graded", "binary"


class QrelsForm(forms.Form):
    """Every field has a default, so that an address without parameters works too."""

    direction = forms.ChoiceField(choices=Direction.choices, initial=Direction.FORWARD, required=False)
    label_source = forms.ChoiceField(label="Label source", choices=LabelSource.choices, required=False)
    reference = forms.ChoiceField(label="Reference set", required=False)
    queries = forms.ChoiceField(label="Query set", required=False)
    grades = forms.ChoiceField(
        choices=[(GRADED, "Grades of the scheme"), (BINARY, "1 if positive, else 0")], initial=GRADED, required=False
    )
    threshold = forms.IntegerField(
        label="Positive from grade", min_value=0, max_value=100, required=False,
        help_text="For 1 and 0; the collection's own threshold if left empty.",
    )  # fmt: skip

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        super().__init__(data)
        self.collection = collection
        self.references = {row.name: row for row in ReferenceSet.objects.filter(collection=collection).order_by("pk")}
        self.query_sets = {
            (row.name, row.direction): row for row in QuerySet.objects.filter(collection=collection).order_by("pk")
        }
        names = list(dict.fromkeys(name for name, _ in self.query_sets))
        source = LabelSource.PEOPLE_OVER_REFERENCE if self.references else LabelSource.PEOPLE
        self.fields["label_source"].initial = source
        self.fields["reference"].choices = [(name, name) for name in self.references]
        self.fields["reference"].initial = next(iter(self.references), "")
        self.fields["queries"].choices = [(name, name) for name in names]
        self.fields["queries"].initial = "all" if "all" in names else ""
        self.fields["threshold"].initial = collection.positive_from
        if not self.references:
            self.fields["label_source"].choices = [(source.value, source.label)]
            del self.fields["reference"]

    def clean(self) -> dict[str, Any]:
        """Fill in what was left out, and check that the query set has this direction."""
        given: dict[str, Any] = super().clean() or {}
        for name, field in self.fields.items():
            if name not in self.errors and given.get(name) in ("", None):
                given[name] = field.initial
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
        )
