"""The secret of a new token is shown to its owner, on one page, for some minutes."""

import re

import pytest
from django.urls import reverse

from annotate.models import ApiToken
from annotate.services.people import tokens
from tests import cast
from tests.annotate.views.browsing import page, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def new_secret(client, collection, lead):
    """The secret of a token that was just made, as its page shows it."""
    fields = {"name": "x", "scopes": ["qrels:read"], "collection": collection.pk, "days": 30}
    answer = send(client, "tokens", **fields)
    assert answer.url == reverse("annotate:tokens")
    return shown_secret(client)


def shown_secret(client):
    """The secret of the page of tokens; None without one."""
    secret = re.search(r'value="(assayer_[^"]+)"', page(client, "tokens"))
    return secret and secret[1]


def test_a_reload_shows_the_secret_of_a_token_again_and_makes_no_other(client, new_secret):
    assert shown_secret(client) == new_secret
    token = ApiToken.objects.get()
    assert token.last_used_at is None, "to show it is no use of it"
    assert tokens.find_token(secret=new_secret) == token


@pytest.mark.parametrize("ending", ["another person", "revoked", "altered"])
def test_a_secret_is_shown_to_its_owner_alone_while_it_works(client, new_secret, ending):
    cookie = client.cookies["new-token"]
    assert (cookie["httponly"], cookie["max-age"], cookie["samesite"]) == (True, 600, "Strict")
    assert cookie["path"] == reverse("annotate:tokens")
    value = cookie.value
    if ending == "another person":
        client.force_login(cast.user())
    elif ending == "revoked":
        tokens.revoke_token(token=ApiToken.objects.get())
    else:
        value = value.replace("assayer_", "assayer-")
    client.cookies["new-token"] = value
    assert shown_secret(client) is None
