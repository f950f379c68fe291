"""Sentences of the pages of webhooks, and what their buttons do."""

from datetime import datetime
from typing import NamedTuple

from django.utils import timezone

from annotate.core.phrases import counted, enumeration
from annotate.models import Collection, Delivery, Hook
from annotate.services.webhooks.deliveries import Attempt
from annotate.services.webhooks.hooks import send_test, switch

MOMENT = "%-d %b %Y %H:%M:%S"


class HookLine(NamedTuple):
    """A webhook in the list."""

    hook: Hook

    @property
    def state(self) -> str:
        """Its state in a few words."""
        if self.hook.off_at is not None:
            return "Off"
        return "Failing" if self.hook.n_failures else "On"

    @property
    def badge(self) -> str:
        """The kind of the badge of its state."""
        return {"Off": "bad", "Failing": "warn", "On": "good"}[self.state]

    @property
    def maker(self) -> str:
        """A sentence of who made it, and when; without a name once the account is gone."""
        by = f" by {self.hook.by.username}," if self.hook.by else ""
        return f"Made{by} {self.hook.created_at:{MOMENT}} UTC."

    @property
    def sentence(self) -> str:
        """Its state in a sentence; "" where all is well."""
        hook = self.hook
        if hook.off_at is not None:
            return (
                f"{hook.get_off_why_display()}, {hook.off_at:{MOMENT}} UTC. Events since then are "
                "not kept for it; what waited before goes out once it is on again."
            )
        if hook.failing_since is None:
            return ""
        attempts = counted(hook.n_failures, "attempt")
        return (
            f"{attempts} failed since {hook.failing_since:{MOMENT}} UTC, and none came through. It "
            "is tried again by itself, and switched off after five days."
        )


class DeliveryLine(NamedTuple):
    """A delivery in the log of a webhook."""

    delivery: Delivery

    @property
    def badge(self) -> str:
        """The kind of the badge of its state."""
        return {"waiting": "warn", "delivered": "good", "failed": "bad"}[self.delivery.state]

    @property
    def attempts(self) -> list[Attempt]:
        """Its attempts, the newest first."""
        return [Attempt(**fields) for fields in reversed(self.delivery.attempts)]

    @property
    def outcomes(self) -> list[str]:
        """Each attempt in a sentence, the newest first."""
        return [outcome(attempt) for attempt in self.attempts]

    @property
    def sentence(self) -> str:
        """The next step in a sentence; "" once it has ended."""
        delivery = self.delivery
        if delivery.next_at is None:
            return ""
        if delivery.hook.off_at is not None:
            return "Sent once the webhook is on again."
        moment = max(delivery.next_at, delivery.hook.rests_until or delivery.next_at)
        if moment <= timezone.now():
            return "To be sent now."
        return f"{'Tried again' if delivery.attempts else 'Sent'} from {moment:{MOMENT}} UTC on."


def outcome(attempt: Attempt) -> str:
    """An attempt in a sentence: "5 Mar 2026 07:08:09 UTC: 204 after 31 ms"."""
    moment = f"{datetime.fromisoformat(attempt.at):{MOMENT}} UTC"
    answer = f"{attempt.status} after {attempt.ms:,} ms" if attempt.status else "no answer"
    reason = f". {attempt.error}" if attempt.error else ""
    text = f", {attempt.answer}" if attempt.answer and not attempt.is_success else ""
    return f"{moment}: {answer}{reason}{text}"


def hook_lines(*, collection: Collection) -> list[HookLine]:
    """The webhooks of a collection, the oldest first; one query."""
    return [HookLine(hook) for hook in collection.hooks.order_by("pk")]


def trouble_sentence(*, collection: Collection) -> str:
    """The webhooks that get nothing for a fault of their receiver, in a sentence; "" without any.

    One query.
    """
    hooks = collection.hooks.filter(off_why__in=(Hook.Off.FAILING, Hook.Off.GONE))
    urls = list(hooks.order_by("pk").values_list("url", flat=True))
    if not urls:
        return ""
    reason = "messages failed for days, or the receiver is gone. Mend it, then switch it on"
    return f"Nothing is sent any more to {enumeration(urls)}: {reason}."


def carry_out(*, hook: Hook, act: str, done_at: datetime | None = None) -> str:
    """Do one of ACTS, and return the sentence that tells of it. Raises HookRefused, ActChanged.

    done_at : moment at which the webhook was switched off, where an Undo switches it on
    """
    if act == "test":
        send_test(hook=hook)
    else:
        switch(hook=hook, is_on=act == "on", done_at=done_at)
    return ACTS[act]


# The buttons of a webhook's page, and the sentence that tells of each.
ACTS = {
    "test": "A test is being sent; its outcome stands in the log in a moment.",
    "off": "Switched off: nothing is sent.",
    "on": "Switched on: events from now on are sent, and what waited.",
}
UNDO_FIELDS = {"off": {"act": "on"}, "on": {"act": "off"}}  # of an act, what takes it back
