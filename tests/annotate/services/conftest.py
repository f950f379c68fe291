"""Fixtures that several modules of this folder share."""

import pytest

from annotate.models import Collection
from tests import cast


@pytest.fixture
def few_items(collection: Collection) -> None:
    """Two queries and three documents."""
    cast.items(collection, "query", 2)
    cast.items(collection, "document", 3)
