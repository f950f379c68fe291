"""API tokens for programs: created, found by their hash, revoked."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import ApiToken, ClockTimestamp, Collection, User
from annotate.services.people.accounts import hash_token

PREFIX_LENGTH = 12
USE_NOTED_EVERY = timedelta(minutes=1)  # one write a minute, however busy the script


class NewToken(NamedTuple):
    """A token and its secret, which is stored nowhere."""

    token: ApiToken
    secret: str


@transaction.atomic
def create_token(
    *,
    user: User,
    name: str,
    scopes: Sequence[ApiToken.Scope],
    days: int,
    collection: Collection | None = None,
) -> NewToken:
    """Make a token with these scopes, which never may do more than its owner may."""
    secret = f"assayer_{secrets.token_urlsafe(32)}"
    token = ApiToken.objects.create(
        user=user,
        collection=collection,
        name=name,
        prefix=secret[:PREFIX_LENGTH],
        sha256=hash_token(secret),
        scopes=[ApiToken.Scope(scope).value for scope in scopes],
        expires_at=Now() + timedelta(days=days),
    )
    token.refresh_from_db()
    return NewToken(token, secret)


def valid_token(*, secret: str) -> ApiToken | None:
    """Return the token with this secret.

    None if it is unknown, revoked or expired, or its owner is gone.
    """
    valid = ApiToken.objects.filter(
        revoked_at=None, expires_at__gt=ClockTimestamp(), user__is_active=True
    )
    return valid.select_related("user").filter(sha256=hash_token(secret)).first()


def find_token(*, secret: str) -> ApiToken | None:
    """Return the valid token with this secret and note its use; None as `valid_token`."""
    token = valid_token(secret=secret)
    if token is not None:
        long_ago = Q(last_used_at=None) | Q(last_used_at__lt=ClockTimestamp() - USE_NOTED_EVERY)
        ApiToken.objects.filter(long_ago, pk=token.pk).update(last_used_at=ClockTimestamp())
    return token


def revocation_consequences(*, token: ApiToken) -> Consequences:
    """Return the consequences of revoking a token that is not revoked yet."""
    return Consequences(
        act="revoke",
        title="Revoke",
        subject=token.name,
        button=f"Revoke {token.name}",
        sentences=(
            "Each program that sends it is refused from that moment on.",
            f"It has {counted(len(token.scopes), 'scope')}: {', '.join(token.scopes)}.",
        ),
        way_back="It cannot be taken back: the programs then need another token.",
    )


@transaction.atomic
def revoke_token(*, token: ApiToken) -> None:
    """Revoke a token from now on; the row stays as a record."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=ClockTimestamp())
