"""Deliveries: sent by one worker a webhook, tried again, requested again, forgotten."""

import json
import logging
import time
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Min
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from annotate.core.files.spreadsheet_cells import timestamp
from annotate.core.webhooks import retries, signing
from annotate.models import ClockTimestamp, Delivery, Hook
from annotate.services.background.workers import try_lock
from annotate.services.webhooks import door
from annotate.services.webhooks.hooks import (
    HookRefused,
    require_on,
    signing_secrets,
    switch_off,
)
from annotate.signals import deliveries_waiting

log = logging.getLogger(__name__)

TURN_SECONDS = 20  # after which a worker leaves the rest of a webhook to the next sweep
HOOKS_A_SWEEP = 50
KEPT = timedelta(days=30)
OFF_AFTER = timedelta(days=5)  # of failures alone
MAX_LOG = 20  # attempts that a delivery keeps
MAX_ANSWER = 500  # characters of an answer that an attempt keeps
GONE = 410


class Attempt(NamedTuple):
    """An attempt to deliver: when, how long it took, and the answer or the reason for none.

    status : None without an answer; answer : its first characters
    """

    at: str
    ms: int
    status: int | None
    answer: str
    error: str

    @property
    def is_success(self) -> bool:
        """True if the receiver took it: any status from 200 to 299."""
        return self.status is not None and 200 <= self.status <= 299


def deliver(*, hook: Hook) -> int:
    """Send what a webhook has to send now, the oldest first; return how many attempts that were.

    One worker at a time: another one finds the webhook locked and leaves it. A failure ends the
    turn, since the webhook rests then; a killed worker leaves the lock and the rows to the sweep.
    """
    n_attempts, until = 0, time.monotonic() + TURN_SECONDS
    with try_lock(hook) as is_ours:
        while is_ours and time.monotonic() < until:
            due_deliveries = Delivery.objects.due().filter(hook=hook.pk)
            delivery = due_deliveries.select_related("hook").order_by("next_at", "pk").first()
            if delivery is None:
                break
            _send(delivery)
            n_attempts += 1
    return n_attempts


def overdue() -> list[int]:
    """Keys of the webhooks that have something to send now, those that wait longest first."""
    rows = Delivery.objects.due().order_by().values("hook").annotate(first=Min("next_at"))
    return [row["hook"] for row in rows.order_by("first", "hook")[:HOOKS_A_SWEEP]]


@transaction.atomic
def send_again(*, delivery: Delivery) -> None:
    """Send a delivery once more, now, under its own id. Raises HookRefused if its hook is off."""
    require_on(hook=delivery.hook)
    Hook.objects.filter(pk=delivery.hook_id).update(rests_until=None)
    Delivery.objects.filter(pk=delivery.pk).update(
        state=Delivery.State.WAITING, n_attempts=0, next_at=ClockTimestamp(), ended_at=None
    )
    delivery.refresh_from_db()
    deliveries_waiting.send(sender=Delivery, hook_id=delivery.hook_id)


def drop_old() -> int:
    """Delete the deliveries of over 30 days ago, whatever became of them; return how many."""
    return Delivery.objects.filter(at__lt=Now() - KEPT).delete()[0]


def body_of(delivery: Delivery) -> bytes:
    """The body of a delivery, the same at each attempt."""
    message = {
        "type": delivery.event,
        "timestamp": timestamp(delivery.at),
        "data": dict(sorted(delivery.data.items())),
    }
    return json.dumps(message, separators=(",", ":")).encode()


def _send(delivery: Delivery) -> None:
    """Try to deliver, once; the attempt is counted before it, so that a killed one counts too."""
    row = Delivery.objects.filter(pk=delivery.pk)
    if delivery.n_attempts >= retries.MAX_ATTEMPTS:  # each ended with its worker
        row.update(state=Delivery.State.FAILED, next_at=None, ended_at=ClockTimestamp())
        return
    row.update(n_attempts=F("n_attempts") + 1)
    attempt = _attempt(delivery)
    log.info("%s %s: %s %s", delivery, delivery.message_id, attempt.status, attempt.error)
    _record(delivery, attempt)


def _attempt(delivery: Delivery) -> Attempt:
    began_at, began = timezone.now(), time.monotonic()
    status, answer, error = None, "", ""
    try:
        receiver_answer = door.post(
            url=delivery.hook.url, body=body_of(delivery), headers=_headers(delivery)
        )
        status = receiver_answer.status
        answer = receiver_answer.body.decode("utf-8", "replace").replace("\0", "�")[:MAX_ANSWER]
        if 300 <= status <= 399:
            error = "It answered with another address, and none is followed."
    except (door.AddressRefused, door.Unreachable, HookRefused) as refusal:
        error = str(refusal)
    ms = round(1000 * (time.monotonic() - began))
    return Attempt(timestamp(began_at) or "", ms, status, answer, error)


def _headers(delivery: Delivery) -> dict[str, str]:
    """The headers of Standard Webhooks. Raises HookRefused without a readable secret."""
    message_id, seconds = str(delivery.message_id), int(time.time())
    signatures = signing.signature(
        secrets=signing_secrets(hook=delivery.hook),
        message_id=message_id,
        timestamp=seconds,
        body=body_of(delivery),
    )
    return {
        "Content-Type": "application/json",
        "User-Agent": "Assayer",
        "Connection": "close",
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signatures,
    }


@transaction.atomic
def _record(delivery: Delivery, attempt: Attempt) -> None:
    """Store the outcome of an attempt; of a webhook that was deleted meanwhile nothing is left.

    The webhook is locked before its delivery, as by whoever sends again or deletes.
    """
    list(Hook.objects.select_for_update(no_key=True).filter(pk=delivery.hook_id))
    row = Delivery.objects.select_for_update().filter(pk=delivery.pk).first()
    if row is None:
        return
    row.attempts = [*row.attempts, attempt._asdict()][-MAX_LOG:]
    if attempt.is_success:
        row.state, row.next_at, row.ended_at = Delivery.State.DELIVERED, None, ClockTimestamp()
    elif row.n_attempts >= retries.MAX_ATTEMPTS:
        row.state, row.next_at, row.ended_at = Delivery.State.FAILED, None, ClockTimestamp()
    else:
        seconds = retries.pause_after(
            n_attempts=max(1, row.n_attempts), message_id=str(row.message_id)
        )
        row.next_at = ClockTimestamp() + timedelta(seconds=seconds)
    row.save()
    _record_of_hook(delivery.hook, attempt)


def _record_of_hook(hook: Hook, attempt: Attempt) -> None:
    """Let a webhook that failed rest, or switch it off; a success forgives all failures."""
    rows = Hook.objects.filter(pk=hook.pk, url=hook.url)  # another receiver's fault is not its own
    if attempt.is_success:
        rows.update(n_failures=0, failing_since=None, rests_until=None)
        return
    seconds = retries.rest_after(n_failures=hook.n_failures + 1)
    rows.update(
        n_failures=hook.n_failures + 1,
        failing_since=Coalesce("failing_since", ClockTimestamp()),
        rests_until=ClockTimestamp() + timedelta(seconds=seconds),
    )
    if attempt.status == GONE and rows.exists():
        switch_off(hook=hook, why=Hook.Off.GONE)
    elif rows.filter(failing_since__lt=ClockTimestamp() - OFF_AFTER).exists():
        switch_off(hook=hook, why=Hook.Off.FAILING)
