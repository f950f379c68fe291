"""Validation of what somebody types to find something."""

from django import forms

MAX_LETTERS = 200


class FindForm(forms.Form):
    """A few letters; without any, pages are listed."""

    q = forms.CharField(max_length=MAX_LETTERS, required=False)
