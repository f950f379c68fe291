"""Deletion of files, once the rows that named them are deleted."""

from django.core.files.storage import Storage, default_storage
from django.db import transaction


def delete_on_commit(name: str, *, storage: Storage = default_storage) -> None:
    """Delete a file once this transaction holds; where its store fails, that is logged alone."""

    def delete() -> None:
        storage.delete(name)

    transaction.on_commit(delete, robust=True)
