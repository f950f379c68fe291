"""Several people, or several tabs, at one link or one role at the same moment."""

import pytest

from annotate.models import Annotator, Membership, Policy, Role, User
from annotate.services import accounts, collections
from tests import cast
from tests.databases import at_once

pytestmark = pytest.mark.django_db(transaction=True)
N = 8


def test_of_all_who_open_one_link_at_once_one_gets_an_account():
    collection = cast.collection()
    token = accounts.invite(collection=collection, role=Role.ANNOTATOR, by=cast.member(collection, Role.LEAD)).token

    def sign_up(n):
        try:
            return accounts.sign_up(token=token, username=f"new{n}", password=cast.PASSWORD)
        except accounts.InvitationUnusable as error:
            return error

    got = at_once(sign_up, range(N))
    assert sum(isinstance(one, User) for one in got) == 1
    assert User.objects.filter(username__startswith="new").count() == 1
    assert Membership.objects.filter(role="annotator").count() == Annotator.objects.count() == 1


def test_one_person_joining_in_many_tabs_is_one_annotator():
    collection, person = cast.collection(), cast.user()
    at_once(lambda _: accounts.join(collection=collection, user=person, role=Role.ANNOTATOR), range(N))
    assert Membership.objects.count() == Annotator.objects.count() == 1


def test_policies_saved_at_once_are_versions_in_a_row():
    collection = cast.collection()
    at_once(lambda n: collections.change_policy(collection=collection, by=None, lease_minutes=100 + n), range(N))
    assert list(Policy.objects.order_by("version").values_list("version", flat=True)) == list(range(1, N + 2))
