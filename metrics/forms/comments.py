"""Validation of the address of the page of comments."""

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import QueryDict

from annotate.access import Person
from annotate.core.levels import level_reasons
from annotate.forms.fields import TO_THE_LETTER, set_choices
from annotate.models import Collection, Item, Judgment, Seat
from metrics.explorer_state import DEPTHS
from metrics.forms.comment_filters import CommentFilters, CommentKind, LabelState
from pooling.models import Run

DEPTH_CHOICES = [(str(depth), f"Top {depth}") for depth in DEPTHS]
MAX_WORDS = 8
MAX_SHOWN = 40  # characters of what somebody typed, in an error


class CommentsForm(forms.Form):
    """Filters of comments and reasons; the bare address works, as each of them may be missing.

    viewer : the person who looks; other people's hidden runs cannot be chosen
    """

    q = forms.CharField(
        label="Words of the comment",
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"type": "search"}),
        help_text="Parts of words too, in any language. Large and small letters are the same. A "
        "comment has all of them, in any order.",
    )
    kind = forms.ChoiceField(
        label="With", choices=CommentKind.choices, initial=CommentKind.ANY.value
    )
    level = forms.ChoiceField(label="Level", required=False)
    reason = forms.ChoiceField(label="Reason", required=False)
    run = forms.ChoiceField(label="In the top of the run", required=False)
    depth = forms.TypedChoiceField(
        label="Ranks of the run",
        coerce=int,
        choices=DEPTH_CHOICES,
        initial=str(DEPTHS[1]),
    )
    query = forms.CharField(
        label="Id of the query",
        max_length=255,
        required=False,
        strip=False,
        widget=forms.TextInput(attrs=TO_THE_LETTER),
    )
    purpose = forms.ChoiceField(label="Made for", required=False)
    state = forms.ChoiceField(
        label="Labels", choices=LabelState.choices, initial=LabelState.COUNTS.value
    )
    before = forms.IntegerField(
        min_value=1, max_value=2**63 - 1, required=False, widget=forms.HiddenInput
    )
    names = forms.CharField(max_length=1, required=False, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, collection: Collection, viewer: Person) -> None:
        self.collection = collection
        self.levels = {str(level.grade): level for level in collection.levels.order_by("grade")}
        self.offered_reasons = list(
            dict.fromkeys(
                code
                for level in self.levels.values()
                for code in level_reasons.codes(level.reasons)
            )
        )
        visible_runs = Run.objects.visible_to(viewer).in_use().filter(collection=collection)
        self.runs = {str(run.pk): run for run in visible_runs.order_by("name", "pk")}
        self.parameters = data
        defaults = {name: self.base_fields[name].initial for name in ("kind", "depth", "state")}
        super().__init__(defaults | {name: value for name, value in data.items() if value})
        reasons = self.offered_reasons
        if (reason := data.get("reason", "")) and reason not in reasons and self._is_used(reason):
            reasons = [*reasons, reason]
        self._offer("level", [(grade, str(level)) for grade, level in self.levels.items()])
        self._offer("reason", [(code, code) for code in reasons])
        self._offer("run", [(key, run.choice_label) for key, run in self.runs.items()])
        self._offer("purpose", Seat.Purpose.choices)
        self._offer("kind", CommentKind.choices, may_be_any=False)
        self._offer("depth", DEPTH_CHOICES, may_be_any=False)
        self._offer("state", LabelState.choices, may_be_any=False)

    def add_used_reasons(self, reasons: list[str]) -> None:
        """Offer reasons of labels too that no level offers any more."""
        codes = dict.fromkeys([*self.offered_reasons, *reasons, self["reason"].value() or ""])
        set_choices(self, "reason", [("", "any"), *((code, code) for code in codes if code)])

    def clean_q(self) -> tuple[str, ...]:
        """Split what was typed into its words."""
        words = tuple(dict.fromkeys(self.cleaned_data["q"].split()))
        if len(words) > MAX_WORDS:
            raise forms.ValidationError(f"There are {len(words)} words; take {MAX_WORDS} at most.")
        return words

    def clean_query(self) -> Item | None:
        """Find the query by its id."""
        external_id = self.cleaned_data["query"]
        if not external_id:
            return None
        queries = Item.objects.filter(collection=self.collection, side="query")
        query = queries.filter(external_id=external_id).first()
        if query is None:
            message = f"The collection holds no query with the id “{external_id[:MAX_SHOWN]}”."
            raise forms.ValidationError(message)
        return query

    def clean(self) -> dict[str, Any]:
        """Refuse parameters that the page does not know, and those given twice."""
        cleaned_data = super().clean() or {}
        for name, values in self.parameters.lists():
            if name not in self.fields:
                there_are = ", ".join(self.fields)
                message = f"“{name[:MAX_SHOWN]}” is no filter here; there are: {there_are}."
                raise forms.ValidationError(message)
            if len(values) > 1:
                raise forms.ValidationError(f"“{name}” stands twice in the address; say it once.")
        return cleaned_data

    def filters(self) -> CommentFilters:
        """The filters of a valid form."""
        cleaned = self.cleaned_data
        return CommentFilters(
            words=cleaned["q"],
            kind=CommentKind(cleaned["kind"]),
            level=self.levels.get(cleaned["level"]),
            reason=cleaned["reason"],
            run=self.runs.get(cleaned["run"]),
            depth=cleaned["depth"],
            query=cleaned["query"],
            purpose=cleaned["purpose"],
            state=LabelState(cleaned["state"]),
            before=cleaned["before"],
        )

    def first_fields(self) -> list[forms.BoundField]:
        """The fields that most people use, after the words."""
        return [self[name] for name in ("kind", "level", "reason")]

    def further_fields(self) -> list[forms.BoundField]:
        """The others; those of runs only where there is one to choose."""
        names = ["query", *(("run", "depth") if self.runs else ()), "purpose", "state"]
        return [self[name] for name in names]

    def has_further_choice(self) -> bool:
        """True if one of the further fields is filled in or in error: the page shows them all."""
        return any(
            field.errors or self.parameters.get(field.name, "") not in ("", field.field.initial)
            for field in self.further_fields()
        )

    @property
    def sentences(self) -> list[str]:
        """The errors, each with the name of its parameter."""
        return [
            str(text) if name == NON_FIELD_ERRORS else f"{self[name].label}: {text}"
            for name, texts in self.errors.items()
            for text in texts
        ]

    def _is_used(self, reason: str) -> bool:
        """True if a judgment of the collection names the reason."""
        judgments = Judgment.objects.filter(collection=self.collection)
        return judgments.filter(reasons__contains=[reason]).exists()

    def _offer(self, name: str, choices: list[tuple[str, str]], *, may_be_any: bool = True) -> None:
        """Set the choices of a field; its error says what there is."""
        set_choices(self, name, [("", "any"), *choices] if may_be_any else choices)
        there_are = ", ".join(value for value, _ in choices).replace("%", "%%") or "none"
        messages = self.fields[name].error_messages
        messages["invalid_choice"] = f"“%(value).40s” is none of: {there_are}."
