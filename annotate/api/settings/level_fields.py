"""Levels for programs: as they are, and as programs send them, with the reasons they offer."""

from collections.abc import Mapping
from typing import Any

from django import forms
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.fields import AnswerSerializer, StrictSerializer
from annotate.core.levels import level_reasons
from annotate.forms.fields import ReasonsField
from annotate.models import Level

MAX_LEVELS_SENT = 50  # how many are read; the service says how many a scheme may have
REASON = {
    "oneOf": [
        {"type": "string", "maxLength": level_reasons.MAX_LENGTH},
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": level_reasons.MAX_LENGTH},
                "what": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["name", "what"],
        },
    ]
}


@extend_schema_field({"type": "array", "items": REASON})
class LevelReasonsField(serializers.Field):
    """Reasons of a level: `"name"`, or `{"name": "name", "what": ["quantity", "colour"]}`.

    The form of the page says which can be offered.
    """

    name_field = serializers.CharField(max_length=level_reasons.MAX_LENGTH)

    def to_internal_value(self, data: Any) -> list[level_reasons.Stored]:
        """The reasons as a level keeps them."""
        if not isinstance(data, list):
            raise serializers.ValidationError("Send a list of reasons.")
        reasons = [self.reason(entry) for entry in data]
        if fault := level_reasons.fault(reasons):
            raise serializers.ValidationError(f"It {fault}.")
        text = level_reasons.as_text(level_reasons.as_stored(reasons))
        try:
            return ReasonsField().clean(text)
        except forms.ValidationError as error:
            raise serializers.ValidationError(error.messages) from error

    def reason(self, entry: Any) -> level_reasons.Reason:
        """One reason; raises ValidationError for what has another form."""
        if isinstance(entry, Mapping):
            if set(entry) != {"name", "what"} or not isinstance(entry["what"], list):
                raise serializers.ValidationError('A reason has a "name" and a list "what".')
            details = tuple(self.name_field.run_validation(detail) for detail in entry["what"])
            return level_reasons.Reason(self.name_field.run_validation(entry["name"]), details)
        return level_reasons.Reason(self.name_field.run_validation(entry))

    def to_representation(self, value: Any) -> Any:
        """The reasons as a level keeps them."""
        return value


class LevelAnswer(AnswerSerializer):
    """One level of a scheme."""

    reasons = LevelReasonsField(help_text="Reasons that are offered once the level is chosen.")

    class Meta:
        model = Level
        fields = ["grade", "name", "key", "sentence", "colour", "reasons"]


class LevelRequest(StrictSerializer):
    """One level as a program sends it."""

    grade = serializers.IntegerField(min_value=0, max_value=100)
    name = serializers.CharField(max_length=60)
    key = serializers.RegexField(
        "^[0-9]$",
        required=False,
        max_length=1,
        help_text="The digit to press for it; by default the first one of its grade.",
        error_messages={"invalid": "A key is one digit."},
    )
    sentence = serializers.CharField(max_length=200, required=False, allow_blank=True)
    colour = serializers.ChoiceField(
        choices=Level.Colour.choices,
        required=False,
        help_text="By default what the level has already, or the colour of its grade's place.",
    )
    reasons = LevelReasonsField(required=False)
