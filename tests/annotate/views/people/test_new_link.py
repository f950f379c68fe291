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


def test_an_address_a_line_makes_a_link_a_person(client, collection, lead):
    addresses = ["ada@example.org", "bea@example.org"]
    email = "\r\n".join([*addresses, "", "ada@example.org"])
    send(client, "invite", collection.slug, role="annotator", email=email, days=7)
    text = page(client, "members", collection.slug)
    links = re.findall(r'value="(http://testserver/invitations/[^"]+)"', text)
    emails = [accounts.open_invitation(token=link.split("/")[-2]).email for link in links]
    assert emails == addresses
    assert "This page shows them for ten minutes" in text


def test_a_wrong_address_among_several_makes_no_link(client, collection, lead):
    fields = {"role": "annotator", "email": "ada@example.org\n\nnobody\nb@b", "days": 7}
    answer = send(client, "invite", collection.slug, status=422, **fields)
    sentence = "Nobody was invited; line 3: “nobody” is no e-mail address, line 4: “b@b” is no"
    assert sentence in answer.content.decode()
    many = "\n".join(f"a{number}@example.org" for number in range(51))
    answer = send(client, "invite", collection.slug, status=422, **fields | {"email": many})
    assert "Invite at most 50 people at once" in answer.content.decode()
    assert not Invitation.objects.exists()
