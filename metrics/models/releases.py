"""Releases: frozen versions of a collection, each a folder of files in one archive."""

from typing import BinaryIO, Self, TypeAlias, cast

from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Now

from annotate.models import ClockTimestamp, Collection, User, Work
from pooling.models import Run


class ReleaseQuerySet(models.QuerySet["Release"]):
    """Releases by their state."""

    def available(self) -> Self:
        """The releases that are made and not withdrawn."""
        return self.filter(made_at__isnull=False, withdrawn_at=None)

    def shown_to_everybody(self) -> Self:
        """The public releases, and those that were public when they were withdrawn."""
        steps = ReleaseEvent.objects.filter(
            release=OuterRef("pk"),
            kind__in=(ReleaseEventKind.PUBLISHED, ReleaseEventKind.UNPUBLISHED),
        )
        last_step = Subquery(steps.order_by("-pk").values("kind")[:1])
        return self.annotate(last_step=last_step).filter(
            Q(published_at__isnull=False)
            | Q(withdrawn_at__isnull=False, last_step=ReleaseEventKind.PUBLISHED)
        )


class Release(models.Model):
    """A version of a collection, frozen and checksummed: qrels, judgments, scores, data card.

    Once it is made, a trigger lets only its publication and withdrawal change; the file of a
    withdrawn one is deleted, its checksums stay. It never expires.
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="releases")
    version = models.CharField(max_length=20)
    title = models.CharField(max_length=200)
    notes = models.TextField(blank=True)
    licence = models.CharField(max_length=60, blank=True, help_text="Its SPDX identifier.")
    creators = models.JSONField(
        default=list, blank=True, help_text="Name, affiliation and ORCID of each."
    )
    cite_as = models.TextField(blank=True)
    texts_leave = models.BooleanField(default=False, help_text="Texts of items are in it.")
    media_leave = models.BooleanField(
        default=False, help_text="Names and addresses of media are in it."
    )
    released_on = models.DateField(help_text="The day that its documents name.")
    work = models.OneToOneField(
        Work, models.PROTECT, null=True, related_name="release", help_text="Its making."
    )
    made_at = models.DateTimeField(null=True, blank=True)
    as_of = models.DateTimeField(
        null=True, blank=True, help_text="The moment of the database that it shows."
    )
    manifest = models.JSONField(default=dict, blank=True, help_text="As in its manifest.json.")
    file = models.FileField(upload_to="releases/", max_length=255, blank=True)
    file_name = models.CharField(max_length=255)
    n_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True, help_text="The checksum of its archive.")
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal_reason = models.TextField(blank=True)

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "version"], name="metrics_release_unique_version"
            ),
            models.CheckConstraint(
                condition=Q(made_at=None)
                | Q(as_of__isnull=False, n_bytes__isnull=False) & ~Q(sha256=""),
                name="metrics_release_made_has_facts",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None)
                | Q(withdrawn_at__isnull=False, made_at__isnull=False, published_at=None)
                & ~Q(withdrawal_reason=""),
                name="metrics_release_withdrawal_has_reason",
            ),
            models.CheckConstraint(
                condition=Q(published_at=None) | Q(made_at__isnull=False),
                name="metrics_release_published_is_made",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.collection} {self.version}"

    @property
    def stored_name(self) -> str:
        """The name of its archive in the store, also before it is made."""
        return f"releases/{self.pk}-{self.file_name}"

    @property
    def making(self) -> Work:
        """The work that makes it; only a release that is being requested has none."""
        assert self.work is not None, "the work is stored with the release"  # noqa: S101
        return self.work

    def open_archive(self) -> BinaryIO:
        """Open its archive to read it. Raises FileNotFoundError if it is gone."""
        return cast(BinaryIO, self.file.open("rb"))  # Django's File has all that readers call

    @property
    def is_available(self) -> bool:
        """True if its files can be downloaded."""
        return self.made_at is not None and self.withdrawn_at is None

    @property
    def state_text(self) -> str:
        """Its state, for people."""
        if self.withdrawn_at is not None:
            return "Withdrawn"
        if self.made_at is None:
            return self.making.get_state_display()
        return "Public" if self.published_at is not None else "Made"


class ReleaseFile(models.Model):
    """A file in the archive of a release, where it begins as it is; never changed, never deleted.

    The archive compresses nothing, so a file is a stretch of its bytes.
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="files")
    path = models.CharField(max_length=255, help_text="In the folder of the release.")
    media_type = models.CharField(max_length=80)
    about = models.CharField(max_length=300, help_text="Its content in a sentence.")
    n_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    n_rows = models.PositiveBigIntegerField(null=True, blank=True)
    offset = models.PositiveBigIntegerField(help_text="Of its first byte in the archive.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "path"], name="metrics_releasefile_unique_path"
            ),
        ]

    def __str__(self) -> str:
        return self.path


class ReleaseRun(models.Model):
    """A run in a release, under its alias: its own name where its uploader let that be published.

    run : empty once the run was deleted; run_key : its key, which stays, so that two releases know
        it for the same; 0 where it was deleted before its key was kept
    """

    release = models.ForeignKey(Release, models.PROTECT, related_name="runs")
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+")
    run_key = models.PositiveBigIntegerField(db_default=0)
    alias = models.CharField(max_length=80)
    shows_name = models.BooleanField()
    holds_file = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "alias"], name="metrics_releaserun_unique_alias"
            ),
            models.CheckConstraint(
                condition=Q(holds_file=False) | Q(shows_name=True),
                name="metrics_releaserun_file_has_name",
            ),
        ]

    def __str__(self) -> str:
        return self.alias


class ReleaseEventKind(models.TextChoices):
    """Events of a release."""

    MADE = "made", "Made"
    PUBLISHED = "published", "Published"
    UNPUBLISHED = "unpublished", "No longer public"
    WITHDRAWN = "withdrawn", "Withdrawn"


class ReleaseEvent(models.Model):
    """A step in the life of a release; never changed, never deleted."""

    Kind: TypeAlias = ReleaseEventKind

    release = models.ForeignKey(Release, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=11, choices=Kind)
    note = models.TextField(blank=True, help_text="Why.")
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=ReleaseEventKind.values),
                name="metrics_releaseevent_known_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release} {self.kind}"
