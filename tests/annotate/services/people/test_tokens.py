"""Keys for programs: only their hash is kept, and they end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import ApiToken, User
from annotate.services.people import tokens
from tests import cast

pytestmark = pytest.mark.django_db


def make(**fields):
    defaults = {"user": cast.user(), "name": "script", "scopes": ["qrels:read"], "days": 30}
    return tokens.create_token(**{**defaults, **fields})


def test_the_secret_is_not_in_the_database():
    new_token = make()
    assert new_token.secret not in str(ApiToken.objects.values().get())
    assert new_token.secret.startswith(new_token.token.prefix)
    assert len(new_token.secret) > 50


def test_a_token_is_found_by_its_secret_alone():
    new_token = make()
    assert tokens.find_token(secret=new_token.secret) == new_token.token
    assert tokens.find_token(secret=new_token.secret + "x") is None
    assert tokens.find_token(secret=new_token.token.sha256) is None


def test_a_revoked_token_is_worthless_and_its_row_stays():
    new_token = make()
    tokens.revoke_token(token=new_token.token)
    assert tokens.find_token(secret=new_token.secret) is None
    assert ApiToken.objects.get().revoked_at is not None


def test_a_token_that_ran_out_is_worthless():
    assert tokens.find_token(secret=make(days=0).secret) is None


def test_the_token_of_a_closed_account_is_worthless():
    new_token = make()
    User.objects.update(is_active=False)
    assert tokens.find_token(secret=new_token.secret) is None


def test_use_is_noted_once_in_a_while(monkeypatch):
    monkeypatch.setattr(tokens, "USE_NOTED_EVERY", timedelta(days=1))
    new_token = make()
    tokens.find_token(secret=new_token.secret)
    first = ApiToken.objects.get().last_used_at
    tokens.find_token(secret=new_token.secret)
    assert ApiToken.objects.get().last_used_at == first is not None
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(days=2))
    tokens.find_token(secret=new_token.secret)
    assert ApiToken.objects.get().last_used_at >= first


def test_an_unknown_scope_is_refused():
    with pytest.raises(ValueError, match="everything"):
        make(scopes=["everything"])


def test_revoking_a_token_tells_what_is_refused_from_then_on():
    token = ApiToken(name="nightly", scopes=["runs:read", "runs:write"])
    consequences = tokens.revocation_consequences(token=token)
    assert consequences.button == "Revoke nightly"
    assert consequences.sentences == (
        "Each program that sends it is refused from that moment on.",
        "It has 2 scopes: runs:read, runs:write.",
    )
    assert consequences.way_back.startswith("It cannot be taken back")
