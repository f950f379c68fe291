"""Serializers of what programs send."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from annotate.api import Unprocessable


class StrictSerializer(serializers.Serializer):
    """Fields of which none may be unknown."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse unknown fields: a misspelt one would look as if it had an effect."""
        if unknown := sorted(set(self.initial_data) - set(self.fields)):
            raise serializers.ValidationError(
                {name: ["There is no such field."] for name in unknown}
            )
        return attrs


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
