"""Signing in, with a second factor and without."""

import base64
import hmac
import struct
from hashlib import sha1

from django.urls import reverse

from tests import cast
from tests.servers.clocks import MOMENT


def code_for(secret, moment):
    """RFC 6238 as it is written there: six digits of an HMAC of the half minutes since 1970."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", int(moment) // 30), sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06d}"


def switch_on(client):
    """Set up an authenticator app as a person does, while codes stand; returns its secret."""
    page = client.get(reverse("mfa_activate_totp"))
    if page.status_code == 302:
        client.post(page.url, {"password": cast.PASSWORD})
        page = client.get(reverse("mfa_activate_totp"))
    secret = page.context["form"].secret
    assert "data:image" not in page.content.decode()
    client.post(reverse("mfa_activate_totp"), {"code": code_for(secret, MOMENT)})
    return secret


def sign_in(client, name, password=cast.PASSWORD):
    return client.post(reverse("account_login"), {"login": name, "password": password})
