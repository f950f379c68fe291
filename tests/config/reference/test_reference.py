"""The reference of the API: its pages have every operation, in words, with a request that works."""

import json
import shlex

import pytest
from django.urls import resolve

from config.reference.operations import groups, schema_text
from config.reference.values import fields_of, in_words

COMPONENTS = {
    "Level": {
        "type": "object",
        "description": "A level of the scheme.",
        "properties": {
            "grade": {"type": "integer", "minimum": 0, "maximum": 100},
            "name": {"type": "string", "maxLength": 40, "description": "As people see it."},
        },
        "required": ["grade"],
    },
    "State": {"enum": ["open", "closed"], "type": "string"},
}
LEVEL = {"$ref": "#/components/schemas/Level"}
STATE = {"$ref": "#/components/schemas/State"}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "maxLength": 2000}, "text, 2,000 characters at most"),
        ({"type": ["string", "null"], "format": "date-time"}, "moment, or null"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "whole number, 1 to 9"),
        ({"type": "integer", "minimum": 0}, "whole number, 0 or more"),
        ({"type": "number", "maximum": 1}, "number, 1 at most"),
        ({"type": "array", "items": {"type": "boolean"}}, "list of: true or false"),
        ({"type": "array", "items": LEVEL}, "list of: object"),
        (STATE, "open | closed"),
        ({"oneOf": [STATE, {"type": "null"}]}, "open | closed, or null"),
        ({"allOf": [STATE], "description": "Now."}, "open | closed"),
        ({"enum": ["a", "", None], "type": ["string", "null"]}, "a, or null"),
        (
            {"enum": [str(n) for n in range(14)]},
            "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | …",
        ),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, "whole number or text"),
        ({}, "any value"),
    ],
)
def test_values_are_told_in_words(schema, words):
    assert in_words(schema, COMPONENTS) == words


def test_fields_of_an_object_are_followed_by_those_in_them():
    schema = {
        "type": "object",
        "properties": {"levels": {"type": "array", "items": LEVEL}, "level": LEVEL},
    }
    fields = list(fields_of(schema, COMPONENTS))
    assert [(field.path, field.is_required) for field in fields] == [
        ("levels", False),
        ("levels[].grade", True),
        ("levels[].name", False),
        ("level", False),
        ("level.grade", True),
        ("level.name", False),
    ]
    assert str(fields[2].about) == "<p>As people see it.</p>\n"
    assert str(fields[3].about) == "<p>A level of the scheme.</p>\n"


def test_an_object_in_itself_ends():
    components = {
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    }
    fields = list(fields_of({"$ref": "#/components/schemas/Node"}, components))
    assert fields[-1].path == "next.next.next.next.next"


def test_every_operation_is_on_the_page_and_on_that_of_its_group(client, db):
    page = client.get("/api/").content.decode()
    schema = json.loads(schema_text())
    n_operations = sum(len(methods) for methods in schema["paths"].values())
    operations = [operation for group in groups().values() for operation in group.operations]
    assert len(operations) == n_operations > 30
    for group in groups().values():
        group_page = client.get(f"/api/{group.slug}/").content.decode()
        for operation in group.operations:
            assert f'href="/api/{group.slug}/#{operation.name}"' in page
            assert f'id="{operation.name}"' in group_page


def test_the_groups_lead_to_one_another(client, db):
    page = client.get("/api/").content.decode()
    for slug in groups():
        assert f'href="#{slug}-title"' in page and f'id="{slug}-title"' in page
        group_page = client.get(f"/api/{slug}/").content.decode()
        assert [other for other in groups() if f'href="/api/{other}/"' not in group_page] == []
        words = " ".join(group_page.split())
        assert f'href="/api/{slug}/" aria-current="page"' in words


def test_a_request_stands_beside_its_answer(client, db):
    page = client.get("/api/members/").content.decode()
    assert "&quot;role&quot;: &quot;annotator&quot;" in page
    for group in groups().values():
        for operation in group.operations:
            answers_in_json = [
                answer
                for answer in operation.answers
                if answer.body and "application/json" in answer.body.media_types
            ]
            assert bool(operation.example_answer) >= bool(answers_in_json), operation.name


def test_requests_can_be_pasted_into_a_shell():
    for group in groups().values():
        for operation in group.operations:
            words = shlex.split(operation.example)
            assert words[0] == "curl" and "{" not in words[-1], operation.example
            assert "..." not in operation.example
            for parameter in operation.parameters:
                if parameter.where == "parameter" and parameter.is_required:
                    assert f"{parameter.path}=" in words[-1]
            if "-d" in words:
                sent = json.loads(words[words.index("-d") + 1])
                assert isinstance(sent, dict) and sent, operation.example


def test_addresses_of_requests_fit_the_addresses_of_the_site():
    for group in groups().values():
        for operation in group.operations:
            address = shlex.split(operation.example)[-1].removeprefix("$ASSAYER").partition("?")[0]
            assert resolve(address).url_name != "unknown", operation.example


def test_the_schema_is_fetched_once_and_then_known_by_its_etag(client):
    answer = client.get("/api/openapi.json")
    assert answer.status_code == 200 and answer.json()["openapi"] == "3.1.1"
    again = client.get("/api/openapi.json", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_what_is_no_group_is_not_found(client, db):
    assert client.get("/api/nothing/").status_code == 404
