"""Filters of lists: parameters that a serializer checks, and that the schema tells of."""

from collections.abc import Iterable
from typing import Any, NoReturn

from rest_framework import serializers

from annotate.api import TokenRequest, Unprocessable
from annotate.api.fields import faults_of
from annotate.api.pages import PAGE_PARAMETERS
from annotate.api.parameters import page_parameters

OF_PAGES = tuple(parameter.name for parameter in PAGE_PARAMETERS)


class Filters(serializers.Serializer):
    """The filters of a list, none of which has to be given; this one has none."""


class NamingField(serializers.Field):
    """A filter whose refusal tells its name."""

    def fail(self, key: str, **values: Any) -> NoReturn:
        """Refuse a value."""
        super().fail(key, name=self.field_name, **values)


class ListedChoiceField(NamingField, serializers.ChoiceField):
    """One of some values; what is none of them is told what there is."""

    def __init__(self, values: Iterable[str], **options: Any) -> None:
        names = list(values)
        message = f'"{{input:.40}}" is no choice of "{{name}}"; there are: {", ".join(names)}.'
        options["error_messages"] = {"invalid_choice": message}
        super().__init__(choices=names, required=False, **options)


class YesNoField(NamingField, serializers.BooleanField):
    """True or false, as an address has it."""

    TRUE_VALUES = {"true"}
    FALSE_VALUES = {"false"}
    default_error_messages = {
        "invalid": '"{input:.40}" is no choice of "{name}"; there are: true, false.'
    }


def read_filters(
    *,
    request: TokenRequest,
    form: type[Filters] = Filters,
    other_names: tuple[str, ...] = OF_PAGES,
) -> dict[str, Any]:
    """The filters that a request gives; raises Unprocessable for what is none, or given twice.

    other_names : parameters that are no filters
    """
    names = [*form().fields, *other_names]
    parameters = page_parameters(request=request, names={name: name for name in names})
    for name, values in parameters.lists():
        if len(values) > 1:
            raise Unprocessable(f'Give "{name}" once.')
    filters = form(data={name: parameters[name] for name in parameters if name not in other_names})
    if filters.is_valid():
        return dict(filters.validated_data)
    faults = faults_of(filters.errors)
    sentences = [
        fault["message"]
        if f'"{fault["field"]}"' in fault["message"]
        else f'"{fault["field"]}": {fault["message"]}'
        for fault in faults
    ]
    raise Unprocessable(" ".join(sentences), errors=faults)
