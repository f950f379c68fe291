"""Serializers of what programs send."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models
from rest_framework import serializers
from rest_framework.settings import api_settings

from annotate.api import Unprocessable
from annotate.core.files.spreadsheet_cells import timestamp

NO_FIELD = api_settings.NON_FIELD_ERRORS_KEY  # the place of what is wrong with a whole object


class MomentField(serializers.DateTimeField):
    """A moment in UTC to the millisecond, as all answers have it."""

    def to_representation(self, value: Any) -> Any:
        """The moment as text."""
        return timestamp(value)


class AnswerSerializer(serializers.ModelSerializer):
    """Fields of rows that are only read."""

    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.DateTimeField: MomentField,
        models.EmailField: serializers.CharField,  # may be empty
    }

    def get_fields(self) -> dict[str, Any]:
        """All of them, none to be written."""
        fields: dict[str, Any] = super().get_fields()
        for field in fields.values():
            field.read_only = True
        return fields


# types of values in JSON, by the field that takes them
JSON_TYPES: tuple[tuple[type[serializers.Field], type | tuple[type, ...], str], ...] = (
    (serializers.CharField, str, "Send a text."),
    (serializers.BooleanField, bool, "Send true or false."),
    (serializers.IntegerField, int, "Send a whole number."),
    (serializers.FloatField, (int, float), "Send a number."),
    (serializers.DecimalField, (int, float), "Send a number."),
)


class StrictSerializer(serializers.Serializer):
    """Fields of which none may be unknown, and none of another type of JSON than its own."""

    def to_internal_value(self, data: Any) -> Any:
        """Refuse unknown fields: a misspelt one would look as if it had an effect."""
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            raise serializers.ValidationError(
                {str(name): ["There is no such field."] for name in unknown}
            )
        value: dict[str, Any] = super().to_internal_value(data)
        faults = {
            name: sentence
            for name, field in self.fields.items()
            if name in data and (sentence := type_fault(field, data[name]))
        }
        if faults:
            raise serializers.ValidationError({name: [faults[name]] for name in faults})
        return value


def type_fault(field: serializers.Field, value: Any) -> str:
    """The sentence for a value that is converted although it has another type; "" for others.

    A number would be taken for a text: the version 1.10 would become "1.1".
    """
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        return next(filter(None, (type_fault(field.child, element) for element in value)), "")
    for kind, types, sentence in JSON_TYPES:
        is_wrong = isinstance(value, bool) != (types is bool) or not isinstance(value, types)
        if isinstance(field, kind) and value is not None and is_wrong:
            return sentence
    return ""


def validated(form: serializers.Serializer) -> dict[str, Any]:
    """The values of what was sent; raises Unprocessable, with the fields that are wrong."""
    if form.is_valid():
        return form.validated_data
    raise Unprocessable("Some fields are wrong; see errors.", errors=faults_of(form.errors))


def refuse_unknown_fields(*, data: Iterable[str], fields: Iterable[str]) -> None:
    """Raise Unprocessable for what was sent as a form and is no field of it."""
    if unknown := sorted(set(data).difference(fields)):
        errors = [{"field": name, "message": "There is no such field."} for name in unknown]
        raise Unprocessable("Some fields are wrong; see errors.", errors=errors)


def faults_of(errors: Any, *, at: str = "") -> list[dict[str, str]]:
    """Each fault with the place of its field: `levels.2.name`.

    errors : of a serializer, where fields may hold others
    """
    if not isinstance(errors, Mapping | list):
        return [{"field": at, "message": str(errors)}]
    if isinstance(errors, list) and not any(isinstance(error, Mapping) for error in errors):
        return [{"field": at, "message": str(error)} for error in errors]
    parts = errors.items() if isinstance(errors, Mapping) else enumerate(errors)
    return [
        fault
        for name, inner in parts
        for fault in faults_of(
            inner, at=at if name == NO_FIELD else f"{at}.{name}" if at else str(name)
        )
    ]
