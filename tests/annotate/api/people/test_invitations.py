"""Invitations for programs: open ones, new links that are shown once, and revoked ones."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import ApiToken, Invitation, Receipt, Role
from annotate.services.people import accounts
from tests import cast

pytestmark = pytest.mark.django_db
INVITATIONS = "/api/v1/collections/shapes/invitations/"
SCOPE = ApiToken.Scope.MEMBERS_WRITE


@pytest.fixture
def headers(collection, lead):
    return cast.bearer(lead, SCOPE, collection=collection)


def post(client, headers, *, key="", **fields):
    extra = {"Idempotency-Key": key} if key else {}
    return client.post(
        INVITATIONS, fields, content_type="application/json", headers=headers | extra
    )


def test_an_invitation_is_made_with_a_link_that_lets_one_person_in(client, collection, headers):
    answer = post(client, headers, role="annotator", email="ada@example.org", days=3)
    value = answer.json()
    assert (answer.status_code, answer["Location"]) == (201, value["url"])
    assert (value["role"], value["email"], value["delivery"]) == (
        "annotator",
        "ada@example.org",
        "no_mail",
    )
    link = value.pop("link")
    assert link.startswith("http://testserver/")
    assert client.get(value["url"], headers=headers).json() == value, "without the link"
    invitation = Invitation.objects.get()
    assert timedelta(days=2) < invitation.expires_at - invitation.created_at <= timedelta(days=3)
    accounts.accept_invitation(token=link.rstrip("/").split("/")[-1], user=cast.user("ada"))
    assert collection.memberships.filter(user__username="ada", role=Role.ANNOTATOR).exists()
    assert client.get(INVITATIONS, headers=headers).json()["invitations"] == []
    assert client.get(value["url"], headers=headers).status_code == 404


def test_days_are_fourteen_unless_the_program_says_otherwise(client, collection, headers):
    post(client, headers, role="lead")
    fortnight = F("created_at") + timedelta(days=14)
    assert Invitation.objects.get(expires_at=fortnight).email == ""


def test_the_link_is_in_the_first_answer_alone_and_nothing_keeps_it(client, collection, headers):
    first = post(client, headers, key="a", role="annotator")
    link = first.json()["link"]
    again = post(client, headers, key="a", role="annotator")
    assert (again.status_code, again["Idempotency-Replayed"]) == (201, "true")
    assert again.json() == first.json() | {"link": None}
    assert again["Location"] == first["Location"]
    assert Invitation.objects.count() == 1
    token = link.rstrip("/").split("/")[-1]
    assert token not in json.dumps(list(Receipt.objects.values("answer", "location", "key")))
    assert accounts.open_invitation(token=token), "it still works"
    assert post(client, headers, key="a", role="lead").status_code == 422, "another request"


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({}, "role", "This field is required."),
        ({"role": "owner"}, "role", '"owner" is not a valid choice.'),
        ({"role": "lead", "days": 0}, "days", "greater than or equal to 1"),
        ({"role": "lead", "days": 366}, "days", "less than or equal to 365"),
        ({"role": "lead", "days": 2**40}, "days", "less than or equal to 365"),
        ({"role": "lead", "days": "soon"}, "days", "valid integer"),
        ({"role": "lead", "email": "ada"}, "email", "valid email address"),
        ({"role": "lead", "email": "a\0@example.org"}, "email", "Null characters"),
        ({"role": "lead", "email": "\ud800@example.org"}, "email", "Surrogate characters"),
        ({"role": "lead", "email": f"{'a' * 250}@example.org"}, "email", "no more than 254"),
        ({"role": "lead", "days": [1]}, "days", "valid integer"),
        ({"role": "lead", "mail": "x"}, "mail", "There is no such field."),
    ],
)
def test_what_is_wrong_is_said_and_nobody_is_invited(
    client, collection, headers, fields, field, sentence
):
    answer = post(client, headers, **fields)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    faults = [row["message"] for row in answer.json()["errors"] if row["field"] == field]
    assert any(sentence in message for message in faults), answer.content
    assert not Invitation.objects.exists()


def test_the_page_refuses_an_address_that_is_too_long_too(client, collection, lead):
    client.force_login(lead)
    fields = {"role": "lead", "days": 3, "email": f"a@{'b' * 60}.{'.'.join(['c' * 60] * 4)}.org"}
    assert len(fields["email"]) > 254
    answer = client.post(reverse("annotate:invite", args=["shapes"]), fields)
    assert answer.status_code == 422 and not Invitation.objects.exists()


def test_an_invitation_goes_out_by_mail_and_its_link_is_shown_to_nobody(
    client, collection, headers, settings, mailoutbox, django_capture_on_commit_callbacks
):
    settings.SENDS_MAIL = True
    answer = post(client, headers, role="annotator", by_mail=True)
    assert answer.json()["errors"] == [
        {"field": "email", "message": "Where should the link be sent?"}
    ]
    with django_capture_on_commit_callbacks() as callbacks:
        answer = post(client, headers, role="annotator", by_mail=True, email="ada@example.org")
    value = answer.json()
    assert (answer.status_code, value["link"], value["delivery"]) == (201, None, "being_sent")
    assert len(callbacks) == 1, "a worker sends it"
    Invitation.objects.update(mail_attempts=2)
    assert client.get(value["url"], headers=headers).json()["delivery"] == "not_sent"
    Invitation.objects.update(mailed_at="2026-03-05T07:08:00Z")
    value = client.get(value["url"], headers=headers).json()
    assert (value["delivery"], value["mailed_at"]) == ("sent", "2026-03-05T07:08:00.000Z")


def test_a_site_without_mail_says_so(client, collection, headers, settings):
    settings.SENDS_MAIL = False
    answer = post(client, headers, role="annotator", by_mail=True, email="ada@example.org")
    assert answer.status_code == 422
    assert "no mail server" in answer.json()["errors"][0]["message"]
    assert not Invitation.objects.exists()
    fields = {"role": "annotator", "by_mail": False, "email": "ada@example.org"}
    assert post(client, headers, **fields).status_code == 201


def test_an_invitation_is_revoked(client, collection, headers):
    value = post(client, headers, role="annotator").json()
    assert client.delete(value["url"], headers=headers).status_code == 204
    with pytest.raises(accounts.InvitationUnusable):
        accounts.open_invitation(token=value["link"].rstrip("/").split("/")[-1])
    assert client.get(INVITATIONS, headers=headers).json()["invitations"] == []
    assert client.delete(value["url"], headers=headers).status_code == 404


def test_open_invitations_come_in_pages_with_as_many_queries_for_many(client, collection, headers):
    for role in ("annotator", "lead", "researcher"):
        post(client, headers, role=role)
    Invitation.objects.create(
        collection=cast.collection("other"),
        role="lead",
        token_sha256="0" * 64,
        expires_at="2100-01-01T00:00:00Z",
        created_by=cast.user(),
    )
    with CaptureQueriesContext(connection) as few:
        page = client.get(INVITATIONS, {"page_size": 2}, headers=headers).json()
    assert [row["role"] for row in page["invitations"]] == ["annotator", "lead"]
    assert "link" not in page["invitations"][0]
    page = client.get(page["next"], headers=headers).json()
    assert [row["role"] for row in page["invitations"]] == ["researcher"]
    with CaptureQueriesContext(connection) as many:
        client.get(INVITATIONS, headers=headers)
    assert len(few) == len(many)
    assert client.get(INVITATIONS, {"role": "lead"}, headers=headers).status_code == 422


def test_invitations_are_for_leads_with_the_scope_and_the_collection(client, collection, lead):
    value = post(client, cast.bearer(lead, SCOPE), role="lead").json()
    scopes = [scope for scope in ApiToken.Scope if scope != SCOPE]
    researcher = cast.member(collection, Role.RESEARCHER)
    for headers, status in (
        (cast.bearer(lead, *scopes), 403),
        (cast.bearer(lead, SCOPE, collection=cast.collection("other")), 404),
        (cast.bearer(researcher, SCOPE), 403),
    ):
        assert client.get(INVITATIONS, headers=headers).status_code == status
        assert post(client, headers, role="lead").status_code == status
        assert client.delete(value["url"], headers=headers).status_code == status
    assert Invitation.objects.usable().count() == 1
