"""The form to set an alarm on a number."""

from typing import Any

from django import forms

from metrics.models import Alarm

_RANGES = {
    Alarm.Kind.ALPHA: (-1, 1, "Alpha is at most 1; a threshold lies above -1 and up to 1."),
    Alarm.Kind.GOLD: (0, 100, "Golds right are per cent: above 0, such as 80, and up to 100."),
    Alarm.Kind.SPEED: (0, 3_600, "Active time is seconds: above 0 and up to 3,600."),
}


class AlarmForm(forms.ModelForm):
    """The number, its threshold, and the least number of observations it must rest on."""

    # The model's own field would begin with a row of dashes.
    kind = forms.ChoiceField(choices=Alarm.Kind.choices, label="Number")

    class Meta:
        model = Alarm
        fields = ["kind", "below", "n_at_least"]
        labels = {"below": "Below", "n_at_least": "From so many on"}

    def clean_n_at_least(self) -> int:
        """Check that the number rests on one observation or more."""
        n: int = self.cleaned_data["n_at_least"]
        if n < 1:
            raise forms.ValidationError("From 1 on at least.")
        return n

    def clean(self) -> dict[str, Any]:
        """Check that the number can fall below the threshold."""
        cleaned: dict[str, Any] = super().clean() or {}
        kind, below = cleaned.get("kind"), cleaned.get("below")
        if kind in _RANGES and below is not None:
            low, high, message = _RANGES[kind]
            if not low < below <= high:
                self.add_error("below", message)
        return cleaned
