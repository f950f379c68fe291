"""The people of the cast, signed in at the client: the last one that a test requests.

The conftest.py of a folder whose tests request pages imports them; they override the cast's.
"""

import pytest
from django.test import Client

from annotate.models import Annotator, User

__all__ = ["annotator", "lead", "researcher"]


@pytest.fixture
def lead(client: Client, lead: User) -> User:
    """The lead of the collection, signed in."""
    client.force_login(lead)
    return lead


@pytest.fixture
def researcher(client: Client, researcher: User) -> User:
    """The researcher of the collection, signed in."""
    client.force_login(researcher)
    return researcher


@pytest.fixture
def annotator(client: Client, annotator: Annotator) -> Annotator:
    """The annotator of the collection, signed in."""
    client.force_login(annotator.user)
    return annotator
