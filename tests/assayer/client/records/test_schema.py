"""The records of the client have the fields of the API's schema, and their types."""

import json
from datetime import date, datetime
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from assayer.client.collection.collection import Collection
from assayer.client.records.record import Record
from config.reference.operations import schema_text

COMPONENTS = json.loads(schema_text())["components"]["schemas"]
OTHER_NAMES = {"CollectionFacts": "CollectionAnswer"}  # a Collection is a handle
MOMENTS = {"date-time": {datetime}, "date": {date}}
PLAIN = {
    "string": {str},
    "integer": {int},
    "number": {float},
    "boolean": {bool},
    "array": {list},
    "object": {dict},
    "null": {NoneType},
}


def records() -> list[type[Record]]:
    """Every kind of record, which the handle of a collection imports all of."""
    assert Collection
    kinds = list(Record.__subclasses__())
    for kind in kinds:
        kinds += kind.__subclasses__()
    return kinds


def component_name(kind: type[Record]) -> str:
    """The name of the schema's component of a record."""
    return OTHER_NAMES.get(kind.__name__, f"{kind.__name__}Answer")


def types_of(schema: dict[str, Any]) -> set[Any]:
    """The types that a value of a schema may have: of Python, records by name; Any is any."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {name} if "properties" in COMPONENTS[name] else types_of(COMPONENTS[name])
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return set().union(*map(types_of, schema[key]))
    if "enum" in schema and "type" not in schema:
        return {type(value) for value in schema["enum"]}
    if "type" not in schema:
        return {Any}
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return set().union(
        *(
            MOMENTS.get(schema.get("format"), PLAIN[kind]) if kind == "string" else PLAIN[kind]
            for kind in kinds
        )
    )


def types_of_hint(hint: Any) -> set[Any]:
    """The same of the type of a field."""
    if get_origin(hint) in (Union, UnionType):
        return set().union(*map(types_of_hint, get_args(hint)))
    if isinstance(hint, type) and issubclass(hint, Record):
        return {component_name(hint)}
    return {get_origin(hint) or hint}


def inner_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of what a list or a dictionary holds; {} of nothing in particular."""
    inner = schema.get("items", schema.get("additionalProperties", {}))
    return inner if isinstance(inner, dict) else {}


def inner_hint(hint: Any) -> Any:
    """The type of what a list or a dictionary holds."""
    for argument in get_args(hint) if get_origin(hint) in (Union, UnionType) else [hint]:
        if get_origin(argument) in (list, dict):
            return get_args(argument)[-1]
    return None


@pytest.mark.parametrize("kind", records(), ids=lambda kind: kind.__name__)
def test_a_record_has_the_fields_of_its_schema(kind):
    component = COMPONENTS[component_name(kind)]
    hints = {name: hint for name, hint in get_type_hints(kind).items() if name != "json"}
    assert set(hints) == set(component["properties"])
    for name, schema in component["properties"].items():
        expected = types_of(schema) | (set() if name in component["required"] else {NoneType})
        types = types_of_hint(hints[name])
        assert types == expected or Any in types & expected, name
        if types & {list, dict} and (inner := inner_schema(schema)):
            assert types_of_hint(inner_hint(hints[name])) == types_of(inner), name


def test_no_field_of_a_record_hides_its_json():
    components = {kind: COMPONENTS[component_name(kind)] for kind in records()}
    assert [kind for kind, schema in components.items() if "json" in schema["properties"]] == []
    assert len(components) > 40
