"""The world that the tests of all addresses send their requests to."""

from collections.abc import Iterator

import pytest
from django.test.utils import override_settings
from pytest_django import DjangoDbBlocker

from tests.addresses.access_table import World, build
from tests.tables.table_cleanup import module_rows


@pytest.fixture(scope="module")
def world(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    """One world for all tests of a module: each request is undone."""
    folder = tmp_path_factory.mktemp("media")
    with module_rows(django_db_blocker), override_settings(MEDIA_ROOT=folder):
        yield build(folder)
