"""The people of a collection."""

import pytest

from annotate.models import Invitation, Role
from annotate.services.judging import claiming
from annotate.services.people.members import (
    n_in_hand_of,
    n_labels_of,
    people_of,
    revocation_of_invitation,
)
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def test_a_person_of_three_roles_is_one_person():
    collection = cast.collection("birds")
    annotator = cast.annotator(collection)
    for role in (Role.LEAD, Role.RESEARCHER):
        cast.member(collection, role, annotator.user)
    other = cast.member(collection, Role.LEAD)
    people = {member.user: member for member in people_of(collection=collection)}
    assert set(people) == {annotator.user, other}
    first = people[annotator.user]
    assert {membership.role for membership in first.memberships} == {
        "annotator",
        "lead",
        "researcher",
    }
    assert (first.annotator, people[other].annotator) == (annotator, None)


def test_many_people_need_as_many_queries_as_one(django_assert_num_queries):
    collection = cast.collection("birds")
    for _ in range(5):
        cast.annotator(collection)
    with django_assert_num_queries(4):
        assert len(people_of(collection=collection)) == 5


def test_a_removal_names_the_pairs_in_hand_of_a_role_that_judges_alone():
    collection = campaigns.open_collection(4, "birds", labels_per_pair=1)
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    cast.member(collection, Role.RESEARCHER, annotator.user)
    (person,) = people_of(collection=collection)
    buttons = [consequences.button for _, consequences in person.removals]
    assert buttons == ["Remove the annotator, with 4 pairs in hand", "Remove the researcher"]
    removal = person.removals[0][1]
    assert removal.sentences[1:] == (
        "No label counts so far.",
        "What is in hand, 4 pairs, goes to others once its time is up.",
    )
    assert removal.way_back.startswith("The notice after it has Undo; later it takes a new")


def test_a_removal_tells_the_labels_that_stay():
    collection = campaigns.open_collection(4, "birds", labels_per_pair=1)
    hand_outs = campaigns.first_batch(collection)
    annotator = hand_outs[0].batch.annotator
    (person,) = people_of(collection=collection)
    membership = person.memberships[0]
    for n, sentence in enumerate(("1 label stays and counts.", "2 labels stay and count."), 1):
        campaigns.judge(hand_outs[n - 1])
        (person,) = people_of(collection=collection)
        assert person.removals[0][1].sentences[1] == sentence
        assert n_labels_of(annotator=annotator) == n
    assert n_in_hand_of(membership=membership) == 2


def test_revoking_an_invitation_names_who_it_is_for_and_that_a_new_one_can_be_made():
    revocation = revocation_of_invitation(
        invitation=Invitation(role=Role.LEAD, email="ada@example.org")
    )
    assert revocation.button == "Revoke the link of ada@example.org"
    assert "lets ada@example.org in, as lead, works no more" in revocation.sentences[0]
    assert revocation.sentences[1] == "Who opens it is told to ask for another."
    assert "a new one can be made on this page" in revocation.way_back
    nameless = revocation_of_invitation(invitation=Invitation(role=Role.ANNOTATOR))
    assert (nameless.button, nameless.subject) == (
        "Revoke the link",
        "the invitation of somebody as annotator",
    )
    assert nameless.sentences[0].startswith("The link that lets somebody as annotator in works no")
