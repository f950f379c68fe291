"""Webhooks: what they may be, and their secrets."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.models import Delivery, Hook, HookEvent
from annotate.services.storage import outbox
from annotate.services.webhooks import deliveries, door, hooks
from annotate.services.webhooks.hooks import HookRefused, signing_secrets

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/x"


def create(collection, url=URL, events=("job.ended",)):
    return hooks.create_hook(collection=collection, url=url, events=events, by=None)


def test_a_secret_is_stored_so_that_a_copy_of_the_database_signs_nothing(collection, settings):
    first, second = create(collection), create(collection, f"{URL}2")
    assert first.secret.startswith("whsec_") and first.secret != second.secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT hook::text FROM annotate_hook hook")
        rows = str(cursor.fetchall())
    assert first.secret not in rows and first.secret.removeprefix("whsec_") not in rows
    assert signing_secrets(hook=first.hook) == [first.secret]
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key " * 6
    assert signing_secrets(hook=first.hook) == [first.secret], "by the earlier key of the site"
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(HookRefused, match="give it another one"):
        signing_secrets(hook=first.hook)
    secret = hooks.rotate_secret(hook=first.hook).secret
    assert signing_secrets(hook=first.hook.__class__.objects.get(pk=first.hook.pk)) == [secret]


def test_the_earlier_secret_signs_for_a_day(collection):
    new_hook = create(collection)
    rotation = hooks.rotate_secret(hook=new_hook.hook)
    assert signing_secrets(hook=rotation.hook) == [rotation.secret, new_hook.secret]
    secrets = [new_hook.secret, rotation.secret]
    secrets += [hooks.rotate_secret(hook=new_hook.hook).secret for _ in range(3)]
    assert signing_secrets(hook=rotation.hook.__class__.objects.get()) == secrets[:0:-1]
    a_day_ago = timezone.now() - timedelta(days=1, seconds=1)
    Hook.objects.update(secret_changed_at=a_day_ago)
    assert signing_secrets(hook=rotation.hook) == [rotation.secret]


def test_an_address_is_told_once_and_a_collection_has_twenty_at_most(collection):
    hook = create(collection).hook
    with pytest.raises(HookRefused, match="a webhook to this address already"):
        create(collection)
    other = create(collection, f"{URL}2").hook
    with pytest.raises(HookRefused, match="a webhook to this address already"):
        hooks.change_hook(hook=other, url=hook.url, events=["job.ended"])
    for number in range(3, hooks.MAX_HOOKS + 1):
        create(collection, f"{URL}{number}")
    with pytest.raises(HookRefused, match="20 webhooks at most"):
        create(collection, f"{URL}more")
    hooks.delete_hook(hook=hook)
    create(collection)


@pytest.mark.parametrize(
    ("spelling", "url"),
    [
        ("https://HOOKS.example.org:443/x", URL),
        ("https://hooks.example.org", "https://hooks.example.org/"),
        ("https://hooks.example.org:8443/X?b=C", "https://hooks.example.org:8443/X?b=C"),
        ("https://[2606:4700:4700:0::1111]/x", "https://[2606:4700:4700::1111]/x"),
    ],
)
def test_two_spellings_of_an_address_are_one(collection, spelling, url):
    hook = create(collection, spelling).hook
    assert hook.url == url
    with pytest.raises(HookRefused, match="a webhook to this address already"):
        create(collection, url)
    Hook.objects.update(n_failures=3)
    hooks.change_hook(hook=hook, url=spelling)
    hook.refresh_from_db()
    assert (hook.url, hook.n_failures) == (url, 3), "it is the same receiver"


def test_an_address_inside_is_refused_when_it_is_set(collection):
    hook = create(collection).hook
    for url in ("https://10.0.0.1/", "http://hooks.example.org/", "https://localhost/"):
        with pytest.raises(HookRefused):
            create(collection, url)
        with pytest.raises(HookRefused):
            hooks.change_hook(hook=hook, url=url, events=["job.ended"])
    assert list(Hook.objects.values_list("url", flat=True)) == [URL]


def test_another_address_begins_without_the_failures_of_the_one_before(collection):
    hook = create(collection).hook
    failures = {"n_failures": 3, "failing_since": timezone.now(), "rests_until": timezone.now()}
    Hook.objects.update(**failures)
    hooks.change_hook(hook=hook, url=URL, events=["alarm.rose", "alarm.fell", "alarm.rose"])
    hook.refresh_from_db()
    assert (hook.n_failures, hook.events) == (3, ["alarm.fell", "alarm.rose"])
    hooks.change_hook(hook=hook, url=f"{URL}2", events=["job.ended"])
    hook.refresh_from_db()
    assert (hook.n_failures, hook.failing_since, hook.rests_until) == (0, None, None)


@pytest.mark.parametrize("status", [500, 410])
def test_the_fault_of_an_address_that_was_changed_meanwhile_is_not_that_of_the_new_one(
    collection, monkeypatch, status
):
    hook = create(collection).hook
    outbox.announce(collection=collection, event=HookEvent.JOB_ENDED, data={})

    def post(**_):
        hooks.change_hook(hook=hook, url=f"{URL}2")
        monkeypatch.setattr(door, "post", lambda **_: door.ReceiverAnswer(204, b""))
        return door.ReceiverAnswer(status, b"")

    monkeypatch.setattr(door, "post", post)
    assert deliveries.deliver(hook=hook) == 1
    hook.refresh_from_db()
    assert (hook.off_why, hook.n_failures, hook.rests_until) == ("", 0, None)
    assert Delivery.objects.get().state == "waiting", "the new one gets it"


def test_the_reason_why_it_is_off_stays_the_first(collection):
    hook = create(collection).hook
    hooks.switch_off(hook=hook, why=Hook.Off.GONE)
    hooks.switch(hook=hook, is_on=False)
    hook.refresh_from_db()
    assert hook.off_why == "gone"


@pytest.mark.parametrize("act", ["on", "test"])
def test_it_does_not_rest_once_it_is_switched_on_or_tested(collection, act):
    hook = create(collection).hook
    outbox.announce(collection=collection, event=HookEvent.JOB_ENDED, data={})
    Hook.objects.update(rests_until=timezone.now() + timedelta(hours=1), n_failures=5)
    assert deliveries.overdue() == []
    if act == "on":
        hooks.switch(hook=hook, is_on=False)
        hooks.switch(hook=hook, is_on=True)
    else:
        hooks.send_test(hook=hook)
    assert deliveries.overdue() == [hook.pk]
    hook.refresh_from_db()
    assert hook.n_failures == (0 if act == "on" else 5)


def test_messages_come_in_the_order_of_the_events(collection, monkeypatch):
    hook, bodies = create(collection).hook, []

    def post(*, body, **_):
        bodies.append(json.loads(body)["data"]["job"])
        return door.ReceiverAnswer(204, b"")

    monkeypatch.setattr(door, "post", post)
    for job in (1, 2, 3):
        outbox.announce(collection=collection, event=HookEvent.JOB_ENDED, data={"job": job})
    assert deliveries.deliver(hook=hook) == 3
    assert bodies == [1, 2, 3]
    for job in range(4, 9):
        outbox.announce(collection=collection, event=HookEvent.JOB_ENDED, data={"job": job})
    monkeypatch.setattr(deliveries, "TURN_SECONDS", 0)
    assert deliveries.deliver(hook=hook) == 0, "a turn that is over leaves the rest to the sweep"
    assert deliveries.overdue() == [hook.pk]


def test_a_sweep_sends_first_to_what_waits_longest_and_not_to_all(collection, monkeypatch):
    made = [create(collection, f"{URL}{number}").hook for number in range(3)]
    outbox.announce(collection=collection, event=HookEvent.JOB_ENDED, data={})
    for hook, minutes in zip(made, (1, 3, 2), strict=True):
        earlier = timezone.now() - timedelta(minutes=minutes)
        Delivery.objects.filter(hook=hook).update(next_at=earlier)
    monkeypatch.setattr(deliveries, "HOOKS_A_SWEEP", 2)
    assert deliveries.overdue() == [made[1].pk, made[2].pk]
