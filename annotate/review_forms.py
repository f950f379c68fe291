"""What leads fill in about finished work: a grade, a verdict, a reason, a moment."""

from typing import Any

from django import forms
from django.db.models import TextChoices

from annotate.models import Annotator, Collection, Level, ReviewAction, User

REASON_LENGTH = 200


class PairAct(TextChoices):
    """What can be done about a pair but giving it a grade."""

    UNDO = "undo", "Take the adjudication back"
    RETURN = "return", "Return it to the queue"
    REOPEN = "reopen", "Open its reports again"
    EXCLUDE_PAIR = "exclude-pair", "Exclude this pair"
    EXCLUDE_QUERY = "exclude-query", "Exclude the query with all its pairs"
    EXCLUDE_DOCUMENT = "exclude-document", "Exclude the document with all its pairs"
    RESTORE_PAIR = "restore-pair", "Take this pair back in"
    RESTORE_QUERY = "restore-query", "Take the query back in"
    RESTORE_DOCUMENT = "restore-document", "Take the document back in"


class BatchAct(TextChoices):
    """What can be done about a batch."""

    ACCEPT = "accept", "Accept"
    REJECT = "reject", "Reject"
    REQUEUE = "requeue", "Ask again"
    REOPEN = "reopen", "Take the verdict back"


class PersonAct(TextChoices):
    """What can be done about a person's work."""

    PAUSE = "pause", "Pause"
    RESUME = "resume", "Resume"
    WITHDRAW = "withdraw", "Withdraw labels"
    RESTORE = "restore", "Restore labels"


class ReasonForm(forms.Form):
    """An action and why; some may be done without saying why."""

    act = forms.ChoiceField(error_messages={"invalid_choice": "There is no such action."})
    reason = forms.CharField(max_length=REASON_LENGTH, required=False)

    def __init__(self, *args: Any, acts: type[TextChoices], reasoned: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["act"].choices = acts.choices  # type: ignore[attr-defined]
        self.reasoned = reasoned

    def clean(self) -> dict[str, Any]:
        """What takes labels or pairs out needs a reason."""
        given = super().clean() or {}
        if given.get("act") in self.reasoned and not given.get("reason"):
            self.add_error("reason", "Say why: the reason stays in the log.")
        return given


class AdjudicateForm(forms.Form):
    """A lead's grade, and perhaps why."""

    grade = forms.TypedChoiceField(
        coerce=int, error_messages={"required": "Choose a level.", "invalid_choice": "The scheme has no such grade."}
    )
    note = forms.CharField(max_length=500, required=False)

    def __init__(self, *args: Any, levels: list[Level], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["grade"].choices = [(level.grade, level.name) for level in levels]  # type: ignore[attr-defined]


class SinceForm(forms.Form):
    """From which moment on, in UTC; the browser sends it without a zone."""

    since = forms.DateTimeField(
        label="From (UTC)", widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M:%S")
    )


class WithdrawForm(SinceForm):
    """How many labels the lead was shown before agreeing."""

    expected = forms.IntegerField(min_value=0, max_value=2**31 - 1)


class RestoreForm(SinceForm):
    """Within which time it was withdrawn, to the microsecond."""

    until = forms.DateTimeField()


class LogForm(forms.Form):
    """Which lines of the log."""

    by = forms.ModelChoiceField(queryset=User.objects.none(), required=False, empty_label="everybody")
    kind = forms.ChoiceField(required=False)
    person = forms.ModelChoiceField(
        queryset=Annotator.objects.none(), required=False, empty_label="anybody", label="About"
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        wrote = User.objects.filter(pk__in=ReviewAction.objects.filter(collection=collection).values("by"))
        about = Annotator.objects.filter(review_actions__collection=collection).distinct().order_by("pseudonym")
        self.fields["by"].queryset = wrote.order_by("username")  # type: ignore[attr-defined]
        self.fields["person"].queryset = about  # type: ignore[attr-defined]
        self.fields["kind"].choices = [("", "everything"), *ReviewAction.Kind.choices]  # type: ignore[attr-defined]

    def wanted(self) -> dict[str, Any]:
        """The arguments of review_log.entries; everything where the filter is wrong."""
        given = self.cleaned_data if self.is_valid() else {}
        kind, person = given.get("kind"), given.get("person")
        return {"by": given.get("by"), "kinds": (kind,) if kind else (), "person": person.pk if person else None}
