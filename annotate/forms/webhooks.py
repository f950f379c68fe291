"""The form of a webhook."""

from django import forms

from annotate.core.webhooks.receiver_urls import MAX_LENGTH
from annotate.forms.fields import TO_THE_LETTER
from annotate.models.programs.hooks import EVENT_CHOICES, EVENT_NAMES


class HookForm(forms.Form):
    """A webhook: its address, and the events that it is told of."""

    url = forms.CharField(
        label="Address",
        max_length=MAX_LENGTH,
        help_text="https://, on port 443 or 8443, at a public address of the internet.",
        widget=forms.URLInput(
            attrs={"placeholder": "https://hooks.example.org/assayer", **TO_THE_LETTER}
        ),
    )
    events = forms.MultipleChoiceField(
        label="It is told when",
        choices=[(name, f"{label} ({name})") for name, label in EVENT_CHOICES],
        initial=EVENT_NAMES,
        widget=forms.CheckboxSelectMultiple,
    )
