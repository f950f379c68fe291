"""The people of a collection."""

import pytest

from annotate.models import Role
from annotate.services.judging import claiming
from annotate.services.people.members import people_of
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
    with django_assert_num_queries(3):
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
        "What was judged stays and counts.",
        "What is in hand, 4 pairs, goes to others once its time is up.",
    )
    assert removal.way_back.startswith("It has no way back but a new invitation.")
