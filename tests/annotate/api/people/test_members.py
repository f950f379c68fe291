"""Members for programs: who holds a role, in pages and by role, and roles taken away."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Annotator, ApiToken, Membership, Role
from annotate.services.people import accounts
from tests import cast

pytestmark = pytest.mark.django_db
MEMBERS = "/api/v1/collections/shapes/members/"
SCOPE = ApiToken.Scope.MEMBERS_WRITE


@pytest.fixture
def headers(collection, lead):
    return cast.bearer(lead, SCOPE, collection=collection)


def rows(client, headers, **parameters):
    return client.get(MEMBERS, parameters, headers=headers).json()["members"]


def test_members_are_told_as_the_page_shows_them(client, collection, lead, headers):
    person = cast.user("ada", email="ada@example.org")
    cast.annotator(cast.collection("other"), person)
    annotator = cast.annotator(collection, person)
    cast.member(collection, Role.RESEARCHER, person)
    accounts.pause_annotator(annotator=annotator)
    first, judging, researching = rows(client, headers)
    assert (first["username"], first["role"], first["annotator"]) == (lead.username, "lead", None)
    assert (judging["username"], judging["email"]) == ("ada", "ada@example.org")
    facts = judging["annotator"]
    assert (facts["pseudonym"], facts["id"]) == (annotator.pseudonym, annotator.pk)
    assert facts["paused_at"] and facts["paused_at"].endswith("Z")
    assert researching["annotator"] is None, "a role that does not judge"
    assert client.get(judging["url"], headers=headers).json() == judging
    assert client.get(facts["url"], headers=headers).json()["pseudonym"] == annotator.pseudonym
    client.force_login(lead)
    page = client.get(reverse("annotate:members", args=["shapes"])).content.decode()
    for row in (first, judging):
        assert row["username"] in page
    assert "Paused" in page
    # as the text of a cell: a token in a form may hold the same letters
    assert page.count(f">{annotator.pseudonym}") == 1


def test_members_are_filtered_by_their_role_and_by_nothing_else(client, collection, headers):
    cast.annotator(collection)
    assert [row["role"] for row in rows(client, headers, role="annotator")] == ["annotator"]
    assert rows(client, headers, role="researcher") == []
    answer = client.get(MEMBERS, {"role": "owner"}, headers=headers)
    assert answer.status_code == 422
    assert "there are: annotator, lead, researcher." in answer.json()["detail"]
    assert answer.json()["errors"][0]["field"] == "role"
    answer = client.get(MEMBERS, {"rolle": "lead"}, headers=headers)
    assert answer.status_code == 422
    assert "there are role, cursor, page_size." in answer.json()["detail"]


def test_members_come_in_pages_with_as_many_queries_for_many(client, collection, headers):
    for _ in range(3):
        cast.annotator(collection)
    with CaptureQueriesContext(connection) as few:
        rows(client, headers, role="annotator", page_size=1)
    with CaptureQueriesContext(connection) as many:
        assert len(rows(client, headers, role="annotator", page_size=3)) == 3
    assert len(few) == len(many)
    page = client.get(MEMBERS, {"page_size": 3}, headers=headers).json()
    cast.member(collection, Role.RESEARCHER)
    page = client.get(page["next"], headers=headers).json()
    assert [row["role"] for row in page["members"]] == ["annotator", "researcher"]
    assert page["next"] is None


def test_a_role_is_taken_away_and_the_judgments_stay(client, collection, lead, headers):
    annotator = cast.annotator(collection)
    (row,) = rows(client, headers, role="annotator")
    answer = client.delete(row["url"], headers=headers)
    assert (answer.status_code, answer.content) == (204, b"")
    assert not Membership.objects.filter(user=annotator.user).exists()
    assert Annotator.objects.filter(pk=annotator.pk, user=annotator.user).exists()
    assert client.delete(row["url"], headers=headers).status_code == 404
    assert client.get(row["url"], headers=headers).status_code == 404


def test_the_only_lead_stays(client, collection, lead, headers):
    (row,) = rows(client, headers)
    answer = client.delete(row["url"], headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "This is the collection's only lead; make somebody else a lead first.",
    )
    cast.member(collection, Role.LEAD)
    assert client.delete(row["url"], headers=headers).status_code == 204
    assert client.get(MEMBERS, headers=headers).status_code == 404, "she is no lead any more"


def test_members_are_for_leads_with_the_scope_and_the_collection(client, collection, lead):
    row = rows(client, cast.bearer(lead, SCOPE))[0]
    scopes = [scope for scope in ApiToken.Scope if scope != SCOPE]
    elsewhere = cast.bearer(lead, SCOPE, collection=cast.collection("other"))
    researcher = cast.bearer(cast.member(collection, Role.RESEARCHER), SCOPE)
    for headers, status in (
        (cast.bearer(lead, *scopes), 403),
        (elsewhere, 404),
        (researcher, 403),
    ):
        assert client.get(MEMBERS, headers=headers).status_code == status
        assert client.delete(row["url"], headers=headers).status_code == status
    assert Membership.objects.filter(pk=row["id"]).exists()


def test_members_that_have_not_changed_are_not_sent_again(client, collection, headers):
    tag = client.get(MEMBERS, headers=headers)["ETag"]
    assert client.get(MEMBERS, headers=headers | {"If-None-Match": tag}).status_code == 304
    cast.annotator(collection)
    assert client.get(MEMBERS, headers=headers | {"If-None-Match": tag}).status_code == 200
