"""Steps of a release: made, made public, no longer public, withdrawn. Webhooks hear of them."""

from annotate.models import HookEvent, User
from annotate.services.storage import outbox
from metrics.models import Release, ReleaseEvent, ReleaseEventKind

HOOK_EVENTS = {
    ReleaseEventKind.MADE: HookEvent.RELEASE_MADE,
    ReleaseEventKind.PUBLISHED: HookEvent.RELEASE_PUBLISHED,
    ReleaseEventKind.UNPUBLISHED: HookEvent.RELEASE_UNPUBLISHED,
    ReleaseEventKind.WITHDRAWN: HookEvent.RELEASE_WITHDRAWN,
}


def note_step(*, release: Release, kind: ReleaseEventKind, by: User | None, note: str = "") -> None:
    """Store a step, in the transaction that takes it."""
    ReleaseEvent.objects.create(release=release, kind=kind, note=note, by=by)
    outbox.announce(
        collection=release.collection,
        event=HOOK_EVENTS[kind],
        data={
            "version": release.version,
            "url": outbox.api_url("release", release.collection.slug, release.version),
        },
    )
