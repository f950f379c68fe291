"""Forms of leads about finished work: a grade, a verdict, a reason, a moment."""

from typing import Any

from django import forms
from django.db.models import TextChoices

from annotate.forms.consequences import ExpectedForm, TakeBackForm
from annotate.forms.fields import set_choices, set_rows
from annotate.models import Annotator, Collection, Level, ReviewAction, User

REASON_LENGTH = 200


class PersonAct(TextChoices):
    """Actions on a person's work."""

    PAUSE = "pause", "Pause"
    RESUME = "resume", "Resume"
    WITHDRAW = "withdraw", "Withdraw labels"
    RESTORE = "restore", "Restore labels"


PERSON_ACTS_WITH_REASON = (PersonAct.PAUSE, PersonAct.WITHDRAW, PersonAct.RESTORE)


class ReasonForm(ExpectedForm):
    """An action and its reason; some actions need no reason."""

    act = forms.ChoiceField(error_messages={"invalid_choice": "There is no such action."})
    reason = forms.CharField(max_length=REASON_LENGTH, required=False)

    def __init__(
        self, *args: Any, acts: type[TextChoices], acts_with_reason: tuple[str, ...], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "act", acts.choices)
        self.acts_with_reason = acts_with_reason

    def clean(self) -> dict[str, Any]:
        """Require a reason of the actions that take labels or pairs out."""
        cleaned_data = super().clean() or {}
        if cleaned_data.get("act") in self.acts_with_reason and not cleaned_data.get("reason"):
            self.add_error("reason", "Say why: the reason stays in the log.")
        return cleaned_data


class PersonActForm(TakeBackForm, ReasonForm):
    """An action on a person's work."""


class BatchForm(ReasonForm):
    """An action on a batch."""

    verdict = forms.CharField(max_length=20, required=False)  # that an Undo takes back


class ShownDecisionForm(forms.Form):
    """The adjudication that a pair's page showed as the one in force, 0 for none."""

    decision = forms.IntegerField(
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"),
            "The page sent no whole number; look again.",
        ),
    )


class PairActForm(ShownDecisionForm, TakeBackForm, ReasonForm):
    """An action on a pair other than giving it a grade."""


class AdjudicateForm(ShownDecisionForm):
    """A lead's grade, perhaps a note."""

    grade = forms.TypedChoiceField(
        coerce=int,
        error_messages={
            "required": "Choose a level.",
            "invalid_choice": "The scheme has no such grade.",
        },
    )
    note = forms.CharField(max_length=500, required=False)

    def __init__(self, *args: Any, levels: list[Level], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "grade", [(level.grade, level.name) for level in levels])


class SinceForm(forms.Form):
    """A moment to start from, in UTC; the browser sends it without a zone."""

    since = forms.DateTimeField(
        label="From (UTC)",
        widget=forms.DateTimeInput(
            # static/js/moments.js tells beneath it what that is in the reader's time
            attrs={"type": "datetime-local", "data-utc": True},
            format="%Y-%m-%dT%H:%M:%S",
        ),
    )


class RestoreForm(SinceForm):
    """The time span of the withdrawal, to the microsecond."""

    until = forms.DateTimeField()


class AnswerFilterForm(forms.Form):
    """Filters of one person's answers."""

    grade = forms.TypedChoiceField(coerce=int, required=False, empty_value=None, label="Level")
    differs = forms.BooleanField(required=False, label="Somebody disagrees")

    def __init__(self, *args: Any, levels: list[Level], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(level.grade, level.name) for level in levels]
        set_choices(self, "grade", [("", "any"), *choices])


class LogForm(forms.Form):
    """Filters of the log."""

    by = forms.ModelChoiceField(
        queryset=User.objects.none(), required=False, empty_label="everybody"
    )
    kind = forms.ChoiceField(required=False)
    person = forms.ModelChoiceField(
        queryset=Annotator.objects.none(), required=False, empty_label="anybody", label="About"
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        authors = User.objects.filter(
            pk__in=ReviewAction.objects.filter(collection=collection).values("by")
        )
        annotators = (
            Annotator.objects.filter(review_actions__collection=collection)
            .distinct()
            .order_by("pseudonym")
        )
        set_rows(self, "by", authors.order_by("username"))
        set_rows(self, "person", annotators)
        set_choices(self, "kind", [("", "everything"), *ReviewAction.Kind.choices])

    def filters(self) -> dict[str, Any]:
        """Arguments of review_log.entries; no filter where the form is invalid."""
        fields = self.cleaned_data if self.is_valid() else {}
        kind, person = fields.get("kind"), fields.get("person")
        return {
            "by": fields.get("by"),
            "kinds": (kind,) if kind else (),
            "person": person.pk if person else None,
        }
