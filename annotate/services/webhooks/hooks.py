"""Webhooks of a collection: made, changed, switched off and on, given another secret."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from cryptography.fernet import InvalidToken
from django.db import IntegrityError, transaction

from annotate.core.consequences import require_told, require_unchanged
from annotate.core.webhooks import signing
from annotate.models import ClockTimestamp, Collection, Delivery, Hook, HookEvent, User
from annotate.services.storage import outbox
from annotate.services.storage.ciphers import cipher
from annotate.services.webhooks import door

MAX_HOOKS = 20  # of a collection
EARLIER_SECRET_SIGNS = timedelta(days=1)  # after the last change
MAX_EARLIER = 3
PURPOSE = "webhook secret"  # of the cipher


class HookRefused(Exception):
    """The webhook cannot be like that, or cannot do this now; the text says why."""


class NewHook(NamedTuple):
    """A webhook and its secret, which is shown once."""

    hook: Hook
    secret: str


@transaction.atomic
def create_hook(
    *, collection: Collection, url: str, events: Sequence[str], by: User | None
) -> NewHook:
    """Tell an address of these events from now on. Raises HookRefused."""
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # they are counted
    if collection.hooks.count() >= MAX_HOOKS:
        raise HookRefused(f"A collection has {MAX_HOOKS} webhooks at most; delete one first.")
    url, secret = receiver_url(url), new_secret()
    hook = Hook(
        collection=collection, url=url, events=sorted(set(events)), secret=sealed(secret), by=by
    )
    _save(hook)
    return NewHook(hook, secret)


@transaction.atomic
def change_hook(*, hook: Hook, url: str | None = None, events: Sequence[str] | None = None) -> None:
    """Tell another address, or of other events; None leaves them. Raises HookRefused."""
    hook = _locked(hook)
    if url is not None and url != hook.url and (new_url := receiver_url(url)) != hook.url:
        hook.url = new_url
        # another receiver is not to blame for this one's failures
        hook.n_failures, hook.failing_since, hook.rests_until = 0, None, None
    if events is not None:
        hook.events = sorted(set(events))
    _save(hook)


@transaction.atomic
def rotate_secret(*, hook: Hook) -> NewHook:
    """Give a webhook another secret; for a day the earlier ones sign too.

    Whoever makes another twice has a receiver with the one of before the first.
    """
    hook, secret = _locked(hook), new_secret()
    earlier_texts = [hook.secret, *_earlier_texts(hook)][:MAX_EARLIER]
    hook.earlier_secret, hook.secret = " ".join(earlier_texts), sealed(secret)
    hook.secret_changed_at = ClockTimestamp()
    hook.save()
    hook.refresh_from_db()
    return NewHook(hook, secret)


@transaction.atomic
def switch_off(*, hook: Hook, why: Hook.Off) -> None:
    """Send nothing from now on; what waits is kept, and goes out once it is on again."""
    Hook.objects.filter(pk=hook.pk, off_at=None).update(off_at=ClockTimestamp(), off_why=why)
    hook.refresh_from_db(fields=["off_at"])


@transaction.atomic
def switch_on(*, hook: Hook, done_at: datetime | None = None) -> None:
    """Send again, from now on and what waits.

    done_at : moment at which it was switched off, None for any; raises ActChanged
    """
    since = _locked(hook).off_at
    if since is not None:
        require_unchanged(since, done_at=done_at)
        Hook.objects.filter(pk=hook.pk).update(
            off_at=None, off_why="", n_failures=0, failing_since=None, rests_until=None
        )
    hook.refresh_from_db(fields=["off_at"])


def switch(*, hook: Hook, is_on: bool, done_at: datetime | None = None) -> None:
    """Switch a webhook on, or off as a lead; nothing changes where it is like that already.

    done_at : of switch_on, which see
    """
    if is_on:
        switch_on(hook=hook, done_at=done_at)
    else:
        switch_off(hook=hook, why=Hook.Off.LEAD)


@transaction.atomic
def delete_hook(*, hook: Hook, expected: int | None = None) -> None:
    """Forget a webhook and its log, with the events that are being stored for it just now.

    expected : number of waiting events that a lead was told of; raises CountChanged where more
        would never be sent
    """
    for row in Hook.objects.select_for_update().filter(pk=hook.pk):
        n_waiting = row.deliveries.filter(state=Delivery.State.WAITING).count()
        require_told(n_waiting, expected=expected, noun="waiting event")
        row.delete()


@transaction.atomic
def send_test(*, hook: Hook) -> Delivery:
    """Send a test, at once even where it rests. Raises HookRefused if it is switched off."""
    hook = require_on(hook=hook)
    Hook.objects.filter(pk=hook.pk).update(rests_until=None)
    return outbox.store(hook=hook, event=HookEvent.TEST, data={})


def require_on(*, hook: Hook) -> Hook:
    """Lock a webhook that is on. Raises HookRefused."""
    hook = _locked(hook)
    if hook.off_at is not None:
        raise HookRefused("This webhook is switched off: switch it on first.")
    return hook


def new_secret() -> str:
    """A random secret, as its receiver keeps it."""
    return signing.secret_text(secrets.token_bytes(signing.KEY_BYTES))


def sealed(secret: str) -> str:
    """A secret as it is stored."""
    return cipher(PURPOSE).encrypt(secret.encode()).decode()


def is_secret(*, hook: Hook, text: str) -> bool:
    """True for the present secret of a webhook, as far as the site can still read it."""
    with suppress(InvalidToken):
        return bool(text) and cipher(PURPOSE).decrypt(hook.secret).decode() == text
    return False


def signing_secrets(*, hook: Hook) -> list[str]:
    """The secrets that sign now: the present one, and for a day those before.

    Raises HookRefused where no key of the site reads the present one.
    """
    try:
        present_secret = cipher(PURPOSE).decrypt(hook.secret).decode()
    except InvalidToken as error:
        raise HookRefused(
            "Its secret cannot be read, since SECRET_KEY was changed: give it another one."
        ) from error
    earlier_secrets = []
    for text in _earlier_texts(hook):
        with suppress(InvalidToken):
            earlier_secrets.append(cipher(PURPOSE).decrypt(text).decode())
    return [present_secret, *earlier_secrets]


def _earlier_texts(hook: Hook) -> list[str]:
    """The earlier secrets that sign still, as they are stored, the newest first."""
    rows = Hook.objects.filter(
        pk=hook.pk, secret_changed_at__gt=ClockTimestamp() - EARLIER_SECRET_SIGNS
    )
    return " ".join(rows.values_list("earlier_secret", flat=True)).split()


def receiver_url(url: str) -> str:
    """An address in its one spelling, by which two are compared. Raises HookRefused."""
    try:
        return door.allowed_url(url).text
    except door.AddressRefused as error:
        raise HookRefused(str(error)) from error


def _save(hook: Hook) -> None:
    try:
        with transaction.atomic():
            hook.save()
    except IntegrityError as error:
        raise HookRefused("The collection has a webhook to this address already.") from error
    hook.refresh_from_db()


def _locked(hook: Hook) -> Hook:
    return (
        Hook.objects.select_for_update(no_key=True, of=("self",))
        .select_related("collection")
        .get(pk=hook.pk)
    )
