"""What a lead fills in to be told of a number that is too low."""

from django import forms

from metrics.models import Alarm


class AlarmForm(forms.ModelForm):
    """A number, its threshold, and on how much it must rest."""

    class Meta:
        model = Alarm
        fields = ["kind", "below", "n_at_least"]
        labels = {"kind": "Number", "below": "Below", "n_at_least": "From so many on"}

    def clean_below(self) -> float:
        """A threshold that the number can fall below."""
        below: float = self.cleaned_data["below"]
        if not -10 <= below <= 3600:
            raise forms.ValidationError("Alpha is at most 1, golds right are per cent, active time is seconds.")
        return below
