"""The schema of the API tells of every operation, and every answer is as it says."""

import json
import re
from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import get_resolver
from drf_spectacular.drainage import GENERATOR_STATS, reset_generator_stats
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from jsonschema import Draft202012Validator
from rest_framework.views import APIView

from config.reference.operations import schema_text
from tests.addresses.access_table import Address, addresses, send_request, url_of

pytestmark = pytest.mark.django_db
PARAMETER = re.compile(r"\{\w+\}")
METHODS = ("get", "post", "put", "patch", "delete")
JSON = re.compile(r"application/(problem\+)?json")


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The schema, as programs get it."""
    reset_generator_stats()
    made_schema = SchemaGenerator().get_schema(request=None, public=True)
    return json.loads(OpenApiJsonRenderer().render(made_schema))


def api_addresses() -> list[Address]:
    """The addresses of the API but for the one of all that does not exist."""
    return [
        address
        for address in addresses()
        if address.name.startswith("api:") and address.name != "api:unknown"
    ]


def path_of(schema: dict[str, Any], url: str) -> str:
    """The path of the schema that an address belongs to: the one with the fewest parameters."""
    matches = []
    for path in schema["paths"]:
        pattern = PARAMETER.sub("[^/]+", path.replace("{path}", ".+"))
        if re.fullmatch(pattern, url):
            matches.append(path)
    assert matches, f"{url} is in no path of the schema"
    return min(matches, key=lambda path: path.count("{"))


def faults_of(schema: dict[str, Any], url: str, method: str, answer: HttpResponseBase) -> list[str]:
    """What an answer has that its operation does not tell of."""
    operation = schema["paths"][path_of(schema, url)].get(method.lower())
    if operation is None:
        return [] if answer.status_code == 405 else [f"{method} is not told of"]
    told = operation["responses"].get(str(answer.status_code))
    if told is None:
        return [f"status {answer.status_code} is not told of"]
    media_type = answer.headers.get("Content-Type", "").partition(";")[0]
    contents = told.get("content", {})
    if contents and "*/*" not in contents and media_type not in contents:
        return [f"{media_type} is none of {', '.join(contents)}"]
    if not JSON.fullmatch(media_type):
        return []
    if media_type not in contents:
        return [f"{media_type} is not told of"]
    validator = Draft202012Validator(
        {**contents[media_type]["schema"], "components": schema["components"]}
    )
    return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(answer.json())]


def test_the_schema_is_made_without_a_warning(schema):
    assert not GENERATOR_STATS


def test_the_file_that_the_site_serves_is_what_the_code_gives(schema):
    assert json.loads(schema_text()) == schema, "renew it: see docs/adr/0029"


def test_every_method_of_every_endpoint_is_told_of(schema, world):
    missing = []
    for address in api_addresses():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        view = get_resolver().resolve(url).func.view_class
        assert issubclass(view, APIView)
        told = schema["paths"][path_of(schema, url)]
        missing += [
            f"{method} {url}" for method in METHODS if hasattr(view, method) != (method in told)
        ]
    assert missing == []


def test_every_answer_to_a_condition_is_told_of(schema, world, settings):
    settings.API_REQUESTS_A_MINUTE = 1_000_000
    conditions = (
        {"Accept": "text/html"},
        {"If-None-Match": "*"},
        {"If-Match": '"x"'},
        {"Range": "bytes=0-"},
        {"Range": "bytes=-0"},
    )
    headers = {"Authorization": f"Bearer {world.secrets['lead']}"}
    faults, statuses = [], set()
    client = Client()
    for address in api_addresses():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        if "get" not in schema["paths"][path_of(schema, url)]:
            continue
        for condition in conditions:
            answer = client.get(url, headers={**headers, **condition})
            statuses.add(answer.status_code)
            faults += [
                f"{url} {condition}: {fault}" for fault in faults_of(schema, url, "GET", answer)
            ]
    assert "\n".join(faults) == ""
    assert {200, 206, 304, 406, 412, 416} <= statuses


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("principal", ["annotator", "lead", "researcher", "admin"])
def test_every_answer_is_as_the_schema_says(schema, world, principal, method):
    faults = []
    for address in api_addresses():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        answer = send_request(world, principal, method, address.name, url, {})
        faults += [f"{url}: {fault}" for fault in faults_of(schema, url, method, answer)]
    assert "\n".join(faults) == ""


def test_an_address_with_a_line_feed_is_refused_as_any_other(client):
    answer = client.get("/api/v1/collections/%0A/judgments/")
    assert answer["Content-Type"] == "application/problem+json"
