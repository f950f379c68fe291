"""The link of a new invitation is shown to its maker, on one page, for some minutes."""

import re

import pytest
from django.urls import reverse

from annotate.models import Invitation, Role
from annotate.services.people import accounts
from tests import cast
from tests.annotate.views.browsing import page, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return cast.collection("shapes")


def shown_link(client, slug):
    """The link of the page of members; None without one."""
    link = re.search(
        r'value="(http://testserver/invitations/[^"]+)"', page(client, "members", slug)
    )
    return link and link[1]


def test_a_reload_shows_the_link_of_an_invitation_again_and_makes_no_other(
    client, collection, lead
):
    fields = {"role": "annotator", "email": "ada@example.org", "days": 7}
    answer = send(client, "invite", collection.slug, **fields)
    assert answer.url == reverse("annotate:members", args=[collection.slug])
    link = shown_link(client, collection.slug)
    assert accounts.open_invitation(token=link.split("/")[-2]).email == "ada@example.org"
    assert shown_link(client, collection.slug) == link
    assert Invitation.objects.count() == 1


@pytest.mark.parametrize("ending", ["another lead", "another collection", "revoked"])
def test_a_link_is_shown_to_its_maker_alone_while_it_works_for_some_minutes(
    client, collection, lead, ending
):
    send(client, "invite", collection.slug, role="annotator", days=7)
    cookie, slug = client.cookies["new-invitation"], collection.slug
    assert (cookie["httponly"], cookie["max-age"], cookie["samesite"]) == (True, 600, "Strict")
    assert cookie["path"] == reverse("annotate:members", args=[slug])
    value = cookie.value
    if ending == "another lead":
        client.force_login(cast.member(collection, Role.LEAD))
    elif ending == "another collection":
        other = cast.collection("other")
        cast.member(other, Role.LEAD, lead)
        slug = other.slug
    else:
        accounts.revoke_invitation(invitation=Invitation.objects.get())
    client.cookies["new-invitation"] = value
    assert shown_link(client, slug) is None
