"""The publication of a collection by releases: its licence, creators, texts and media."""

import logging
from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from annotate.core.publication.creators import StoredCreator
from annotate.models import Collection, User

log = logging.getLogger(__name__)


class Publication(NamedTuple):
    """The words and contents of a collection's releases.

    licence : an SPDX identifier; cite_as : plain text, may be empty
    texts_may_leave : texts of items are in a release
    media_may_leave : names and addresses of media are in a release
    """

    licence: str
    creators: Sequence[StoredCreator]
    cite_as: str
    texts_may_leave: bool
    media_may_leave: bool


@transaction.atomic
def change_publication(
    *, collection: Collection, publication: Publication, by: User | None
) -> list[str]:
    """Set words and contents of releases from now on; return the names of the changed fields.

    Releases made before stay as they are.
    """
    locked_collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    fields = publication._asdict() | {"creators": list(publication.creators)}
    changed_fields = [
        field for field, value in fields.items() if getattr(locked_collection, field) != value
    ]
    if changed_fields:
        Collection.objects.filter(pk=collection.pk).update(
            **{field: fields[field] for field in changed_fields}
        )
        log.info(
            "%s changed what releases of %s hold: %s",
            by,
            collection.slug,
            ", ".join(f"{field} = {fields[field]!r}" for field in changed_fields),
        )
    collection.refresh_from_db()
    return changed_fields
