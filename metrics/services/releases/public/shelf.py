"""The public releases of a collection, and the stones of those that were withdrawn."""

import hashlib
from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db.models import OuterRef, Subquery

from metrics.models import Release, ReleaseEvent, ReleaseEventKind

STEPS = (ReleaseEventKind.PUBLISHED, ReleaseEventKind.UNPUBLISHED)


class PublicShelf(NamedTuple):
    """All that the world may know of a collection: its public releases, the newest first.

    stones : releases that were public when they were withdrawn, the newest first
    changed_at : moment of the last publication, of one taken back, or withdrawal
    """

    slug: str
    releases: list[Release]
    stones: list[Release]
    changed_at: datetime

    @property
    def tag(self) -> str:
        """A hash of all that pages show of the shelf, and of the product that writes them."""
        rows = [
            (row.sha256, str(row.published_at), str(row.withdrawn_at))
            for row in (*self.releases, *self.stones)
        ]
        # a page names its site and the style sheets of this version
        style = getattr(staticfiles_storage, "manifest_hash", "")
        facts = (settings.VERSION, settings.SITE_URL, style, self.slug, rows)
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    def find(self, version: str) -> Release | None:
        """The release of a version, public or withdrawn; None without one."""
        rows = (*self.releases, *self.stones)
        return next((row for row in rows if row.version == version), None)


def public_shelf(*, slug: str) -> PublicShelf | None:
    """The shelf of a collection by its short name; None if nothing is on it. One query.

    Manifests are read when a page needs one.
    """
    steps = ReleaseEvent.objects.filter(release__collection=OuterRef("collection"), kind__in=STEPS)
    rows = list(
        Release.objects.shown_to_everybody()
        .filter(collection__slug=slug)
        .annotate(last_step_at=Subquery(steps.order_by("-at").values("at")[:1]))
        .defer("manifest")
        .order_by("-made_at", "-pk")
    )
    if not rows:
        return None
    moments = [
        moment
        for row in rows
        for moment in (row.last_step_at, row.published_at, row.withdrawn_at)
        if moment
    ]
    return PublicShelf(
        slug,
        [row for row in rows if row.published_at is not None],
        [row for row in rows if row.withdrawn_at is not None],
        max(moments),
    )
