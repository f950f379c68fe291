"""A request for each operation, as a line of curl."""

import json
import re
import shlex
from typing import Any

from config.reference.values import Schema, resolved

IN_ADDRESSES = {"slug": "shapes", "version": "1.0", "id": "1", "table": "grades"}  # parameters
JSON = "application/json"


def request_line(
    method: str, path: str, contents: dict[str, Any], components: dict[str, Schema]
) -> str:
    """The request that makes an operation; $ASSAYER is the site, $TOKEN a token.

    contents : of what is sent, by media type; an example in it is sent, else its required fields
    """
    address = re.sub(r"\{(\w+)\}", lambda match: IN_ADDRESSES.get(match[1], match[1]), path)
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
    """The example that the schema has, else a value for each required field."""
    for example in content.get("examples", {}).values():
        return dict(example["value"])
    whole = resolved(content["schema"], components)
    return {
        name: placeholder(resolved(whole["properties"][name], components))
        for name in whole.get("required", [])
    }


def placeholder(schema: Schema) -> Any:
    """A value of the type that a field has."""
    if choices := schema.get("enum"):
        return choices[0]
    if schema.get("format") == "binary":
        return "@file"
    return {"integer": 1, "number": 0.5, "boolean": True, "array": [], "object": {}}.get(
        str(schema.get("type")), "..."
    )
