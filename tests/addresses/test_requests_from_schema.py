"""Requests that schemathesis makes of the schema, good ones and bad ones, as each role.

None fails in the server, and none gets an answer that the schema does not tell of.
"""

import json
from typing import Any, NamedTuple

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.generation.feedback import NO_FEEDBACK
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from config.reference.operations import schema_text
from tests.addresses.access_table import World, url_of
from tests.addresses.test_schema import api_addresses, path_of

pytestmark = pytest.mark.django_db
OF_OTHER_TESTS = [
    positive_data_acceptance,  # rules that no schema tells of refuse more
    ignored_auth,  # tokens are the access matrix's matter
]
# refusals before anything reads what is sent: by its size, and by what `If-Match` names
UNREAD = ("412", "413")
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


class KnownOperation(NamedTuple):
    """An operation, and the values in its address of what is there."""

    operation: APIOperation
    values: dict[str, Any]


@pytest.fixture(autouse=True)
def any_pace(settings):
    """A token may send as many requests as it likes."""
    settings.API_REQUESTS_A_MINUTE = 1_000_000


@pytest.fixture(scope="module", autouse=True)
def open_connection():
    """Requests leave the connection of the test open, as those of Django's client do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def operations(world) -> list[KnownOperation]:
    """Every operation of the schema, with the addresses of the world."""
    document = json.loads(schema_text())
    schema: BaseSchema = schemathesis.openapi.from_dict(document)
    schema.app = get_wsgi_application()
    refusal = schema.config.checks.negative_data_rejection
    refusal.expected_statuses = [*refusal.expected_statuses, *UNREAD]
    return [
        KnownOperation(schema[path][method], values)
        for path, values in known_paths(document, world).items()
        for method in document["paths"][path]
    ]


def known_paths(document: dict[str, Any], world: World) -> dict[str, dict[str, Any]]:
    """Each path of the schema with the values that its parameters have in the world."""
    paths = {}
    for address in api_addresses():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        path = path_of(document, url)
        words = zip(path.strip("/").split("/"), url.strip("/").split("/"), strict=False)
        paths[path] = {word[1:].partition("}")[0]: value for word, value in words if word[0] == "{"}
    return paths


def check_answers(world: World, principal: str, known: KnownOperation, *, n_cases: int) -> None:
    """Make requests of an operation, send them, and check the answers.

    They are the same in every run: no value is a literal of whatever modules are loaded.
    """
    strategy = st.sampled_from(MODES).flatmap(
        lambda mode: st.sampled_from([known.values or None, None]).flatmap(
            lambda values: known.operation.as_strategy(
                mode, path_parameters=values, feedback=NO_FEEDBACK
            )
        )
    )

    @hypothesis_settings(
        max_examples=n_cases,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def check(case: Case) -> None:
        case.headers["Authorization"] = f"Bearer {world.secrets[principal]}"
        with transaction.atomic():
            answer = case.call()
            transaction.set_rollback(True)
        case.validate_response(answer, excluded_checks=OF_OTHER_TESTS)

    check()


@pytest.mark.full
@pytest.mark.parametrize("principal", ["annotator", "lead", "researcher", "admin"])
def test_every_answer_is_told_of(world, operations, principal):
    for known in operations:
        check_answers(world, principal, known, n_cases=4)


@pytest.mark.heavy
@pytest.mark.parametrize("principal", ["annotator", "lead", "researcher", "admin"])
def test_thousands_of_answers_are_told_of(world, operations, principal):
    """With all four roles 10,000 requests; some minutes."""
    for known in operations:
        check_answers(world, principal, known, n_cases=22)
