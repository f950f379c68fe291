"""Forms of the golds that leads add, retire and bring back."""

from typing import Any

from django import forms

from annotate.forms.consequences import ExpectedForm, TakeBackForm
from annotate.forms.fields import item_id_field, set_choices
from annotate.models import Level, Side


class GoldForm(forms.Form):
    """A pair whose grade a lead knows."""

    query = item_id_field(Side.QUERY)
    document = item_id_field(Side.DOCUMENT)
    grade = forms.TypedChoiceField(coerce=int)
    explanation = forms.CharField(
        max_length=2000,
        label="Why",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For leads, and for training; nobody who judges reads it in a batch.",
    )

    def __init__(self, *args: Any, levels: list[Level], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(
            self, "grade", [(level.grade, f"{level.grade} {level.name}") for level in levels]
        )


class GoldReasonForm(TakeBackForm, ExpectedForm):
    """The reason to retire a gold or bring it back, for the log."""

    reason = forms.CharField(max_length=200, required=False)
