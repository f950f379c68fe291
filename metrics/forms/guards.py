"""The form of a guard's mark."""

from typing import Any

from django import forms

from annotate.models import Guard

_RANGES = {
    Guard.SPEED: (60, "Speed is seconds: above 0 and up to 60."),
    Guard.CLIP: (100, "Clips are held to per cent of their length: above 0 and up to 100."),
    Guard.RUN: (5, "Runs are held to a chance in per cent: above 0 and up to 5."),
    Guard.GOLD: (100, "Golds right are per cent: above 0 and up to 100."),
}


class GuardForm(forms.Form):
    """The mark of one guard; left empty, the guard is off."""

    mark = forms.FloatField(required=False)

    def __init__(self, *args: Any, guard: Guard, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.guard = guard

    def clean_mark(self) -> float | None:
        """Check that the mark lies in its range."""
        mark: float | None = self.cleaned_data["mark"]
        highest, message = _RANGES[self.guard]
        if mark is not None and not 0 < mark <= highest:
            raise forms.ValidationError(message)
        return mark
