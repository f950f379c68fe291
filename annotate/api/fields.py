"""Serializers of what programs send."""

from typing import Any

from rest_framework import serializers


class StrictSerializer(serializers.Serializer):
    """Fields of which none may be unknown."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse unknown fields: a misspelt one would look as if it had an effect."""
        if unknown := sorted(set(self.initial_data) - set(self.fields)):
            raise serializers.ValidationError(
                {name: ["There is no such field."] for name in unknown}
            )
        return attrs
