"""A request for each operation, as a line of curl."""

import json
import re
import shlex
from typing import Any

from config.reference.values import Schema, resolved

IN_ADDRESSES = {  # parameters of addresses
    "slug": "shapes",
    "version": "1.0",
    "id": "1",
    "delivery": "1",
    "number": "1",
    "table": "grades",
    "name": "positives-per-query",
    "path": "README.md",
    "confirm": "shapes",
    "since": "2026-03-05T00:00:00Z",
}
NAME = "first"  # for fields that are called so
JSON = "application/json"


def request_line(
    method: str,
    path: str,
    parameters: list[Schema],
    contents: dict[str, Any],
    components: dict[str, Schema],
) -> str:
    """The request that makes an operation; $ASSAYER is the site, $TOKEN a token.

    parameters : of them those of the query that are needed stand in the address
    contents : of what is sent, by media type; an example in it is sent, else its required fields
    """
    address = re.sub(r"\{(\w+)\}", lambda match: IN_ADDRESSES.get(match[1], match[1]), path)
    query = [
        f"{parameter['name']}={IN_ADDRESSES.get(parameter['name'], '1')}"
        for parameter in parameters
        if parameter["in"] == "query" and parameter.get("required")
    ]
    address += f"?{'&'.join(query)}" if query else ""
    words = ["curl"] if method == "get" else ["curl", "-X", method.upper()]
    words += ["-H", '"Authorization: Bearer $TOKEN"']
    for media_type, content in contents.items():
        value = example_of(content, components)
        if media_type == JSON:
            words += ["-H", f'"Content-Type: {JSON}"', "-d", shlex.quote(json.dumps(value))]
        else:
            words += [f"-F {name}={shlex.quote(str(part))}" for name, part in value.items()]
        break
    return " ".join([*words, f'"$ASSAYER{address}"'])


def example_of(content: dict[str, Any], components: dict[str, Schema]) -> dict[str, Any]:
    """The example that the schema has; of a form, a value for each required field."""
    if "example" in content:
        return dict(content["example"])
    whole = resolved(content["schema"], components)
    fields = {name: resolved(whole["properties"][name], components) for name in whole["required"]}
    return {name: NAME if name == "name" else placeholder(field) for name, field in fields.items()}


def placeholder(schema: Schema) -> Any:
    """A value of the type that a field has."""
    if choices := schema.get("enum"):
        return choices[0]
    if schema.get("format") == "binary":
        return "@file"
    kinds = schema.get("type", "")
    kind = kinds[0] if isinstance(kinds, list) else kinds  # null stands last
    return {"integer": 1, "number": 0.5, "boolean": True, "array": [], "object": {}}.get(
        kind, "..."
    )
