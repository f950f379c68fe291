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
from django.test.utils import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from config.reference.operations import schema_text
from tests.addresses.access_table import World, build, url_of
from tests.addresses.test_schema import api_addresses, path_of
from tests.tables.table_cleanup import module_rows

pytestmark = pytest.mark.django_db
# rules that a schema cannot tell of refuse more; tokens are the access matrix's matter
OF_OTHER_TESTS = [positive_data_acceptance, ignored_auth]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


class KnownOperation(NamedTuple):
    """An operation, and the values in its address of what is there."""

    operation: APIOperation
    values: dict[str, Any]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all tests here: each request is undone."""
    folder = tmp_path_factory.mktemp("media")
    million = 1_000_000
    with (
        module_rows(django_db_blocker),
        override_settings(MEDIA_ROOT=folder, API_REQUESTS_A_MINUTE=million),
    ):
        yield build(folder)


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
    """Make requests of an operation, send them, and check the answers."""
    strategy = st.sampled_from(MODES).flatmap(
        lambda mode: st.sampled_from([known.values or None, None]).flatmap(
            lambda values: known.operation.as_strategy(mode, path_parameters=values)
        )
    )

    @settings(
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
    for known in operations:
        check_answers(world, principal, known, n_cases=40)
