"""Counts of annotators are of those who are annotators here now."""

import pytest

from annotate.models import Annotator, Role
from annotate.services.pages import collection_list, overview
from annotate.services.people import accounts
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def test_who_is_an_annotator_no_more_is_not_counted():
    collection = campaigns.open_collection(2)
    lead = cast.member(collection, Role.LEAD)
    cast.items(collection, "query", 1)
    left, _ = (cast.annotator(collection) for _ in range(2))
    assert overview.overview(collection=collection).n_annotators == 2
    accounts.leave(membership=left.user.memberships.get())
    assert overview.overview(collection=collection).n_annotators == 1
    for membership in collection.memberships.filter(role=Role.ANNOTATOR):
        accounts.leave(membership=membership)
    (entry,) = collection_list.entries(user=lead)
    assert entry.todo == "Nobody judges yet."
    for role in (Role.ANNOTATOR, Role.ANNOTATOR, Role.LEAD):
        accounts.invite(collection=collection, by=lead, role=role, email="")
    (entry,) = collection_list.entries(user=lead)
    assert entry.todo == "2 invited, not come yet."


def test_simulated_annotators_have_no_role_and_are_counted():
    collection = campaigns.open_collection(2)
    lead = cast.member(collection, Role.LEAD)
    cast.items(collection, "query", 1)
    Annotator.objects.create(
        collection=collection, origin=Annotator.Origin.SIMULATED, pseudonym="Amal"
    )
    assert overview.overview(collection=collection).n_annotators == 1
    (entry,) = collection_list.entries(user=lead)
    assert entry.todo == "Judging is under way."
