"""The consequences of switching a webhook off and of deleting it."""

from typing import NamedTuple

from django.db.models import Count, Q

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import Delivery, Hook


class HookActs(NamedTuple):
    """The acts on a webhook that have consequences; it is switched off only where it is on."""

    off: Consequences | None
    deletion: Consequences


def hook_acts(*, hook: Hook) -> HookActs:
    """Return the consequences of the acts on a webhook at this moment; one query."""
    is_waiting = Q(state=Delivery.State.WAITING)
    counts = hook.deliveries.aggregate(n=Count("pk"), waiting=Count("pk", filter=is_waiting))
    off = None if hook.off_at else off_consequences(n_waiting=counts["waiting"])
    return HookActs(off, deletion_of_hook(n=counts["n"], n_waiting=counts["waiting"]))


def off_consequences(*, n_waiting: int) -> Consequences:
    """Return the consequences of sending nothing any more; n_waiting : events not delivered yet."""
    waiting_events = counted(n_waiting, "event")
    return Consequences(
        act="off",
        title="Switch off",
        button=f"Switch off, with {waiting_events} waiting" if n_waiting else "Switch off",
        sentences=(
            "Nothing is sent, and events from that moment on are not kept for it.",
            f"What waits, {waiting_events}, is kept."
            if n_waiting
            else "No event waits to be sent.",
        ),
        way_back="It can be switched on here at any time: what waited is sent then.",
        is_danger=False,
    )


def deletion_of_hook(*, n: int, n_waiting: int) -> Consequences:
    """Return the consequences of forgetting a webhook.

    n : events in its log; n_waiting : those of them that are not delivered yet
    """
    waiting_events = counted(n_waiting, "event")
    return Consequences(
        act="delete",
        title="Delete",
        button=f"Delete it, with {waiting_events} waiting" if n_waiting else "Delete it",
        sentences=(
            f"{waiting_events} waiting would never be sent."
            if n_waiting
            else "No event waits for it.",
            f"Its log, {counted(n, 'event')}, and its secret go for good.",
        ),
        way_back="It cannot be taken back: the same address can be added again, with another "
        "secret.",
        n=n_waiting,
    )
