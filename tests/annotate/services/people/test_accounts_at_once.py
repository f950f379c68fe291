"""Several people, or several tabs, at one link or one role at the same moment."""

import pytest
from django.test import Client

from annotate.models import Annotator, Membership, Policy, Role, User
from annotate.services.collection import collections
from annotate.services.people import accounts
from tests import cast
from tests.servers.databases import run_concurrently

pytestmark = pytest.mark.django_db(transaction=True)
N = 8


def test_of_all_who_open_one_link_at_once_one_gets_an_account():
    collection = cast.collection()
    token = accounts.invite(
        collection=collection, role=Role.ANNOTATOR, by=cast.member(collection, Role.LEAD)
    ).token

    def sign_up(n):
        try:
            return accounts.sign_up(token=token, username=f"new{n}", password=cast.PASSWORD)
        except accounts.InvitationUnusable as error:
            return error

    results = run_concurrently(sign_up, range(N))
    assert sum(isinstance(result, User) for result in results) == 1
    assert User.objects.filter(username__startswith="new").count() == 1
    assert Membership.objects.filter(role="annotator").count() == Annotator.objects.count() == 1


def test_one_person_joining_in_many_tabs_is_one_annotator():
    collection, person = cast.collection(), cast.user()
    run_concurrently(
        lambda _: accounts.join(collection=collection, user=person, role=Role.ANNOTATOR), range(N)
    )
    assert Membership.objects.count() == Annotator.objects.count() == 1


def test_policies_saved_at_once_are_versions_in_a_row():
    collection = cast.collection()
    run_concurrently(
        lambda n: collections.change_policy(collection=collection, by=None, lease_minutes=100 + n),
        range(N),
    )
    assert list(Policy.objects.order_by("version").values_list("version", flat=True)) == list(
        range(1, N + 2)
    )


def test_two_clicks_on_sign_up_make_one_account_and_both_lead_into_the_collection():
    collection = cast.collection()
    token = accounts.invite(
        collection=collection, role=Role.ANNOTATOR, by=cast.member(collection, Role.LEAD)
    ).token
    words = {"username": "ada", "password": cast.PASSWORD}

    def click(_):
        browser = Client()
        answer = browser.post(f"/invitations/{token}/", words)
        return (
            answer.status_code,
            answer.headers.get("Location"),
            browser.get(f"/c/{collection.slug}/").status_code,
        )

    assert set(run_concurrently(click, range(4))) == {(302, f"/c/{collection.slug}/", 200)}
    assert click(0)[:2] == (302, f"/c/{collection.slug}/")  # the second one a moment later
    assert User.objects.filter(username="ada").count() == Annotator.objects.count() == 1
    other = Client().post(
        f"/invitations/{token}/", {"username": "ada", "password": "another long password 1"}
    )
    assert other.status_code == 404
    User.objects.update(date_joined="2020-01-01T00:00Z")
    assert Client().post(f"/invitations/{token}/", words).status_code == 404


def test_two_people_who_choose_one_name_at_once_get_one_account_and_a_sentence():
    collection = cast.collection()
    lead = cast.member(collection, Role.LEAD)
    links = [
        accounts.invite(collection=collection, role=Role.ANNOTATOR, by=lead).token for _ in range(4)
    ]

    def sign_up(token):
        return Client().post(
            f"/invitations/{token}/", {"username": "ada", "password": cast.PASSWORD + token}
        )

    answers = run_concurrently(sign_up, links)
    assert sorted(answer.status_code for answer in answers) == [302, 422, 422, 422]
    assert all(
        "Somebody has this name" in answer.content.decode()
        for answer in answers
        if answer.status_code == 422
    )
