"""Who sits at the browser."""

import pytest
from django.test import Client

from annotate.models import User


@pytest.fixture
def researcher(client: Client, researcher: User) -> User:
    client.force_login(researcher)
    return researcher
