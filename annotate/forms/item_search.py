"""Validation of what somebody types to find an item."""

from django import forms

from annotate.models import Side


class ItemSearchForm(forms.Form):
    """A few letters of an id or of words, and the side on which they are looked for."""

    q = forms.CharField(max_length=255)
    side = forms.TypedChoiceField(choices=Side.choices, coerce=Side)
