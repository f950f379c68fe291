"""The operations of the API, as its schema describes them, for the pages of the reference."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from config.reference.examples import request_line
from config.reference.values import Field, Schema, fields_of, in_words, marked

SCHEMA_FILE = Path(__file__).with_name("openapi.json")
METHODS = ("get", "post", "put", "patch", "delete")
PROBLEM = "application/problem+json"
PLACES = {"path": "address", "query": "parameter", "header": "header"}


class Content(NamedTuple):
    """The body of a request or an answer; fields : empty where it is no object."""

    media_types: list[str]
    values: str
    fields: list[Field]


class OperationAnswer(NamedTuple):
    """An answer that is no refusal.

    label : of its fields, which tells it from others; example : its body as text, "" without one
    """

    status: int
    about: str
    body: Content | None
    label: str
    example: str


@dataclass(frozen=True)
class Operation:
    """A method of an address.

    scope : of the token, "" for any; refusals : the statuses of its refusals
    example : a line of curl
    """

    name: str
    method: str
    path: str
    about: str
    scope: str
    parameters: list[Field]
    body: Content | None
    answers: list[OperationAnswer]
    refusals: list[int]
    example: str

    @property
    def summary(self) -> SafeString:
        """Its first line, as HTML."""
        return marked(self.about.partition("\n")[0])

    @property
    def details(self) -> SafeString:
        """Its other lines, as HTML."""
        return marked(self.about.partition("\n")[2])

    @property
    def parameters_label(self) -> str:
        """The name of the table of its parameters."""
        return f"Parameters of {self.method} {self.path}"

    @property
    def body_label(self) -> str:
        """The name of the table of what is sent."""
        return f"Fields of {self.name}"

    @property
    def example_answer(self) -> OperationAnswer | None:
        """The answer that has an example."""
        return next((answer for answer in self.answers if answer.example), None)


class Group(NamedTuple):
    """The operations on one thing."""

    slug: str
    title: str
    operations: list[Operation]


@cache
def schema_text() -> bytes:
    """The schema, as programs get it."""
    return SCHEMA_FILE.read_bytes()


@cache
def groups() -> dict[str, Group]:
    """All operations by the part of the API that they belong to."""
    by_slug: dict[str, Group] = {}
    for tag, operation in operations_of(json.loads(schema_text())):
        slug = tag.replace(" ", "-")
        by_slug.setdefault(slug, Group(slug, tag.capitalize(), [])).operations.append(operation)
    return dict(sorted(by_slug.items()))


def operations_of(schema: Schema) -> Iterator[tuple[str, Operation]]:
    """Each operation and its tag, by address."""
    components = schema["components"]["schemas"]
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                yield (
                    methods[method]["tags"][0],
                    read_operation(path, method, methods[method], components),
                )


def read_operation(
    path: str, method: str, operation: Schema, components: dict[str, Schema]
) -> Operation:
    """Read one operation."""
    request_contents = operation.get("requestBody", {}).get("content", {})
    answers, refusals = [], []
    for status, answer in operation["responses"].items():
        contents = answer.get("content", {})
        if int(status) == HTTPStatus.NOT_MODIFIED:  # of every operation that reads
            continue
        if PROBLEM in contents or int(status) >= HTTPStatus.BAD_REQUEST:
            refusals.append(int(status))
        else:
            about = answer["description"] or HTTPStatus(int(status)).phrase
            answers.append(
                OperationAnswer(
                    int(status),
                    about,
                    body_of(contents, components),
                    f"Fields of {operation['operationId']} {status}",
                    example_text(contents),
                )
            )
    return Operation(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        about=operation.get("description", ""),
        scope="".join(operation["security"][0]["token"]) if operation.get("security") else "",
        parameters=[
            Field(
                parameter["name"],
                in_words(parameter["schema"], components),
                marked(parameter.get("description", "")),
                parameter.get("required", False),
                where=PLACES[parameter["in"]],
            )
            for parameter in operation.get("parameters", [])
        ],
        body=body_of(request_contents, components),
        answers=answers,
        refusals=sorted(refusals),
        example=request_line(
            method, path, operation.get("parameters", []), request_contents, components
        ),
    )


def example_text(contents: dict[str, Any]) -> str:
    """The example of a body: JSON in lines, or the first lines of a text; "" without one."""
    for content in contents.values():
        if (example := content.get("example")) is not None:
            return example if isinstance(example, str) else json.dumps(example, indent=2)
    return ""


def body_of(contents: dict[str, Any], components: dict[str, Schema]) -> Content | None:
    """The body of a request or an answer; None without one."""
    if not contents:
        return None
    schema = next(iter(contents.values())).get("schema", {})
    return Content(
        list(contents), in_words(schema, components), list(fields_of(schema, components))
    )
