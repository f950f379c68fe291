"""The forms of a release: what a lead names it, and why one is withdrawn."""

import re
from datetime import date
from typing import Any

from django import forms
from django.core.validators import MinValueValidator, RegexValidator
from django.utils import timezone

from annotate.models import Collection
from metrics.models import Release

VERSION = re.compile(r"\Av?[0-9][0-9A-Za-z]*([.-][0-9A-Za-z]+)*\Z")
FIRST_DAY = date(2000, 1, 1)


class ReleaseForm(forms.Form):
    """Version, title, notes and day of a release."""

    version = forms.CharField(
        max_length=20,
        validators=[
            RegexValidator(
                VERSION, "A digit, then digits, letters, dots and dashes, as 1.0 or 2026-03-05."
            )
        ],
        help_text="Such as 1.0, or a date.",
    )
    title = forms.CharField(max_length=200)
    notes = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        max_length=10_000,
        help_text="What is new in it, as readers of its data card should know.",
    )
    released_on = forms.DateField(
        label="Day",
        validators=[MinValueValidator(FIRST_DAY, "A day from the year 2000 on.")],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        help_text="The day that its documents name.",
    )

    def __init__(self, data: Any = None, *, collection: Collection, **options: Any) -> None:
        self.collection = collection
        initial = {"title": collection.name, "released_on": timezone.localdate()}
        super().__init__(data, initial=initial, **options)

    def clean_notes(self) -> str:
        """The notes with line ends as the documents have them."""
        return "\n".join(str(self.cleaned_data["notes"]).splitlines())

    def clean_version(self) -> str:
        """A version that the collection has no release of."""
        version = str(self.cleaned_data["version"])
        if Release.objects.filter(collection=self.collection, version=version).exists():
            raise forms.ValidationError(
                f"This collection has a release {version} already; choose another version."
            )
        return version


class WithdrawalForm(forms.Form):
    """The reason for which a release is withdrawn."""

    reason = forms.CharField(
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Why",
        help_text="Stays on the page of the release, for whoever comes with its address.",
    )
