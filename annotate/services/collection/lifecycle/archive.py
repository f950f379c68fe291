"""The archive: a collection in it is read and downloaded, and nothing new is begun in it."""

from django.core.exceptions import PermissionDenied

from annotate.models import Collection


class CollectionArchived(PermissionDenied):
    """The collection is archived, so that nothing is begun in it: 403 by page and API."""


def archived_text(collection: Collection) -> str:
    """The moment since which a collection is archived, in UTC; "" for one that is not."""
    at = collection.archived_at
    return f"archived since {at:%-d %B %Y, %H:%M} UTC" if at else ""


def lock_unarchived(*, collection_id: int) -> Collection:
    """Lock a collection, so that nobody archives it meanwhile. Raises CollectionArchived."""
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection_id)
    _require_unarchived(collection)
    return collection


def require_unarchived(*, collection_id: int) -> None:
    """Raise CollectionArchived if a collection is archived now; nobody waits for this check.

    For long work, and for what locks other rows before the collection's or would wait for them.
    """
    _require_unarchived(Collection.objects.get(pk=collection_id))


def _require_unarchived(collection: Collection) -> None:
    if collection.archived_at is not None:
        raise CollectionArchived(
            f"“{collection}” was archived on {collection.archived_at:%-d %B %Y, %H:%M} UTC: it can "
            "be read and downloaded, but nothing is uploaded or opened in it until a lead "
            "unarchives it."
        )
