"""Files go with their rows, and a store that fails does not undo what is written down."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.db import transaction

from annotate.services.storage.files import delete_on_commit


class BrokenStorage(FileSystemStorage):
    """A store that is away."""

    def delete(self, name: str) -> None:
        raise OSError("the store is away")


@pytest.mark.django_db(transaction=True)
def test_a_file_goes_with_the_transaction_and_not_before(tmp_path):
    storage = FileSystemStorage(tmp_path)
    name = storage.save("run.trec", ContentFile(b"q1"))
    with transaction.atomic():
        delete_on_commit(name, storage=storage)
        assert storage.exists(name)
    assert not storage.exists(name)


@pytest.mark.django_db(transaction=True)
def test_a_store_that_fails_is_told_to_the_log_alone(tmp_path, caplog):
    with transaction.atomic():
        delete_on_commit("run.trec", storage=BrokenStorage(tmp_path))
    assert "the store is away" in caplog.text
