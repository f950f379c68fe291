"""The people of a collection."""

import pytest

from annotate.models import Role
from annotate.services.people.members import people_of
from tests import cast

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
    with django_assert_num_queries(2):
        assert len(people_of(collection=collection)) == 5
