"""The contents of a collection that would go with it, as its page tells before it is deleted."""

from typing import NamedTuple

from django.db import connection
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted, enumeration
from annotate.models import Collection
from annotate.services.storage.collection_rows import (
    applications_with_rows,
    is_owner,
    models_with_rows,
)

# the tables that people know a collection by, of whatever application, and what a row of each is
CONTENTS = {"Item": "item", "ReferenceLabel": "reference label", "Run": "run", "Pool": "pool"}


class DeletionNote(NamedTuple):
    """The effect of deleting a collection, and who may do it.

    may_delete : whether the role of the site's pages owns the tables
    consequences : of deleting it from its page; None where it cannot be deleted there
    """

    collection: Collection
    may_delete: bool
    consequences: Consequences | None = None

    @property
    def text(self) -> SafeString | str:
        """The note for leads, perhaps as HTML."""
        if self.collection.scheme_frozen_at is not None:
            return format_html(
                "It has been judged, so it stays: labels are never deleted from here. The "
                "operator can, with <code>{}</code>.",
                "purge_collection",
            )
        if self.may_delete:
            return "It can be deleted from here as long as nobody has judged in it."
        return format_html(
            "Everything in it goes for good: items, media, runs, pools, members. The pages of this "
            "site may not delete it, as their database role does not own the tables; the operator "
            "can: <code>docker compose run --rm migrate python manage.py purge_collection {} "
            "--yes</code>",
            self.collection.slug,
        )


def deletion_note(*, collection: Collection) -> DeletionNote:
    """Return what a collection's page tells of its deletion; three queries at most."""
    may_delete = is_owner()
    if not may_delete or collection.scheme_frozen_at is not None:
        return DeletionNote(collection, may_delete)
    consequences = deletion_consequences(
        collection=collection,
        n_by_noun=contents_of(collection=collection),
        n_people=collection.memberships.values("user").distinct().count(),
    )
    return DeletionNote(collection, may_delete, consequences)


def deletion_consequences(
    *, collection: Collection, n_by_noun: dict[str, int], n_people: int
) -> Consequences:
    """Return the consequences of deleting a collection that nobody has judged.

    n_by_noun : as `contents_of` returns it; n_people : with a role in it
    """
    contents = [counted(n, noun) for noun, n in n_by_noun.items() if n]
    everything = f": {enumeration(contents)}" if contents else ""
    return Consequences(
        act="delete",
        title="Delete this collection",
        button=f"Delete {collection.slug} with {counted(n_by_noun['item'], 'item')} for good",
        sentences=(
            f"Everything in it goes for good{everything}, with all files of it.",
            "Nobody has judged in it, so no judgment goes.",
            f"{counted(n_people, 'person')} can no longer open it; accounts stay.",
        ),
        way_back="It cannot be taken back.",
        n=n_by_noun["item"],
    )


def contents_of(*, collection: Collection) -> dict[str, int]:
    """Count the rows of CONTENTS that a collection has, by their nouns; one query."""
    conditions = {
        model.__name__: f'(SELECT count(*) FROM "{model._meta.db_table}" WHERE {condition})'  # noqa: S608 - own names
        for label in applications_with_rows()
        for model, condition in models_with_rows(label)
    }
    with connection.cursor() as cursor:
        statement = f"SELECT {', '.join(conditions[name] for name in CONTENTS)}"
        cursor.execute(statement, {"collection": collection.pk})
        return dict(zip(CONTENTS.values(), cursor.fetchone(), strict=True))
