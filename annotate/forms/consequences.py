"""The number and the moment that a page told of an act, as a form sends them back."""

from datetime import UTC, datetime
from typing import Any

from django import forms

_HIDDEN = ("expected", "done_at", "decision")  # fields that the page sends by itself


class ExpectedForm(forms.Form):
    """The number that stood on the button."""

    expected = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        error_messages={"invalid": "The page sent no whole number; look again."},
    )

    @property
    def hidden_errors(self) -> list[str]:
        """The errors of hidden fields, for a notice: no page has a place beside them."""
        return [str(text) for name in _HIDDEN for text in self.errors.get(name, ())]

    @classmethod
    def number_in(cls, data: Any) -> int | None:
        """Return the number that was told: None where none was, 0 for what is no number."""
        form = cls(data)
        return form.cleaned_data["expected"] if form.is_valid() else 0


class TakeBackForm(forms.Form):
    """The moment of the act that an Undo takes back, to the microsecond."""

    done_at = forms.DateTimeField(
        required=False, error_messages={"invalid": "The page sent no moment; look again."}
    )

    @classmethod
    def moment_in(cls, data: Any) -> datetime | None:
        """Return the moment: None where none was sent, that of no act for what is no moment."""
        form = cls(data)
        return form.cleaned_data["done_at"] if form.is_valid() else datetime.min.replace(tzinfo=UTC)
