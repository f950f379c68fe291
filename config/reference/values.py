"""Values of JSON in words, as their schema describes them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from annotate.markdown import to_html

Schema = dict[str, Any]
COMPONENT = "#/components/schemas/"
DEEPEST = 4  # levels of fields in fields
MAX_CHOICES = 12
WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "date-time": "moment",
    "date": "day, as 2026-03-05",
    "binary": "bytes of a file",
    "email": "e-mail address",
    "uri": "address",
}


class Field(NamedTuple):
    """A field of an object, or a parameter.

    path : from the outermost object on: `levels[].name`; values : what it holds, in words
    is_required : whether whoever sends it must give it
    where : of a parameter: address, parameter or header
    """

    path: str
    values: str
    about: SafeString
    is_required: bool
    where: str = ""


def marked(text: str) -> SafeString:
    """A text of the schema as HTML."""
    return SafeString(to_html(text))


def resolved(schema: Schema, components: dict[str, Schema]) -> Schema:
    """A schema without references and without null: what stands in their path."""
    if reference := schema.get("$ref"):
        return resolved(components[reference.removeprefix(COMPONENT)], components)
    for word in ("allOf", "oneOf", "anyOf"):
        options = [option for option in schema.get(word, []) if option.get("type") != "null"]
        if len(options) == 1:
            own = {name: value for name, value in schema.items() if name != word}
            return {**resolved(options[0], components), **own}
    return schema


def fields_of(
    schema: Schema, components: dict[str, Schema], *, path: str = "", depth: int = 0
) -> Iterator[Field]:
    """The fields of an object, and of those in it, each after the one that holds it."""
    whole = resolved(schema, components)
    if whole.get("type") == "array":
        yield from fields_of(whole["items"], components, path=f"{path}[]", depth=depth)
        return
    required_names = whole.get("required", [])
    for name, field in whole.get("properties", {}).items():
        own_path = f"{path}.{name}" if path else name
        about = field.get("description") or resolved(field, components).get("description", "")
        yield Field(own_path, in_words(field, components), marked(about), name in required_names)
        if depth < DEEPEST:
            yield from fields_of(field, components, path=own_path, depth=depth + 1)


def in_words(schema: Schema, components: dict[str, Schema]) -> str:
    """The kind of a value: "list of texts", "whole number, 1 to 100, or null"."""
    whole = resolved(schema, components)
    text = kind_of(whole, components) + limits_of(whole)
    return f"{text}, or null" if may_be_null(schema, components) else text


def kind_of(whole: Schema, components: dict[str, Schema]) -> str:
    """The type of a value, or the values to choose from."""
    if choices := [choice for choice in whole.get("enum", []) if choice]:
        texts = [str(choice) for choice in choices]
        if len(texts) > MAX_CHOICES:
            texts = [*texts[:MAX_CHOICES], "…"]
        return " | ".join(texts)
    if options := whole.get("oneOf"):
        return " or ".join(
            dict.fromkeys(kind_of(resolved(option, components), components) for option in options)
        )
    types = whole.get("type", "")
    names = [name for name in ([types] if isinstance(types, str) else types) if name != "null"]
    if names == ["array"]:
        return f"list of: {in_words(whole.get('items', {}), components)}"
    if whole.get("format") in WORDS:
        return WORDS[whole["format"]]
    return " or ".join(WORDS.get(name, "any value") for name in names) or "any value"


def limits_of(whole: Schema) -> str:
    """The bounds of a value, as words after its type."""
    low, high = whole.get("minimum"), whole.get("maximum")
    if low is not None and high is not None:
        return f", {low:,} to {high:,}"
    if low is not None:
        return f", {low:,} or more"
    if high is not None:
        return f", {high:,} at most"
    longest = whole.get("maxLength")
    return f", {longest:,} characters at most" if longest else ""


def may_be_null(schema: Schema, components: dict[str, Schema]) -> bool:
    """True if null is among the values."""
    if "$ref" in schema:
        return may_be_null(components[schema["$ref"].removeprefix(COMPONENT)], components)
    options = [option for word in ("oneOf", "anyOf") for option in schema.get(word, [])]
    return (
        "null" in schema.get("type", "")
        or None in schema.get("enum", [])
        or any(may_be_null(option, components) for option in options)
    )
