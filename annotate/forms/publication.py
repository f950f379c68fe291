"""The form of the publication of a collection: licence, creators, texts, media."""

from typing import Any

from django import forms

from annotate.core.publication import licences
from annotate.core.publication.creators import StoredCreator, creators_text, parse_creators
from annotate.forms.fields import TO_THE_LETTER
from annotate.models import Collection

OTHER = "other"


class CreatorsField(forms.CharField):
    """People to cite, a line each; clean, they are as a collection stores them."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false"})
        super().__init__(max_length=50_000, required=False, widget=widget, **options)

    def clean(self, value: Any) -> list[StoredCreator]:
        """Return the people; errors name the lines at fault."""
        people, faults = parse_creators(super().clean(value))
        if faults:
            raise forms.ValidationError(faults[:5])
        return people


class PublicationForm(forms.Form):
    """The words and contents of a collection's releases."""

    licence = forms.ChoiceField(
        choices=[
            *(
                (identifier, f"{identifier}: {name}")
                for identifier, name in licences.LICENCES.items()
            ),
            (OTHER, "Another one, by its SPDX identifier"),
        ],
        help_text="What others may do with a release.",
    )
    other_licence = forms.CharField(
        max_length=licences.MAX_LENGTH,
        required=False,
        label="SPDX identifier of another licence",
        help_text="From spdx.org/licenses, or LicenseRef-... for one of your own.",
        widget=forms.TextInput(attrs=TO_THE_LETTER),
    )
    creators = CreatorsField(
        help_text="A line for each, in the order they are cited: Name; affiliation; ORCID. The "
        "last two may be left out."
    )
    cite_as = forms.CharField(
        max_length=4000,
        required=False,
        label="How to cite it",
        help_text="Plain text, such as the reference of a paper.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    texts_may_leave = forms.BooleanField(
        required=False,
        label="Texts of queries and documents are in a release",
        help_text="Else it has their ids alone. Ask whoever owns the texts first: once out, they "
        "cannot be called back.",
    )
    media_may_leave = forms.BooleanField(
        required=False,
        label="Names and addresses of media are in a release",
        help_text="Of images, videos and audio: names of files and web addresses, never the files.",
    )

    def __init__(self, data: Any = None, *, collection: Collection) -> None:
        is_listed = collection.licence in licences.LICENCES
        initial = {
            "licence": collection.licence if is_listed else OTHER,
            "other_licence": "" if is_listed else collection.licence,
            "creators": creators_text(collection.creators),
            "cite_as": collection.cite_as,
            "texts_may_leave": collection.texts_may_leave,
            "media_may_leave": collection.media_may_leave,
        }
        super().__init__(data, initial=initial)

    def clean_other_licence(self) -> str:
        """The identifier that was typed, or an empty text."""
        text = self.cleaned_data["other_licence"]
        try:
            return licences.parse_licence(text) if text else ""
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_cite_as(self) -> str:
        """The text with plain line ends, as browsers send others."""
        text: str = self.cleaned_data["cite_as"]
        return text.replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        """Refuse two licences, and none."""
        cleaned_data = super().clean() or {}
        licence, other_licence = cleaned_data.get("licence"), cleaned_data.get("other_licence")
        if licence == OTHER and other_licence == "":
            self.add_error(
                "other_licence", "Type the identifier of the licence, or choose one above."
            )
        if licence not in (None, OTHER) and other_licence not in (None, "", licence):
            self.add_error(
                "other_licence",
                f"{licence} is chosen above: choose “Another one” there, or leave this empty.",
            )
        return cleaned_data

    def fields_to_store(self) -> dict[str, Any]:
        """The fields as a collection stores them."""
        stored_fields = dict(self.cleaned_data)
        other_licence = stored_fields.pop("other_licence")
        if other_licence:
            stored_fields["licence"] = other_licence
        return stored_fields
