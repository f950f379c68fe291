"""Who sits at the browser: the last person that a test asks for."""

import pytest
from django.test import Client

from annotate.models import Annotator, User


@pytest.fixture
def lead(client: Client, lead: User) -> User:
    client.force_login(lead)
    return lead


@pytest.fixture
def researcher(client: Client, researcher: User) -> User:
    client.force_login(researcher)
    return researcher


@pytest.fixture
def annotator(client: Client, annotator: Annotator) -> Annotator:
    client.force_login(annotator.user)
    return annotator
