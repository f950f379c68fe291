"""Events for webhooks: each is stored in the transaction of what it tells, and sent after it.

An event that is rolled back was never announced, and one that is stored is found by the sweep,
whatever became of the broker or a worker.
"""

from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse

from annotate.models import Collection, Delivery, Hook, HookEvent
from annotate.signals import deliveries_waiting


@transaction.atomic
def announce(*, collection: Collection, event: HookEvent, data: Mapping[str, object]) -> int:
    """Store an event for each webhook of the collection that is told of it; return how many are.

    data : ids, states and counts; no name of a person or run, no label, no secret: a receiver
        stands outside
    """
    hooks = collection.hooks.filter(off_at=None, events__contains=[event])
    return len([store(hook=hook, event=event, data=data) for hook in hooks.order_by("pk")])


@transaction.atomic
def store(*, hook: Hook, event: HookEvent, data: Mapping[str, object]) -> Delivery:
    """Store an event for one webhook, to be sent after the commit."""
    delivery = Delivery.objects.create(
        hook=hook,
        event=event,
        data={"collection": hook.collection.slug, **data},
        next_at=Now(),
    )
    deliveries_waiting.send(sender=Delivery, hook_id=hook.pk)
    return delivery


def api_url(name: str, *arguments: object) -> str:
    """The full address of something in the API, for programs outside."""
    return settings.SITE_URL + reverse(f"api:{name}", args=arguments)
