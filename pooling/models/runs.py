"""Runs: results of retrieval systems, their rankings and matrices."""

from typing import BinaryIO, Self, TypeAlias, cast

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import Collection, Direction, Item, User, Work
from pooling.core.files.doubts import doubts


class RunRows(models.QuerySet["Run"]):
    """Runs by their visibility and use."""

    def visible_to(self, user: User | AnonymousUser | None) -> Self:
        """The runs a person may see: all but other people's hidden ones; site admins see every run.

        None is the operator at the command line, who sees every run too.
        """
        if user is None or user.is_superuser:
            return self
        own = Q(uploaded_by=user.pk) if user.is_authenticated else Q(pk=None)
        return self.filter(Q(is_hidden=False) | own)

    def published(self) -> Self:
        """The runs that all leads and researchers of the collection may see."""
        return self.filter(is_hidden=False)

    def in_use(self) -> Self:
        """The runs that are read, not retired, not on hold: they are scored and can be pooled."""
        return self.filter(state=Run.State.READY, retired_at=None, on_hold_since=None)

    def on_hold(self) -> Self:
        """The runs that need a researcher's consent before they are used."""
        return self.filter(state=Run.State.READY, retired_at=None, on_hold_since__isnull=False)

    def being_read(self) -> Self:
        """The runs whose file is being read, or waits to be, for the first time or again."""
        return self.filter(work__state__in=Work.UNFINISHED)

    def lacking_items(self) -> Self:
        """The runs whose file may name items that the collection does not have, or not yet."""
        unknown = Q(report__n_unknown__gt=0) | Q(report__unknown_sources__n__gt=0)
        return self.filter(Q(state=Run.State.RECEIVED) | Q(state=Run.State.READY) & unknown)


class RunState(models.TextChoices):
    """The states of a run's file: waiting to be read, usable, or refused."""

    RECEIVED = "received", "Received"
    READY = "ready", "Ready"
    REJECTED = "rejected", "Rejected"


READ_STATES = (RunState.READY, RunState.REJECTED)


class RunScoreType(models.TextChoices):
    """The number that a run's documents are ordered by."""

    FLOAT32 = "float32", "float32, as trec_eval 9"
    FLOAT64 = "float64", "float64, as trec_eval 10"
    RANK = "rank", "The rank column"


class Run(models.Model):
    """One system's results in one direction; the kept upload is the raw text."""

    State: TypeAlias = RunState

    class ReadingKind(models.TextChoices):
        """The kinds of work that read a run; at most one is unfinished at a time."""

        READING = "run_reading", "Reading"
        REREADING = "run_rereading", "Reading again"

    ScoreType: TypeAlias = RunScoreType

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="runs")
    name = models.CharField(max_length=80)
    direction = models.CharField(max_length=7, choices=Direction)
    system = models.CharField(max_length=80, blank=True)
    team = models.CharField(max_length=80, blank=True)
    paper = models.CharField(max_length=300, blank=True)
    tags = ArrayField(models.CharField(max_length=30), default=list, blank=True)
    description = models.TextField(blank=True)
    is_hidden = models.BooleanField(
        default=False, help_text="Only who uploaded it and site admins know of it."
    )
    may_be_published = models.BooleanField(
        default=False,
        db_default=False,
        help_text="A release may show its name and hold its file; its uploader decides.",
    )
    state = models.CharField(max_length=8, choices=State, default=State.RECEIVED)
    file = models.FileField(upload_to="runs/", max_length=255)
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    score_type = models.CharField(max_length=7, choices=ScoreType, default=ScoreType.FLOAT32)
    columns = models.JSONField(
        default=dict,
        blank=True,
        help_text="Of a table without a header: the numbers of its columns by their names.",
    )
    report = models.JSONField(default=dict, blank=True)
    work = models.ForeignKey(
        Work,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Its latest reading.",
    )
    uploaded_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    on_hold_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Too many rows are unknown: not used before a researcher says so.",
    )
    reading_due_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=(
            "Items joined the collection since its last reading began: it is to be read again."
        ),
    )
    marks_due = models.BooleanField(
        default=False,
        help_text="Retired or restored a moment ago; its pools' pairs wait to be gone through.",
    )

    objects = RunRows.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "name"],
                condition=Q(is_hidden=False),
                name="pooling_run_unique_name",
            ),
            # Separate from public names: a refused name must not reveal somebody's hidden run.
            models.UniqueConstraint(
                fields=["collection", "name", "uploaded_by"],
                condition=Q(is_hidden=True),
                nulls_distinct=False,
                name="pooling_run_unique_hidden_name",
            ),
            models.CheckConstraint(
                condition=Q(direction__in=Direction.values), name="pooling_run_known_direction"
            ),
            models.CheckConstraint(
                condition=Q(state=RunState.RECEIVED, finished_at__isnull=True)
                | Q(state__in=READ_STATES, finished_at__isnull=False),
                name="pooling_run_finished_has_time",
            ),
            models.CheckConstraint(
                condition=Q(score_type__in=RunScoreType.values),
                name="pooling_run_known_score_type",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_being_read(self) -> bool:
        """True if its file is being read, or waits to be, for the first time or again."""
        return self.work is not None and self.work.is_unfinished

    @property
    def state_text(self) -> str:
        """Its state, as pages write it."""
        if self.state == self.State.RECEIVED:
            return "Being read"
        if self.retired_at is not None:
            return "Retired"
        if self.state == self.State.REJECTED:
            is_cancelled = self.work is not None and self.work.state == Work.State.CANCELLED
            return "Cancelled" if is_cancelled else "Rejected"
        if self.is_waiting:
            return f"Waits for {self.sources}"
        return "On hold" if self.on_hold_since is not None else "Ready"

    @property
    def columns_text(self) -> str:
        """The columns of a table without a header in their order: "query 1, document 2, score 3".

        Else empty.
        """
        return ", ".join(
            f"{name} {number}"
            for name, number in sorted(
                self.columns.items(), key=lambda name_and_number: name_and_number[1]
            )
        )

    @property
    def n_unknown(self) -> int:
        """Ranked rows whose target the collection lacks."""
        return int(self.report.get("n_unknown", 0))

    @property
    def n_ranked(self) -> int:
        """Rows that have a rank: those that are measured, and the unknown ones."""
        return self.n_unknown + int(self.report.get("n_kept", 0))

    @property
    def is_waiting(self) -> bool:
        """True if its file was read before the collection had any of its sources."""
        return self.on_hold_since is not None and not self.n_ranked

    def open_file(self) -> BinaryIO:
        """Open its kept file to read it. Raises FileNotFoundError if it is gone."""
        return cast(BinaryIO, self.file.open("rb"))  # Django's File has all that readers call

    @property
    def is_turned(self) -> bool:
        """True if no source is known and some are targets: the direction may be the other one."""
        return not self.n_ranked and bool(self.report.get("n_turned"))

    @property
    def unknown_share(self) -> float:
        """Share of the ranked rows whose target the collection lacks, in [0, 1].

        0 without ranked rows.
        """
        return self.n_unknown / max(self.n_ranked, 1)

    @property
    def sources(self) -> str:
        """Name of its source items on pages: "queries", or "documents" in the reverse direction."""
        return Direction(self.direction).sources

    @property
    def hold_text(self) -> str:
        """The reason why it is on hold, in a few words."""
        return "its scores look like grades" if self.report.get("has_grades") else self.unknown_text

    @property
    def choice_label(self) -> str:
        """Its label in choices of runs: name, direction if reverse, and the doubts about it."""
        direction = (
            "" if self.direction == Direction.FORWARD else self.get_direction_display().lower()
        )
        about = ", ".join(filter(None, [direction, self.doubts_text]))
        return f"{self.name} ({about})" if about else self.name

    @property
    def named(self) -> str:
        """Label of the number of sources that its file names: "Queries in the file"."""
        return f"{self.sources.capitalize()} in the file"

    @property
    def left_out(self) -> str:
        """Label of the number of sources that its file does not name: "Queries not in the file"."""
        return f"{self.sources.capitalize()} not in the file"

    @property
    def targets(self) -> str:
        """Name of its targets on pages: "documents", or "queries" in the reverse direction."""
        return Direction(self.direction).targets

    @property
    def unknown_per_cent(self) -> str:
        """The share of unknown rows, as pages write it: "12.3 %"; empty if no row is unknown."""
        if not self.n_unknown:
            return ""
        return (
            f"{100 * self.unknown_share:.1f} %" if self.unknown_share >= 0.0005 else "under 0.1 %"
        )

    @property
    def unknown_text(self) -> str:
        """The share of unknown rows with its name: "12.3 % unknown"; empty if no row is unknown.

        "none known" if the collection has none of its sources.
        """
        return (
            f"{self.unknown_per_cent} unknown"
            if self.n_unknown
            else "none known"
            if self.is_waiting
            else ""
        )

    @property
    def doubts_text(self) -> str:
        """The doubts about it: "12.3 % unknown, 97 % tied"; empty for most runs."""
        return ", ".join(doubts(self.report, sources=self.sources, unknown=self.unknown_text))

    @property
    def n_missing(self) -> int:
        """Number of the collection's sources that its file does not name."""
        return int(self.report.get("missing", {}).get("n", 0))

    @property
    def tied_share(self) -> float:
        """Share of its rows whose score another of the same ranking has, in [0, 1]."""
        return float(self.report.get("ties", 0))

    @property
    def tied_per_cent(self) -> str:
        """The share of tied rows, as pages write it; empty if no row is tied."""
        if not self.tied_share:
            return ""
        return f"{100 * self.tied_share:.0f} %" if self.tied_share >= 0.005 else "under 1 %"


class Ranking(models.Model):
    """One source item's targets, best first in the canonical order, with their scores.

    targets : keys of test items, also of those that are excluded for now; below 0 the key of an
        unknown id (see files.text.ids.unknown_keys), which keeps its rank and that of all below it
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="rankings")
    source = models.ForeignKey(Item, models.PROTECT, related_name="+")
    targets = ArrayField(models.BigIntegerField())
    scores = ArrayField(models.FloatField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "source"], name="pooling_ranking_unique_source"),
            models.CheckConstraint(
                condition=Q(targets__len=models.F("scores__len")) | Q(targets=[]),
                name="pooling_ranking_as_many_scores",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} on {self.source_id}"


class Matrix(models.Model):
    """All similarities of a run that came as a matrix.

    Its scores use them, its rankings end at the 100 best.

    file : .npy, row by row; columns in ascending order of their ids, so that of equal scores the
        later one comes first
    rows, columns : keys of the source items and targets, 0 where the collection lacks them, below 0
        that of an item of another split than test, which is never ranked
    n_absent : cells that are -inf, which means not retrieved
    """

    run = models.OneToOneField(Run, models.CASCADE, related_name="matrix")
    file = models.FileField(upload_to="matrices/", max_length=255)
    n_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    n_absent = models.PositiveBigIntegerField(default=0)
    rows = ArrayField(models.BigIntegerField())
    columns = ArrayField(models.BigIntegerField())

    def __str__(self) -> str:
        return f"{len(self.rows):,} x {len(self.columns):,} of {self.run}"
