"""Requests for releases, and what becomes of one: made anew, discarded, withdrawn."""

from datetime import date

from django.db import transaction
from django.db.models.functions import Now

from annotate.models import Collection, User
from annotate.services.background import works
from annotate.services.storage.files import delete_on_commit
from metrics.models import Release, ReleaseEventKind
from metrics.services.releases.making import RELEASE
from metrics.services.releases.steps import note_step


class VersionTaken(Exception):
    """The collection has a release of this version; nothing was requested."""


class ReleaseRefused(Exception):
    """The release is not in the state that this needs; nothing was changed."""


@transaction.atomic
def request_release(
    *,
    collection: Collection,
    version: str,
    title: str,
    notes: str,
    released_on: date,
    by: User | None,
    is_done_here: bool = False,
) -> Release:
    """Request a release; its licence, creators and contents are those of the collection now.

    version : letters, digits, dots and dashes, as in `ReleaseForm`. Raises VersionTaken.
    is_done_here : whether the caller makes it, in place of a worker, after the commit
    """
    # The collection's row is the lock: of two clicks the second sees the first.
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if Release.objects.filter(collection=collection, version=version).exists():
        raise VersionTaken(
            f"This collection has a release {version} already; choose another version."
        )
    release = Release.objects.create(
        collection=collection,
        version=version,
        title=title,
        notes=notes,
        released_on=released_on,
        file_name=f"{collection.slug}-{version}.zip",
        by=by,
    )
    return _ask(release, by, is_done_here=is_done_here)


@transaction.atomic
def request_again(*, release: Release, by: User | None, is_done_here: bool = False) -> Release:
    """Request a release that failed or was cancelled once more. Raises ReleaseRefused."""
    release = _locked(release)
    _require_ended_unmade(release)
    return _ask(release, by, is_done_here=is_done_here)


@transaction.atomic
def discard(*, release: Release) -> None:
    """Delete a release that was never made, so that its version is free. Raises ReleaseRefused."""
    release = _locked(release)
    _require_ended_unmade(release)
    delete_on_commit(release.stored_name)  # of a worker that died, if any
    release.delete()


@transaction.atomic
def withdraw(*, release: Release, reason: str, by: User | None) -> None:
    """Delete the files of a release; its checksums and the reason stay. Raises ReleaseRefused."""
    release = _locked(release)
    if not release.is_available:
        raise ReleaseRefused(f"Release {release.version} is not there to be withdrawn.")
    delete_on_commit(str(release.file))
    Release.objects.filter(pk=release.pk).update(
        withdrawn_at=Now(), withdrawal_reason=reason, published_at=None, file="", manifest={}
    )
    note_step(release=release, kind=ReleaseEventKind.WITHDRAWN, by=by, note=reason)


def _locked(release: Release) -> Release:
    releases = Release.objects.select_for_update(no_key=True, of=("self",))
    return releases.select_related("collection", "work").get(pk=release.pk)


def _require_ended_unmade(release: Release) -> None:
    if release.made_at is not None or release.making.is_unfinished:
        raise ReleaseRefused(
            f"Release {release.version} is made, or being made, and stays as it is."
        )


def _ask(release: Release, by: User | None, *, is_done_here: bool) -> Release:
    """Ask for it, with the licence, creators and contents that the collection has now."""
    collection = Collection.objects.get(pk=release.collection_id)
    release.licence, release.creators = collection.licence, collection.creators
    release.cite_as = collection.cite_as
    release.texts_leave, release.media_leave = (
        collection.texts_may_leave,
        collection.media_may_leave,
    )
    release.work = works.ask(
        kind=RELEASE,
        collection=collection,
        subject=release.pk,
        by=by,
        is_done_here=is_done_here,
    )
    release.save()
    return release
