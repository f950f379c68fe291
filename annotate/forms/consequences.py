"""The number that a page told of an act, as the act's form sends it back."""

from typing import Any

from django import forms


class ExpectedForm(forms.Form):
    """The number that stood on the button."""

    expected = forms.IntegerField(min_value=0, max_value=2**31 - 1, required=False)

    @classmethod
    def number_in(cls, data: Any) -> int | None:
        """Return the number that was told: None where none was, 0 for what is no number."""
        form = cls(data)
        return form.cleaned_data["expected"] if form.is_valid() else 0
