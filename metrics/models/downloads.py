"""Files to download, made in the background."""

from typing import Self, TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import Collection, User, Work
from pooling.models import Run


class DownloadQuerySet(models.QuerySet["Download"]):
    """Downloads, filtered by the person who may see them."""

    def visible_to(self, user: User | AnonymousUser, *, collection: Collection) -> Self:
        """The downloads of a collection without a run that is hidden from this person.

        The visibility of a deleted run is unknown: a file with such a run is visible to the person
        who requested it.
        """
        downloads = self.filter(collection=collection)
        if user.is_superuser:
            return downloads
        runs = Run.objects.filter(collection=collection)
        visibility = dict(
            runs.annotate(is_seen=Q(pk__in=runs.visible_to(user).values("pk"))).values_list(
                "pk", "is_seen"
            )
        )
        hidden_runs = [pk for pk, is_seen in visibility.items() if not is_seen]
        downloads = downloads.filter(Q(run_ids__contained_by=list(visibility)) | Q(by=user.pk))
        return downloads.exclude(run_ids__overlap=hidden_runs) if hidden_runs else downloads


class DownloadKind(models.TextChoices):
    """The contents of a download."""

    QRELS = "qrels", "Qrels"
    BEIR = "beir", "BEIR folder"
    FIRE = "fire", "Labels as JSON"
    STRATA = "strata", "Stratified qrels"
    JUDGMENTS = "judgments", "Judgments"
    PAIRS = "pairs", "Pairs and their states"
    DISPUTED = "disputed", "Disputed pairs"
    CONFLICTS = "conflicts", "Conflicts with references"
    CANNOT_JUDGE = "cannot-judge", "Cannot judge"
    SCORES = "scores", "Scores a query"
    RUN = "run", "Run as it was scored"


class Download(models.Model):
    """A file to download, made in the background, whole or not at all, from one database moment."""

    Kind: TypeAlias = DownloadKind

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="downloads")
    kind = models.CharField(max_length=12, choices=Kind)
    parameters = models.JSONField(default=dict, blank=True, help_text="What its form was given.")
    made_with = models.CharField(max_length=500, blank=True, help_text="The same in words.")
    work = models.OneToOneField(
        Work, models.PROTECT, null=True, related_name="download", help_text="Its making."
    )
    file = models.FileField(
        upload_to="downloads/",
        max_length=255,
        blank=True,
        help_text="Empty until it is made, and once it was kept.",
    )
    file_name = models.CharField(max_length=255)
    n_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    n_rows = models.PositiveBigIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    as_of = models.DateTimeField(
        null=True, blank=True, help_text="The moment of the database that it shows."
    )
    run_ids = ArrayField(
        models.BigIntegerField(), default=list, blank=True, help_text="Keys of the runs it names."
    )
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    objects = DownloadQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=DownloadKind.values),
                name="metrics_download_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(file="")
                | Q(n_bytes__isnull=False, n_rows__isnull=False) & ~Q(sha256=""),
                name="metrics_download_file_has_facts",
            ),
        ]
        indexes = [
            models.Index(fields=["collection", "-created_at"], name="metrics_download_newest")
        ]

    def __str__(self) -> str:
        return self.file_name

    @property
    def making(self) -> Work:
        """The work that makes the file; only a download that is being requested has none."""
        assert self.work is not None, "the work is stored with the download"  # noqa: S101
        return self.work

    @property
    def state_text(self) -> str:
        """The state of the download, for people."""
        is_expired = self.making.state == Work.State.DONE and not self.file
        return "Expired" if is_expired else self.making.get_state_display()
