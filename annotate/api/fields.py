"""Serializers of what programs send."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models
from rest_framework import serializers
from rest_framework.request import Request

from annotate.api import Unprocessable
from annotate.core.files.spreadsheet_cells import timestamp


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
    }

    def get_fields(self) -> dict[str, Any]:
        """All of them, none to be written."""
        fields: dict[str, Any] = super().get_fields()
        for field in fields.values():
            field.read_only = True
        return fields


class StrictSerializer(serializers.Serializer):
    """Fields of which none may be unknown."""

    def to_internal_value(self, data: Any) -> Any:
        """Refuse unknown fields: a misspelt one would look as if it had an effect."""
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            raise serializers.ValidationError(
                {str(name): ["There is no such field."] for name in unknown}
            )
        return super().to_internal_value(data)


def fields_of(request: Request, *, names: Sequence[str]) -> dict[str, Any]:
    """The fields of a JSON object that was sent, all of them texts.

    Raises Unprocessable for others than these, and for values that are no texts.
    """
    data = request.data
    if not isinstance(data, Mapping):
        raise Unprocessable("Send a JSON object.")
    if unknown := sorted(set(data) - set(names)):
        raise Unprocessable(
            f'There is no field "{unknown[0][:60]}"; there are {", ".join(names)}.',
            errors=[{"field": name, "message": "There is no such field."} for name in unknown],
        )
    if wrong_fields := [name for name, value in data.items() if not isinstance(value, str)]:
        raise Unprocessable(
            f'"{wrong_fields[0]}" is no text.',
            errors=[{"field": name, "message": "Send a text."} for name in wrong_fields],
        )
    return dict(data)


def validated(form: serializers.Serializer) -> dict[str, Any]:
    """The values of what was sent; raises Unprocessable, with the fields that are wrong."""
    if form.is_valid():
        return form.validated_data
    raise Unprocessable("Some fields are wrong; see errors.", errors=faults_of(form.errors))


def faults_of(errors: Any, *, at: str = "") -> list[dict[str, str]]:
    """Each fault with the place of its field: `levels.2.name`.

    errors : of a serializer, where fields may hold others
    """
    if not isinstance(errors, Mapping | list):
        return [{"field": at, "message": str(errors)}]
    if isinstance(errors, list) and not any(isinstance(error, Mapping) for error in errors):
        return [{"field": at, "message": str(error)} for error in errors]
    places = errors.items() if isinstance(errors, Mapping) else enumerate(errors)
    return [
        fault
        for place, inner in places
        for fault in faults_of(inner, at=f"{at}.{place}" if at else str(place))
    ]
