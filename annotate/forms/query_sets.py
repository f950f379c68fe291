"""The form of a query set: some of a collection's items, by a list of ids."""

from django import forms

from annotate.forms.fields import UploadField
from annotate.models import Direction


class QuerySetForm(forms.Form):
    """A list of ids."""

    name = forms.CharField(max_length=60, help_text="Such as the split or the paper it comes from.")
    direction = forms.ChoiceField(
        choices=Direction.choices,
        initial=Direction.FORWARD,
        help_text="The ids are those of queries, or of documents where these are what one "
        "searches with.",
    )
    file = UploadField(
        label="Ids",
        help_text="One id a line, plain or gzipped; or a JSON object, whose keys are the ids.",
        command="load_query_set",
    )
