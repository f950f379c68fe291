"""Changes of a collection's settings, by the forms of the pages, and its archive."""

from typing import Any

from django.db import transaction
from django.forms import BaseForm
from rest_framework import serializers

from annotate.api import Unprocessable
from annotate.api.fields import StrictSerializer
from annotate.core.publication import creators, licences
from annotate.forms.publication import OTHER, PublicationForm
from annotate.forms.settings import AlphaMarksForm, PayForm, QueryGroupsForm
from annotate.models import Collection, User
from annotate.services.collection import collections, publication
from annotate.services.policy import alpha_marks
from annotate.services.supervision import archiving

PAY = ("hourly_pay", "currency")
GROUPS = ("query_groups",)
MARKS = {"tentative": "tentative_alpha", "firm": "firm_alpha"}  # by their fields of the page
PUBLICATION = ("licence", "creators", "cite_as", "texts_may_leave", "media_may_leave")


def require_plain_line(text: str) -> None:
    """Raise ValidationError for what the lines of the page's form cannot hold."""
    if creators.SEPARATOR in text or len(text.splitlines()) > 1:
        raise serializers.ValidationError("Write it in one line, without semicolons.")


class CreatorRequest(StrictSerializer):
    """A person to cite, as a program sends her."""

    name = serializers.CharField(max_length=creators.MAX_NAME, validators=[require_plain_line])
    affiliation = serializers.CharField(
        max_length=creators.MAX_AFFILIATION,
        required=False,
        allow_blank=True,
        default="",
        validators=[require_plain_line],
    )
    orcid = serializers.CharField(
        max_length=100,
        required=False,
        allow_blank=True,
        default="",
        validators=[require_plain_line],
    )


class CollectionChangesRequest(StrictSerializer):
    """The settings that can be changed; what is left out stays as it is."""

    hourly_pay = serializers.DecimalField(
        max_digits=8,
        decimal_places=2,
        min_value=0,
        required=False,
        allow_null=True,
        coerce_to_string=False,
        help_text="What an hour of judging costs; null where no money is shown.",
    )
    currency = serializers.CharField(max_length=12, required=False)
    query_groups = serializers.ChoiceField(Collection.Grouping.choices, required=False)
    tentative_alpha = serializers.FloatField(
        required=False, help_text="Above 0 and below 1; three decimals are kept."
    )
    firm_alpha = serializers.FloatField(
        required=False, help_text="Above tentative_alpha, up to 1; three decimals are kept."
    )
    licence = serializers.CharField(
        max_length=licences.MAX_LENGTH, required=False, help_text="An SPDX identifier."
    )
    creators = serializers.ListField(
        child=CreatorRequest(), required=False, max_length=creators.MAX_CREATORS
    )
    cite_as = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    texts_may_leave = serializers.BooleanField(required=False)
    media_may_leave = serializers.BooleanField(required=False)
    is_archived = serializers.BooleanField(
        required=False, help_text="True archives the collection, false unarchives it."
    )


@transaction.atomic
def change_settings(*, collection: Collection, changes: dict[str, Any], by: User) -> None:
    """Change all of these settings, or none. Raises Unprocessable.

    changes : of CollectionChangesRequest
    """
    # what is left out is read here: two who change settings at once take turns
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    pay_form, groups_form, marks_form, publication_form = forms = (
        PayForm(present_values(collection, PAY) | changes, instance=collection),
        QueryGroupsForm(present_values(collection, GROUPS) | changes, instance=collection),
        AlphaMarksForm(marks_data(collection, changes)),
        PublicationForm(publication_data(collection, changes), collection=collection),
    )
    if errors := [error for form in forms for error in errors_of(form)]:
        raise Unprocessable("Some fields are wrong; see errors.", errors=errors)
    collections.change_pay(collection=collection, **pay_form.cleaned_data)
    collections.change_query_groups(collection=collection, **groups_form.cleaned_data)
    alpha_marks.change_alpha_marks(collection=collection, marks=marks_form.marks)
    publication.change_publication(
        collection=collection,
        publication=publication.Publication(**publication_form.fields_to_store()),
        by=by,
    )
    if changes.get("is_archived") is True:
        archiving.archive_collection(collection=collection, by=by)
    elif changes.get("is_archived") is False:
        archiving.unarchive_collection(collection=collection, by=by)


def present_values(collection: Collection, names: tuple[str, ...]) -> dict[str, Any]:
    """The settings of these names as they are."""
    return {name: getattr(collection, name) for name in names}


def marks_data(collection: Collection, changes: dict[str, Any]) -> dict[str, float]:
    """The fields that the page's form of the marks would send, with these changes."""
    return {field: changes.get(name, getattr(collection, name)) for field, name in MARKS.items()}


def publication_data(collection: Collection, changes: dict[str, Any]) -> dict[str, Any]:
    """The fields that the page's form of the publication would send, with these changes."""
    data = dict(PublicationForm(collection=collection).initial)
    data |= {name: changes[name] for name in PUBLICATION if name in changes}
    if "creators" in changes:
        data["creators"] = creators.creators_text(changes["creators"])
    if "licence" in changes:
        is_listed = changes["licence"] in licences.LICENCES
        data["licence"] = changes["licence"] if is_listed else OTHER
        data["other_licence"] = "" if is_listed else changes["licence"]
    return data


def errors_of(form: BaseForm) -> list[dict[str, str]]:
    """The faults of a form, by the names here: a licence has two fields on the page."""
    return [
        {"field": MARKS.get(name, name.removeprefix("other_")), "message": str(message)}
        for name, messages in form.errors.items()
        for message in messages
    ]
