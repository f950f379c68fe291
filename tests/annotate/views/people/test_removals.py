"""A member's role that a lead takes away, and gives back by the notice of it."""

import pytest
from django.urls import reverse

from annotate.models import Role, User
from tests import cast
from tests.annotate.views.browsing import page, send
from tests.pages import notice_form, text_of

pytestmark = pytest.mark.django_db


def test_undo_gives_a_member_the_role_back_that_was_taken(client, collection, lead):
    annotator = cast.annotator(collection)
    send(client, "member-remove", collection.slug, annotator.user.memberships.get().pk)
    assert not annotator.user.memberships.exists()
    url, fields = notice_form(page(client, "members", collection.slug))
    for _ in range(2):  # a second click
        client.post(url, fields)
        assert annotator.user.memberships.get().role == Role.ANNOTATOR
    assert f"{annotator.user} is annotator here again." in page(client, "members", collection.slug)
    assert annotator.user.annotators.get() == annotator


def test_what_no_removal_of_this_collection_signed_gives_nobody_a_role(client, collection, lead):
    annotator = cast.annotator(collection)
    send(client, "member-remove", collection.slug, annotator.user.memberships.get().pk)
    url, fields = notice_form(page(client, "members", collection.slug))
    elsewhere = cast.collection("bees")
    cast.member(elsewhere, Role.LEAD, lead)
    wrong_posts = [
        (url, {"removal": f"{fields['removal']}x"}),
        (url, {}),
        (reverse("annotate:member-return", args=["bees"]), fields),
    ]
    for wrong_url, wrong_fields in wrong_posts:
        answer = client.post(wrong_url, wrong_fields, follow=True)
        assert "too long ago to be undone" in text_of(answer)
    User.objects.filter(pk=annotator.user_id).update(is_active=False)
    client.post(url, fields)
    assert not annotator.user.memberships.exists()


def test_who_took_the_role_of_lead_from_herself_has_no_undo(client, collection, lead):
    cast.member(collection, Role.LEAD)
    send(client, "member-remove", collection.slug, lead.memberships.get().pk)
    text = page(client, "home")
    assert "is no longer lead here." in text and 'class="undo"' not in text
