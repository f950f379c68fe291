"""The people of the cast at the browser: the last one that a test asks for is signed in.

The conftest.py of a room whose tests look at pages takes them from here, in front of those of the cast.
"""

import pytest
from django.test import Client

from annotate.models import Annotator, User

__all__ = ["annotator", "lead", "researcher"]


@pytest.fixture
def lead(client: Client, lead: User) -> User:
    """Who leads the collection, signed in."""
    client.force_login(lead)
    return lead


@pytest.fixture
def researcher(client: Client, researcher: User) -> User:
    """Who measures in the collection, signed in."""
    client.force_login(researcher)
    return researcher


@pytest.fixture
def annotator(client: Client, annotator: Annotator) -> Annotator:
    """Who judges in the collection, signed in."""
    client.force_login(annotator.user)
    return annotator
