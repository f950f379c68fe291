"""Files that are brought into a collection."""

from typing import TypeAlias

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .collections import Collection
from .people import User
from .work import Work


class ImportKind(models.TextChoices):
    """The contents of an imported file."""

    ITEMS = "items", "Items"
    DOCUMENTS = "documents", "Documents by id"
    REFERENCE = "reference", "Reference labels"
    JUDGMENTS = "judgments", "Judgments"
    QUERY_SET = "query_set", "Query set"


class Import(models.Model):
    """A file brought into a collection: received, then read in the background, whole or not at all.

    The progress of its reading is that of its work.
    """

    Kind: TypeAlias = ImportKind

    REFUSED = "refused"  # the error code of work that failed by the content of its file

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="imports")
    kind = models.CharField(max_length=12, choices=Kind)
    parameters = models.JSONField(
        default=dict, blank=True, help_text="How the file is read, as its form says it."
    )
    file = models.FileField(
        upload_to="imports/",
        max_length=255,
        blank=True,
        help_text="Blank for a file that lies elsewhere.",
    )
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64, blank=True, help_text="Blank for a folder.")
    media_file = models.FileField(upload_to="imports/", max_length=255, blank=True)
    media_name = models.CharField(max_length=255, blank=True)
    media_sha256 = models.CharField(max_length=64, blank=True)
    work = models.OneToOneField(
        Work, models.PROTECT, null=True, related_name="import_file", help_text="Its reading."
    )
    report = models.JSONField(default=dict, blank=True)
    unresolved = ArrayField(
        models.BigIntegerField(),
        null=True,
        blank=True,
        size=3,
        help_text="Keys of the first and the last judgment it stored, and of the pair up to which"
        " they are resolved.",
    )
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=ImportKind.values),
                name="annotate_import_known_kind",
            ),
        ]
        indexes = [
            models.Index(fields=["collection", "-created_at"], name="annotate_import_newest")
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} from {self.file_name}"

    @property
    def reading(self) -> Work:
        """The work that reads the file; only an import that is being made has none."""
        assert self.work is not None, "the work is stored with the import"  # noqa: S101
        return self.work

    @property
    def state_text(self) -> str:
        """The state of the import, for people."""
        if self.reading.is_unfinished:
            return "Being read"
        if self.unresolved:
            return "Stored, not resolved"
        is_rejected = self.reading.state == Work.State.FAILED
        return "Rejected" if is_rejected else self.reading.get_state_display()

    @property
    def remedy(self) -> str:
        """The remedy for the faults of its file, and how many of them its page shows."""
        n_shown = len(self.report.get("errors", []))
        sentences = []
        if self.kind != self.Kind.DOCUMENTS:
            sentences.append(
                "Correct the file and upload it again: everything is checked before anything is "
                "stored."
            )
        if self.report.get("n_errors", 0) > n_shown:
            sentences.append(f"The first {n_shown} are shown.")
        return " ".join(sentences)

    @property
    def is_refused(self) -> bool:
        """True if the file was at fault, see its report; its work describes other failures."""
        return self.reading.error_code == self.REFUSED
