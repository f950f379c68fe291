"""The examples of the schema: each operation has them, and they are what the site answers.

Where the site answers otherwise, this records them anew:

    python3 manage.py test --heavy tests/config/reference/test_recorded_examples.py
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from annotate.api.schema import EXAMPLES_FILE
from annotate.models import ApiToken, Role
from annotate.services.people import tokens
from config.reference.operations import schema_text
from tests import campaigns, cast
from tests.config.reference.recorder import JSON, TEXTS, UUID, Recorder, recording
from tests.config.reference.story import tell

SCHEMA = json.loads(schema_text())
OPERATIONS = [operation for methods in SCHEMA["paths"].values() for operation in methods.values()]


@pytest.fixture
def recorder(media_root, broker, settings) -> Iterator[Recorder]:
    """A recorder that has told the whole story."""
    settings.API_REQUESTS_A_MINUTE = 1_000_000
    campaign = campaigns.campaign("shapes")
    cast.member(campaign.collection, Role.RESEARCHER, campaign.lead)
    people = {"lead": campaign.lead, "annotator": campaign.annotators[1].user}
    secrets = {
        name: tokens.create_token(
            user=person, name="script", scopes=list(ApiToken.Scope), days=1
        ).secret
        for name, person in people.items()
    }
    with recording(SCHEMA, secrets) as recorder:
        tell(recorder, campaign)
        yield recorder


def shape_of(value: Any) -> Any:
    """The form of a value of JSON: its fields, and the types in them."""
    if isinstance(value, dict):
        return {name: shape_of(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape_of(inner) for inner in value]
    return type(value).__name__


def answers(operation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The bodies of an operation's answers that are no refusals, with their media types."""
    return [
        (media_type, content)
        for status, answer in operation["responses"].items()
        for media_type, content in answer.get("content", {}).items()
        if status < "300"
    ]


def faults_of(name: str, content: dict[str, Any]) -> list[str]:
    """The faults of an example by the schema of its body."""
    validator = Draft202012Validator({**content["schema"], "components": SCHEMA["components"]})
    faults = validator.iter_errors(content["example"])
    return [f"{name} {fault.json_path}: {fault.message}" for fault in faults]


def test_every_request_of_json_has_an_example_that_fits_its_schema():
    faults, n_examples = [], 0
    for operation in OPERATIONS:
        contents = operation.get("requestBody", {}).get("content", {})
        if JSON in contents:
            faults += faults_of(operation["operationId"], contents[JSON])
            n_examples += 1
    assert "\n".join(faults) == "" and n_examples > 20


def test_every_answer_that_can_be_read_has_an_example_that_fits_its_schema():
    faults, n_examples = [], 0
    for operation in OPERATIONS:
        name, contents = operation["operationId"], answers(operation)
        examples = [content for _, content in contents if "example" in content]
        is_readable = any(media_type in (JSON, *TEXTS) for media_type, _ in contents)
        assert len(examples) == is_readable, name
        for content in examples:
            faults += faults_of(name, content)
            n_examples += 1
    assert "\n".join(faults) == "" and n_examples > 90


def test_examples_of_lists_have_an_entry():
    pages = [
        (operation["operationId"], content["example"])
        for operation in OPERATIONS
        for _, content in answers(operation)
        if "next" in content.get("example", {})
    ]
    empty_pages = [name for name, page in pages if [] in page.values()]
    assert empty_pages == [] and len(pages) > 20


def test_no_example_holds_a_secret_or_a_person():
    text = EXAMPLES_FILE.read_text().replace(UUID, "")
    assert set(re.findall(r"whsec_[\w+/=.]+", text)) == {"whsec_..."}
    assert re.findall(r"/invitations/(\D[^/]*)/", text) == ["..."]
    assert set(re.findall(r"@\w+\.[\w.-]+", text)) == {"@example.org", "@invited.example"}
    assert not re.search(r"[\w-]{30,}", re.sub(r"\w+_\w+|[0-9a-f]{32,}", "", text))


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_the_examples_are_what_the_site_answers(recorder):
    recorded = json.loads(EXAMPLES_FILE.read_text())
    assert shape_of(recorded) == shape_of(recorder.examples), "record them anew: see above"


@pytest.mark.heavy
@pytest.mark.django_db(transaction=True)
def test_the_examples_are_recorded_anew(recorder):
    """Write the file, unless the site answers in the form that it has."""
    recorded = json.loads(EXAMPLES_FILE.read_text()) if EXAMPLES_FILE.exists() else {}
    if shape_of(recorded) == shape_of(recorder.examples):
        pytest.skip("the examples are as the site answers")
    by_name = dict(sorted(recorder.examples.items()))
    text = json.dumps(by_name, indent=1, ensure_ascii=False)
    EXAMPLES_FILE.write_text(f"{text}\n")
