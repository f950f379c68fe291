"""Events for webhooks: each is stored in the transaction of what it tells, and sent after it.

An event that is rolled back was never announced, and one that is stored is found by the sweep,
whatever became of the broker or a worker.
"""

from collections.abc import Mapping

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.urls import reverse

from annotate.models import Collection, Delivery, Hook, HookEvent
from annotate.signals import deliveries_waiting


@transaction.atomic(savepoint=False)
def announce(*, collection: Collection, event: HookEvent, data: Mapping[str, object]) -> int:
    """Store an event for each webhook of the collection that is told of it; return how many are.

    data : ids, states and counts; no name of a person or run, no label, no secret: a receiver
        stands outside
    """
    hooks = list(collection.hooks.filter(off_at=None, events__contains=[event]).order_by("pk"))
    keys = _held(hooks) if hooks else set()
    return len([store(hook=hook, event=event, data=data) for hook in hooks if hook.pk in keys])


def _held(hooks: list[Hook]) -> set[int]:
    """Keys of the webhooks that are still there; whoever deletes one waits for the commit.

    Else the cause would fail as it is committed, since a webhook was deleted meanwhile. The lock is
    that of a foreign key: it leaves alone what workers write of a webhook.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM annotate_hook WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE",
            [[hook.pk for hook in hooks]],
        )
        return {key for (key,) in cursor.fetchall()}


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
