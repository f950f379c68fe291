"""Archiving a collection, and taking it back: nothing of it is lost, and nothing is begun in it.

Nothing more is handed out (Annotator.is_stopped) or uploaded (lifecycle.archive); its pools stay as
they are. Answers to what is in hand are accepted.
"""

from datetime import datetime

from django.db import transaction

from annotate.core.consequences import Consequences, require_unchanged
from annotate.core.phrases import counted
from annotate.models import ClockTimestamp, Collection, ReviewAction, Round, Seat, User
from annotate.services.supervision import review_log

Kind = ReviewAction.Kind


@transaction.atomic
def archive_collection(*, collection: Collection, by: User) -> bool:
    """Put a collection into the archive; False if it was there."""
    rows = Collection.objects.filter(pk=collection.pk, archived_at=None)
    is_new = rows.update(archived_at=ClockTimestamp(), archived_by=by)
    return _note(collection, Kind.COLLECTION_ARCHIVED, by, is_new=bool(is_new))


@transaction.atomic
def unarchive_collection(
    *, collection: Collection, by: User, done_at: datetime | None = None
) -> bool:
    """Take a collection out of the archive: all goes on as it was; False if it was not there.

    done_at : moment at which it was archived, None for any; raises ActChanged
    """
    rows = Collection.objects.filter(pk=collection.pk)
    since = rows.select_for_update(no_key=True).get().archived_at
    if since is not None:
        require_unchanged(since, done_at=done_at)
        rows.update(archived_at=None, archived_by=None)
    return _note(collection, Kind.COLLECTION_RESTORED, by, is_new=since is not None)


def archive_consequences(*, collection: Collection) -> Consequences:
    """Return the consequences of archiving a collection, or of unarchiving it; three queries."""
    if collection.archived_at is not None:
        return Consequences(
            act="unarchive",
            title="Unarchive",
            button="Unarchive",
            sentences=("Its open pools hand out pairs again, and files can be uploaded again.",),
            way_back="It can be archived here at any time.",
            is_danger=False,
        )
    pools = Round.objects.filter(
        collection=collection, kind=Round.Kind.POOL, state=Round.State.OPEN
    )
    n_pools = pools.count()
    seats = Seat.objects.filter(round__in=pools, purpose=Seat.Purpose.LABEL, state=Seat.State.FREE)
    people = counted(collection.memberships.values("user").distinct().count(), "person")
    stop = f"{counted(n_pools, 'open pool')} with {counted(seats.count(), 'label')} to hand out"
    return Consequences(
        act="archive",
        title="Archive",
        button=f"Archive, with {counted(n_pools, 'open pool')}" if n_pools else "Archive",
        sentences=(
            f"Nothing more is handed out: {stop}. What is in hand can still be answered."
            if n_pools
            else "No pool is open.",
            "Nobody uploads files or opens pools in it; it can be read and downloaded as before.",
            f"{people} would find it under “Archived” on the first page.",
        ),
        way_back="It can be taken back here at any time: Unarchive.",
        is_danger=False,
    )


def _note(collection: Collection, kind: ReviewAction.Kind, by: User, *, is_new: bool) -> bool:
    if is_new:
        review_log.note(collection=collection, kind=kind, by=by)
    collection.refresh_from_db()
    return is_new
