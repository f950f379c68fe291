"""Deliveries: signed, tried again, one worker at a time, and none lost."""

import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotate.models import Delivery, Hook, HookEvent
from annotate.services.background.workers import try_lock
from annotate.services.storage import outbox
from annotate.services.webhooks import deliveries, hooks
from annotate.tasks import deliver, sweep, tidy
from config.up.processes import wait_until
from tests import cast
from tests.servers.database_sessions import no_job_is_locked, waiting_session
from tests.servers.databases import closing_connections, run_concurrently

pytestmark = pytest.mark.django_db
EVENT = HookEvent.RELEASE_MADE
GUIDE = Path(__file__).parents[4] / "docs" / "webhooks.md"
DELIVER = """
import sys
import django
django.setup()
from annotate.tasks import deliver
deliver(hook_id=int(sys.argv[1]))
"""


@pytest.fixture
def new_hook(collection, receiver):
    return hooks.create_hook(collection=collection, url=receiver.url, events=[EVENT], by=None)


@pytest.fixture
def hook(new_hook):
    return new_hook.hook


def announce(hook, **data):
    outbox.announce(collection=hook.collection, event=EVENT, data={"version": "1.0", **data})
    return Delivery.objects.latest("pk")


def let_time_pass(hook, delivery, **duration):
    """Let the next attempt be due, as if this time had passed."""
    earlier = timezone.now() - timedelta(**duration)
    Delivery.objects.filter(pk=delivery.pk, state="waiting").update(next_at=earlier)
    Hook.objects.filter(pk=hook.pk).exclude(rests_until=None).update(rests_until=earlier)


def verified(secret, message):
    """True if a receiver takes the message for genuine by the check that its guide shows."""
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    names = {}
    exec(code[1], names)
    return names["is_genuine"](secret, message.headers, message.body)


def test_an_event_arrives_signed_with_its_id(receiver, new_hook, hook):
    delivery = announce(hook)
    assert deliveries.deliver(hook=hook) == 1
    (message,) = receiver.messages
    assert message.path == "/hook?for=shapes"
    assert message.headers["content-type"] == "application/json"
    assert message.headers["webhook-id"] == str(delivery.message_id)
    assert verified(new_hook.secret, message)
    assert not verified(hooks.new_secret(), message)
    assert not verified(new_hook.secret, message._replace(body=message.body + b" "))
    old_headers = message.headers | {"webhook-timestamp": "1614265330"}
    assert not verified(new_hook.secret, message._replace(headers=old_headers))
    body = json.loads(message.body)
    assert list(body) == ["type", "timestamp", "data"]
    assert body["type"] == "release.made" and body["timestamp"].endswith("Z")
    assert body["data"] == {"collection": "shapes", "version": "1.0"}
    delivery.refresh_from_db()
    assert (delivery.state, delivery.n_attempts, delivery.next_at) == ("delivered", 1, None)
    assert (delivery.attempts[0]["status"], delivery.attempts[0]["error"]) == (204, "")
    assert deliveries.deliver(hook=hook) == 0, "once is enough"


def test_an_event_goes_to_the_webhooks_of_its_collection_that_want_it_and_are_on(
    collection, receiver, hook
):
    for url, events in (("/other", ["alarm.rose"]), ("/off", [EVENT]), ("/both", [EVENT])):
        made = hooks.create_hook(
            collection=collection, url=f"http://{receiver.authority}{url}", events=events, by=None
        ).hook
        if url == "/off":
            hooks.switch_off(hook=made, why=Hook.Off.LEAD)
    other = cast.collection("other")
    hooks.create_hook(collection=other, url=receiver.url, events=[EVENT], by=None)
    announce(hook)
    urls = Delivery.objects.order_by("pk").values_list("hook__url", flat=True)
    assert list(urls) == [receiver.url, f"http://{receiver.authority}/both"]


def test_what_is_rolled_back_is_not_announced(hook):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        announce(hook)
        raise ZeroDivisionError
    assert not Delivery.objects.exists()


def test_a_failure_is_tried_again_after_growing_pauses_under_the_same_id_and_then_fails(
    receiver, hook
):
    receiver.status, receiver.answer = 503, "später\0".encode()
    delivery = announce(hook)
    for pause in (30, 300, 1800, 7200, 28_800, 86_400):
        before = timezone.now()
        assert deliveries.deliver(hook=hook) == 1
        delivery.refresh_from_db()
        longest_wait = timezone.now() - before + timedelta(seconds=1.2 * pause)
        assert timedelta(seconds=pause) <= delivery.next_at - before <= longest_wait
        assert deliveries.deliver(hook=hook) == 0, "not before its time"
        let_time_pass(hook, delivery, seconds=1)
    assert deliveries.deliver(hook=hook) == 1
    delivery.refresh_from_db()
    assert (delivery.state, delivery.n_attempts, delivery.next_at) == ("failed", 7, None)
    assert {message.headers["webhook-id"] for message in receiver.messages} == {
        str(delivery.message_id)
    }
    assert delivery.attempts[-1]["answer"] == "später�"
    assert deliveries.deliver(hook=hook) == 0


def test_a_receiver_that_failed_rests_and_gets_all_that_waits_once_it_is_well(receiver, hook):
    first, second = announce(hook), announce(hook, version="1.1")
    receiver.status = 500
    assert deliveries.deliver(hook=hook) == 1, "the failure ends the turn"
    assert deliveries.overdue() == []
    hook.refresh_from_db()
    assert hook.n_failures == 1 and hook.failing_since and hook.rests_until > timezone.now()
    let_time_pass(hook, first, seconds=1)
    assert deliveries.overdue() == [hook.pk]
    receiver.status = 200
    assert deliveries.deliver(hook=hook) == 2
    hook.refresh_from_db()
    assert (hook.n_failures, hook.failing_since, hook.rests_until) == (0, None, None)
    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}
    assert second.pk in Delivery.objects.values_list("pk", flat=True)


@pytest.mark.parametrize(
    ("status", "days", "why"), [(500, 4, ""), (500, 6, "failing"), (410, 0, "gone")]
)
def test_a_receiver_is_switched_off_after_days_of_failures_or_once_it_is_gone(
    receiver, hook, status, days, why
):
    announce(hook)
    receiver.status = status
    if days:
        earlier = timezone.now() - timedelta(days=days)
        Hook.objects.update(failing_since=earlier, n_failures=9)
    deliveries.deliver(hook=hook)
    hook.refresh_from_db()
    assert (hook.off_why, bool(hook.off_at)) == (why, bool(why))
    delivery = Delivery.objects.get()
    let_time_pass(hook, delivery, seconds=1)
    assert deliveries.deliver(hook=hook) == (0 if why else 1)


def test_what_waits_is_kept_while_a_webhook_is_off_and_goes_out_after_it(receiver, hook):
    announce(hook)
    hooks.switch(hook=hook, is_on=False)
    assert deliveries.deliver(hook=hook) == 0 and deliveries.overdue() == []
    announce(hook)
    assert Delivery.objects.count() == 1, "what happens meanwhile is not kept for it"
    with pytest.raises(hooks.HookRefused, match="switched off"):
        deliveries.send_again(delivery=Delivery.objects.get())
    with pytest.raises(hooks.HookRefused, match="switched off"):
        hooks.send_test(hook=hook)
    hooks.switch(hook=hook, is_on=True)
    assert deliveries.deliver(hook=hook) == 1 and len(receiver.messages) == 1


def test_a_delivery_is_sent_again_at_once_although_its_receiver_rests(receiver, hook):
    delivery = announce(hook)
    receiver.status = 500
    deliveries.deliver(hook=hook)
    receiver.status = 204
    deliveries.send_again(delivery=delivery)
    assert (delivery.state, delivery.n_attempts) == ("waiting", 0)
    assert deliveries.deliver(hook=hook) == 1
    delivery.refresh_from_db()
    assert [attempt["status"] for attempt in delivery.attempts] == [500, 204]
    deliveries.send_again(delivery=delivery)
    assert deliveries.deliver(hook=hook) == 1
    assert len({message.headers["webhook-id"] for message in receiver.messages}) == 1
    assert len({message.body for message in receiver.messages}) == 1


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_finds_another_at_it_leaves_it(receiver, hook):
    announce(hook)
    with try_lock(hook):
        assert run_concurrently(lambda row: deliveries.deliver(hook=row), [hook]) == [0]
    assert receiver.messages == []
    assert deliveries.deliver(hook=hook) == 1


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_while_it_sends_leaves_the_delivery_to_the_next(
    receiver, hook, service_home
):
    delivery, has_arrived, is_over = announce(hook), threading.Event(), threading.Event()

    def hold() -> None:
        has_arrived.set()
        is_over.wait(240)

    receiver.before_answer = hold
    env = {
        **os.environ,
        "DATABASE_URL": service_home.database_url(connection.settings_dict["NAME"]),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "WEBHOOK_HOSTS": receiver.authority,
        "SECRET_KEY": settings.SECRET_KEY,
    }
    worker = subprocess.Popen([sys.executable, "-c", DELIVER, str(hook.pk)], env=env)
    try:
        assert has_arrived.wait(240)
    finally:
        worker.kill()
        worker.wait()
        is_over.set()
    assert wait_until(no_job_is_locked, seconds=240)
    assert deliveries.overdue() == [hook.pk], "the sweep finds it"
    assert deliveries.deliver(hook=hook) == 1
    delivery.refresh_from_db()
    assert (delivery.state, delivery.n_attempts) == ("delivered", 2)
    ids = [message.headers["webhook-id"] for message in receiver.messages]
    assert ids == [str(delivery.message_id)] * 2, "at least once, and under one id"


def test_a_worker_that_dies_leaves_the_delivery_to_the_next(receiver, hook):
    """Its attempt counts: a delivery that kills its workers comes to an end."""
    delivery = announce(hook)

    def die():
        raise MemoryError

    for n_attempts in range(1, 8):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(MemoryError):
            patch.setattr(deliveries.door, "post", lambda **_: die())
            deliveries.deliver(hook=hook)
        delivery.refresh_from_db()
        assert (delivery.state, delivery.n_attempts) == ("waiting", n_attempts)
        assert deliveries.overdue() == [hook.pk], "the sweep finds it"
    assert receiver.messages == []
    deliveries.deliver(hook=hook)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.next_at) == ("failed", None)


def test_the_task_follows_the_commit_and_the_sweep_finds_what_the_broker_lost(
    receiver, hook, broker, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        announce(hook)
    assert len(callbacks) == 1
    assert (broker.llen("webhook"), broker.llen("short")) == (1, 0), (
        "no slow receiver delays numbers"
    )
    assert b"annotate.tasks.deliver" in broker.lindex("webhook", 0)
    broker.flushdb()
    with django_capture_on_commit_callbacks(execute=True):
        sweep()
    names = b" ".join(broker.lrange("webhook", 0, -1))
    assert b"annotate.tasks.deliver" in names
    deliver(hook_id=hook.pk)
    deliver(hook_id=hook.pk + 1)  # deleted since
    assert len(receiver.messages) == 1


def test_a_webhook_that_is_deleted_while_it_is_sent_to_leaves_nothing(receiver, hook):
    announce(hook)
    row = Delivery.objects.get()
    post = deliveries.door.post

    def delete_then_post(**arguments):
        Hook.objects.all().delete()
        return post(**arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deliveries.door, "post", delete_then_post)
        deliveries.deliver(hook=hook)
    assert len(receiver.messages) == 1
    assert not Delivery.objects.filter(pk=row.pk).exists() and not Hook.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_webhook_that_is_deleted_while_an_event_is_stored_does_not_undo_the_cause(hook):
    delete = closing_connections(lambda: hooks.delete_hook(hook=hook))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            announce(hook)
            deletion = pool.submit(delete)
            waiting_session(unless=deletion.done)
        deletion.result()
    assert not Hook.objects.exists() and not Delivery.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_no_event_is_stored_for_a_webhook_whose_deletion_was_first(hook):
    @closing_connections
    def count():
        return outbox.announce(collection=hook.collection, event=EVENT, data={})

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            hooks.delete_hook(hook=hook)
            announcement = pool.submit(count)
            waiting_session(unless=announcement.done)
        assert announcement.result() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["again", "delete"])
def test_an_outcome_is_stored_while_a_lead_acts_on_the_same_delivery(receiver, hook, act):
    """Both lock the webhook first, so that neither holds what the other waits for."""
    delivery = announce(hook)
    deliver_now = closing_connections(lambda: deliveries.deliver(hook=hook))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            list(Hook.objects.select_for_update(no_key=True).filter(pk=hook.pk))
            turn = pool.submit(deliver_now)
            waiting_session(unless=turn.done)
            if act == "again":
                deliveries.send_again(delivery=delivery)
            else:
                hooks.delete_hook(hook=hook)
        turn.result()
    assert len(receiver.messages) == 1
    assert Hook.objects.exists() is (act == "again")


def test_an_address_that_turned_internal_is_refused_at_each_attempt(receiver, hook, settings):
    delivery = announce(hook)
    settings.WEBHOOK_HOSTS = []
    deliveries.deliver(hook=hook)
    delivery.refresh_from_db()
    assert delivery.state == "waiting" and receiver.messages == []
    assert "Only https:// is sent to" in delivery.attempts[0]["error"]
    assert delivery.attempts[0]["status"] is None


def test_a_secret_that_cannot_be_read_sends_nothing_unsigned(receiver, hook, settings):
    delivery = announce(hook)
    settings.SECRET_KEY = "x" * 60
    settings.SECRET_KEY_FALLBACKS = []
    deliveries.deliver(hook=hook)
    delivery.refresh_from_db()
    assert "SECRET_KEY was changed" in delivery.attempts[0]["error"] and receiver.messages == []


def test_the_log_keeps_a_month_and_twenty_attempts(receiver, hook):
    delivery = announce(hook)
    for _ in range(22):
        deliveries.send_again(delivery=delivery)
        deliveries.deliver(hook=hook)
    delivery.refresh_from_db()
    assert len(receiver.messages) == 22 and len(delivery.attempts) == 20
    younger = announce(hook)
    Delivery.objects.filter(pk=delivery.pk).update(at=timezone.now() - timedelta(days=31))
    Delivery.objects.filter(pk=younger.pk).update(at=timezone.now() - timedelta(days=29))
    tidy()
    assert list(Delivery.objects.values_list("pk", flat=True)) == [younger.pk]
