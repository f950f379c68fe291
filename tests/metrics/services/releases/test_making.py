"""Releases are made whole or not at all, of one moment, with the same bytes from the same data."""

import pytest

from tests.metrics import studies
from tests.metrics.services.releases.made_releases import folder, made_release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture
def study():
    return studies.unordered_study()


def test_the_documents_and_files_are_there(study):
    files = folder(made_release(study))
    print(sorted(files))
    print(files["README.md"].decode())
    assert 0
