"""The schema of the API: what drf-spectacular cannot see in an endpoint.

Loaded by rest_framework's settings: imports none of its views.
"""

import json
import re
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

JSON = "application/json"
PROBLEM = "application/problem+json"
EXAMPLES_FILE = Path(__file__).with_name("examples.json")
CHANGING = ("PUT", "PATCH", "DELETE")
OF_ALL = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_ACCEPTABLE,
    HTTPStatus.TOO_MANY_REQUESTS,
)
OF_BODIES = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
)
IDEMPOTENCY_KEY = OpenApiParameter(
    name="Idempotency-Key",
    type=OpenApiTypes.STR,
    location=OpenApiParameter.HEADER,
    description="Any text of your own, 255 characters at most: sent again with it within a day, "
    "the request gets its first answer, and nothing is done a second time.",
)

IF_MATCH = OpenApiParameter(
    name="If-Match",
    type=OpenApiTypes.STR,
    location=OpenApiParameter.HEADER,
    description="The `ETag` that was read: 412 where something has changed since.",
)


class FaultAnswer(serializers.Serializer):
    """The fault of one field."""

    field = serializers.CharField(help_text="Its place, such as `levels.2.name`.")
    message = serializers.CharField()


class ProblemAnswer(serializers.Serializer):
    """A refusal, in the form of RFC 9457."""

    type = serializers.CharField(help_text="`about:blank`: the status says all of it.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="A sentence that says what is wrong.")
    errors = FaultAnswer(many=True, required=False)  # type: ignore[assignment]


class EndpointSchema(AutoSchema):
    """Adds refusals, the scope, the header of what can be repeated, and examples."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Any:
        """The operation, with each status that refuses it."""
        operation = super().get_operation(path, path_regex, path_prefix, method, registry)
        if operation is not None:
            if method == "GET":  # by the headers of conditions; neither has a body
                for status in (HTTPStatus.NOT_MODIFIED, HTTPStatus.PRECONDITION_FAILED):
                    bare_answer = {"description": status.phrase}
                    operation["responses"].setdefault(str(status.value), bare_answer)
            problem = self.resolve_serializer(ProblemAnswer(), "response").ref
            for status in refusals(method, operation):
                operation["responses"].setdefault(
                    str(status.value),
                    {"description": status.phrase, "content": {PROBLEM: {"schema": problem}}},
                )
            add_examples(operation)
        return operation

    def get_operation_id(self) -> str:
        """The method and the endpoint: `get_release`."""
        words = re.findall("[A-Z][a-z]*", self.view.__class__.__name__.removesuffix("View"))
        return "_".join([self.method, *words]).lower()

    def get_serializer_name(self, serializer: serializers.Serializer, direction: str) -> str:
        """The name of its class; drf-spectacular adds Request to that of what is sent."""
        name = type(serializer).__name__
        return name.removesuffix("Request") if direction == "request" else name

    def get_tags(self) -> list[str]:
        """The module of the endpoint: operations on one thing stand together."""
        return [self.view.__class__.__module__.rpartition(".")[2].replace("_", " ")]

    def get_override_parameters(self) -> list[Any]:
        """The header of a request that can be sent again, or that changes what was read."""
        if self.method in CHANGING and hasattr(self.view, "get"):
            return [IF_MATCH]
        handler = getattr(self.view, self.method.lower())
        return [IDEMPOTENCY_KEY] if getattr(handler, "is_repeatable", False) else []


class TokenScheme(OpenApiAuthenticationExtension):
    """Tokens, with the scope that an operation needs."""

    target_class = "annotate.sign_in.authentication.TokenAuthentication"
    name = "token"

    def get_security_requirement(self, auto_schema: Any) -> Any:
        """The scope, if any."""
        scope_of = getattr(auto_schema.view, "scope_of", None)
        scope = scope_of(auto_schema.method) if scope_of else ""
        return {self.name: [str(scope)] if scope else []}

    def get_security_definition(self, auto_schema: Any) -> Any:
        """A token in the header `Authorization`."""
        return {"type": "http", "scheme": "bearer"}


@cache
def examples() -> dict[str, dict[str, Any]]:
    """A request and its answer for each operation; a test of the reference records them.

    status, and where they have a body `media_type`, `answer` and `request`
    """
    recorded: dict[str, dict[str, Any]] = json.loads(EXAMPLES_FILE.read_bytes())
    return recorded


def add_examples(operation: dict[str, Any]) -> None:
    """Add the examples to the bodies of an operation that are theirs."""
    example = examples().get(operation["operationId"], {})
    if "request" in example:
        operation["requestBody"]["content"][JSON]["example"] = example["request"]
    if "answer" in example:
        answer = operation["responses"][str(example["status"])]
        answer["content"][example["media_type"]]["example"] = example["answer"]


def refusals(method: str, operation: dict[str, Any]) -> list[HTTPStatus]:
    """The statuses by which an operation may be refused."""
    places = {parameter["in"] for parameter in operation.get("parameters", [])}
    statuses = [*OF_ALL]
    if places & {"path", "query"} or method != "GET":  # a cursor may point nowhere
        statuses.append(HTTPStatus.NOT_FOUND)
    if "requestBody" in operation:
        statuses += OF_BODIES
    elif places & {"path", "query"}:  # an address with a NUL character
        statuses.append(HTTPStatus.BAD_REQUEST)
    if method in CHANGING:
        statuses.append(HTTPStatus.PRECONDITION_FAILED)
    if method != "GET" or places & {"path", "query"}:
        statuses.append(HTTPStatus.UNPROCESSABLE_ENTITY)
    return statuses
