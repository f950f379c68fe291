"""Permissions of the API, and its refusals."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from annotate import access
from annotate.api import RoleMissing, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.models import Role
from annotate.services.people import tokens
from tests import cast

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/no/such/thing"


class Echo(Endpoint):
    """An endpoint such as the applications have."""

    scope = "qrels:read"

    def get(self, request: Request, slug: str) -> Response:
        """The collection's name."""
        collection = get_collection(request=request, slug=slug, roles=access.LEADERS)
        if request.query_params.get("wrong") == "fields":
            raise serializers.ValidationError({"name": ["too long"]})
        if request.query_params.get("wrong") == "lines":
            raise Unprocessable("Two lines are wrong.", errors=["Line 1: no", "Line 7: no"])
        return Response({"name": collection.name})


def key(person=None, **fields):
    form = {"user": person or cast.user(), "name": "x", "scopes": ["qrels:read"], "days": 1}
    return tokens.create_token(**{**form, **fields}).secret


def call(collection, secret, **query):
    request = APIRequestFactory().get("/", query, HTTP_AUTHORIZATION=f"Bearer {secret}")
    return Echo.as_view()(request, slug=collection.slug)


@pytest.mark.parametrize(
    "header", [None, "Bearer", "Bearer wrong", "Basic eDp5", "Bearer \u00e9", "nonsense"]
)
def test_without_a_valid_key_every_address_answers_401(client, header):
    answer = client.get(ADDRESS, **({"HTTP_AUTHORIZATION": header} if header else {}))
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="assayer"'
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["title"] == "Unauthorized"


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_an_unknown_address_is_refused_in_the_form_programs_expect(client, method):
    answer = getattr(client, method)(ADDRESS, HTTP_AUTHORIZATION=f"Bearer {key()}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["detail"].startswith("There is no such endpoint")


def test_a_session_counts_for_nothing(client):
    client.force_login(cast.user(is_superuser=True))
    assert client.get(ADDRESS).status_code == 401


def test_a_key_with_the_scope_gets_the_answer(collection, researcher):
    assert call(collection, key(researcher)).data == {"name": "Shapes"}


def test_a_key_without_the_scope_is_told_which_one(collection, researcher):
    answer = call(collection, key(researcher, scopes=["runs:write"]))
    assert answer.status_code == 403
    assert answer.data["detail"] == 'This token lacks the scope "qrels:read"; make one that has it.'


def test_a_key_may_never_do_more_than_its_owner(collection):
    assert call(collection, key(cast.member(collection, Role.ANNOTATOR))).status_code == 403
    assert call(collection, key()).status_code == 404


@pytest.mark.parametrize(
    ("needed", "held", "sentence"),
    [
        ((Role.RESEARCHER,), (Role.LEAD,), "the role researcher; you are lead here."),
        (access.LEADERS, (Role.ANNOTATOR,), "the role lead or researcher; you are annotator here."),
        (
            (Role.LEAD,),
            (Role.RESEARCHER, Role.ANNOTATOR),
            "the role lead; you are annotator and researcher here.",
        ),
    ],
)
def test_a_member_without_the_role_is_told_which_one(collection, needed, held, sentence):
    person = cast.user()
    for role in held:
        cast.member(collection, role, person)
    request = Request(APIRequestFactory().get("/"))
    request.user, request.auth = (
        person,
        tokens.create_token(user=person, name="x", scopes=["qrels:read"], days=1).token,
    )
    with pytest.raises(RoleMissing) as refusal:
        get_collection(request=request, slug=collection.slug, roles=needed)
    assert str(refusal.value) == f"This needs {sentence}"


def test_a_key_for_another_collection_is_told_of_no_role(collection):
    lead, other = cast.member(collection, Role.LEAD), cast.collection("other")
    cast.member(other, Role.ANNOTATOR, lead)
    assert call(other, key(lead)).status_code == 403
    assert call(other, key(lead, collection=collection)).status_code == 404


def test_a_key_for_one_collection_does_not_open_another(collection, researcher):
    other = cast.collection("other")
    cast.member(other, Role.RESEARCHER, researcher)
    bound = key(researcher, collection=other)
    assert call(collection, bound).status_code == 404
    assert call(other, bound).data == {"name": "Other"}


def test_a_revoked_or_closed_account_ends_at_once(collection, researcher):
    secret = key(researcher)
    researcher.is_active = False
    researcher.save()
    assert call(collection, secret).status_code == 401


def test_wrong_fields_and_lines_are_listed(collection, researcher):
    secret = key(researcher)
    fields = call(collection, secret, wrong="fields")
    assert (fields.status_code, fields.data["errors"]) == (400, {"name": ["too long"]})
    lines = call(collection, secret, wrong="lines")
    assert (lines.status_code, lines.data["errors"]) == (422, ["Line 1: no", "Line 7: no"])
    assert lines.data["detail"] == "Two lines are wrong."


def authenticator(person):
    """An authenticator that was set up an hour ago."""
    before = timezone.now() - timedelta(hours=1)
    return Authenticator.objects.create(
        user=person, type=Authenticator.Type.TOTP, data={}, created_at=before
    )


@pytest.fixture
def leads_need_mfa(settings):
    settings.LEADS_NEED_MFA = True


def test_where_leads_need_a_second_factor_their_tokens_of_before_do_nothing(
    collection, leads_need_mfa, client
):
    lead = cast.member(collection, Role.LEAD)
    old = key(lead)
    assert call(collection, old).status_code == 403
    address = f"/api/v1/collections/{collection.slug}/qrels/"
    answer = client.get(address, HTTP_AUTHORIZATION=f"Bearer {old}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (403, "application/problem+json")
    assert (
        "set up an authenticator app on your account page, then make a new token"
        in answer.json()["detail"]
    )
    lead.api_tokens.update(created_at=timezone.now() - timedelta(hours=2))
    authenticator(lead)
    # whoever had the password alone may have made it
    assert call(collection, old).status_code == 403
    assert call(collection, key(lead)).status_code == 200
    Authenticator.objects.all().delete()
    assert call(collection, key(lead)).status_code == 403


def test_without_the_setting_a_leads_token_needs_nothing_more(collection):
    assert call(collection, key(cast.member(collection, Role.LEAD))).status_code == 200


def test_researchers_tokens_need_no_second_factor_where_leads_do(
    collection, researcher, leads_need_mfa
):
    cast.member(cast.collection("letters"), Role.LEAD, researcher)  # of another collection
    assert call(collection, key(researcher)).status_code == 200


def test_a_superusers_token_needs_one_too(collection, leads_need_mfa):
    boss = cast.user()
    boss.is_superuser = True
    boss.save()
    cast.member(collection, Role.RESEARCHER, boss)
    assert call(collection, key(boss)).status_code == 403
    authenticator(boss)
    assert call(collection, key(boss)).status_code == 200


def test_a_lead_without_a_second_factor_cannot_make_a_token_where_leads_need_one(
    collection, leads_need_mfa, client
):
    lead = cast.member(collection, Role.LEAD)
    client.force_login(lead)
    form = {"name": "x", "scopes": ["qrels:read"], "days": 30}
    answer = client.post(reverse("annotate:tokens"), form)
    assert (answer.status_code, answer.url) == (302, reverse("mfa_activate_totp"))
    assert not lead.api_tokens.exists()
    passed(client, authenticator(lead))
    client.post(reverse("annotate:tokens"), form)
    assert lead.api_tokens.count() == 1


def passed(client, factor):
    """Record in the session that it passed this second factor."""
    session = client.session
    session["account_authentication_methods"] = [
        {"method": "mfa", "at": 0, "id": factor.pk, "type": "totp"}
    ]
    session["account_authentication_methods_user"] = str(factor.user_id)
    session.save()


def test_any_token_is_told_the_version_and_a_stranger_is_not(client, settings):
    person = cast.user("mia")
    answer = client.get("/api/v1/", headers={"Authorization": f"Bearer {key(person)}"})
    assert (answer.status_code, answer.json()) == (200, {"version": settings.VERSION})
    assert client.get("/api/v1/").status_code == 401
