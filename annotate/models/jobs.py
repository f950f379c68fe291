"""Work in the background: files that are brought into a collection, and jobs that were asked to stop."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .collections import Collection
from .people import User


class Import(models.Model):
    """A file brought into a collection: received, then read in the background, whole or not at all."""

    class Kind(models.TextChoices):
        ITEMS = "items", "Items"
        DOCUMENTS = "documents", "Documents by id"
        REFERENCE = "reference", "Reference labels"
        JUDGMENTS = "judgments", "Judgments"
        QUERY_SET = "query_set", "Query set"

    class State(models.TextChoices):
        RECEIVED = "received", "Received"
        DONE = "done", "Done"
        REJECTED = "rejected", "Rejected"
        CANCELLED = "cancelled", "Cancelled"

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="imports")
    kind = models.CharField(max_length=12, choices=Kind)
    parameters = models.JSONField(default=dict, blank=True, help_text="How the file is read, as its form says it.")
    file = models.FileField(
        upload_to="imports/", max_length=255, blank=True, help_text="Blank for a file that lies elsewhere."
    )
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64, blank=True, help_text="Blank for a folder.")
    media_file = models.FileField(upload_to="imports/", max_length=255, blank=True)
    media_name = models.CharField(max_length=255, blank=True)
    media_sha256 = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.RECEIVED)
    report = models.JSONField(default=dict, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["items", "documents", "reference", "judgments", "query_set"]),
                name="annotate_import_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(state="received", finished_at=None)
                | Q(state__in=["done", "rejected", "cancelled"], finished_at__isnull=False),
                name="annotate_import_finished_has_time",
            ),
        ]
        indexes = [models.Index(fields=["collection", "-created_at"], name="annotate_import_newest")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} from {self.file_name}"


class Cancellation(models.Model):
    """Somebody's wish that a background job stop; it goes when the job has ended, either way."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, help_text="What kind of job: run, pool, import, download.")
    object_id = models.PositiveBigIntegerField(help_text="The key of the row the job works on.")
    by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "object_id"], name="annotate_cancellation_unique_job"),
        ]

    def __str__(self) -> str:
        return f"stop {self.kind} {self.object_id}"
