"""What releases say and hold is a lead's choice; until then nothing of the items leaves."""

import logging

import pytest

from annotate.core.publication.creators import StoredCreator
from annotate.models import Role
from annotate.services.collection.publication import Publication, change_publication
from tests import cast

pytestmark = pytest.mark.django_db
CARBERRY = StoredCreator(
    name="Josiah Carberry", affiliation="Brown University", orcid="0000-0002-1825-0097"
)
CHOSEN = Publication("CC0-1.0", [CARBERRY], "Carberry, 2026.", True, False)


def stored(collection):
    collection.refresh_from_db()
    return Publication(*(getattr(collection, field) for field in Publication._fields))


def test_a_new_collection_has_a_licence_and_lets_no_texts_and_no_media_leave(collection):
    assert stored(collection) == Publication("CC-BY-4.0", [], "", False, False)


def test_a_change_is_stored_and_logged_and_the_same_again_is_none(collection, caplog):
    lead = cast.member(collection, Role.LEAD)
    with caplog.at_level(logging.INFO):
        changed_fields = change_publication(collection=collection, publication=CHOSEN, by=lead)
    assert changed_fields == ["licence", "creators", "cite_as", "texts_may_leave"]
    assert stored(collection) == CHOSEN
    assert f"{lead} changed what releases of {collection.slug} hold" in caplog.text
    assert "texts_may_leave = True" in caplog.text
    assert change_publication(collection=collection, publication=CHOSEN, by=lead) == []
    changed_fields = change_publication(
        collection=collection, publication=CHOSEN._replace(media_may_leave=True), by=lead
    )
    assert (changed_fields, collection.media_may_leave) == (["media_may_leave"], True)
