"""Derived numbers: written in the background from the judgments, read by pages."""

from typing import Self

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import Collection, QuerySet, User, Work
from metrics.core.tournament import PLAN_METHODS
from pooling.models import Run


class Snapshot(models.Model):
    """The current numbers of one kind; a pure function of its inputs, rebuildable byte for byte."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="snapshots")
    kind = models.CharField(max_length=30)
    value = models.JSONField()
    n_judgments = models.PositiveIntegerField()
    inputs_sha256 = models.CharField(max_length=64)
    computed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "kind"], name="metrics_snapshot_unique_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.collection}"


class RefreshTries(models.Model):
    """Refreshes of a collection that failed since the last successful one; no row where the last
    one succeeded.

    n : their number, including one under way; since : when the first began; is_slow : whether one
        took too long
    """

    collection = models.OneToOneField(Collection, models.CASCADE, primary_key=True, related_name="refresh_tries")
    n = models.PositiveIntegerField()
    since = models.DateTimeField()
    next_at = models.DateTimeField(help_text="Before this moment none is begun.")
    is_slow = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "refresh tries"

    def __str__(self) -> str:
        return f"{self.n} tries to refresh {self.collection}"


BLOCK_SIZE = 16  # pairs with neighbouring keys that are counted together


class Block(models.Model):
    """The part of the collection's counts that comes from one block: 16 pairs with keys from 16
    times its number on.

    A pure function of annotate's rows, like the tallies, which are the sums over all blocks: see
    services/tallies.py for the names of the counts.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    number = models.BigIntegerField()
    keys = ArrayField(models.TextField())
    numbers = ArrayField(models.BigIntegerField(), help_text="How often each key counts.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "number"], name="metrics_block_unique_number"),
        ]

    def __str__(self) -> str:
        return f"block {self.number}"


class Tally(models.Model):
    """One count over all pairs of a collection; kept up to date by difference, rebuildable."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    key = models.TextField()
    n = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "tallies"
        constraints = [
            models.UniqueConstraint(fields=["collection", "key"], name="metrics_tally_unique_key"),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.n}"


class Observation(models.Model):
    """A number at a moment, stored for history charts and never rebuilt."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="observations")
    kind = models.CharField(max_length=30)
    n_judgments = models.PositiveIntegerField()
    value = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "n_judgments"], name="metrics_observation_unique_moment"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.n_judgments} judgments"


class Score(models.Model):
    """One measure of one run on one query set under one label source; the mean and each query's
    value."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="scores")
    query_set = models.ForeignKey(QuerySet, models.CASCADE, related_name="scores")
    label_source = models.TextField(help_text="Its key; see metrics.core.label_sources.")
    measure = models.CharField(max_length=30)
    threshold = models.PositiveSmallIntegerField()
    mean = models.FloatField(null=True)
    mean_with_positive = models.FloatField(
        null=True, help_text="Over the queries that have a positive; empty when none has."
    )
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    n_queries = models.PositiveIntegerField()
    n_missing = models.PositiveIntegerField(help_text="Queries of the set that the run does not hold.")
    n_with_positive = models.PositiveIntegerField()
    n_gallery = models.PositiveIntegerField(null=True, help_text="Targets that were ranked; empty before a refresh.")
    gallery_at = models.DateTimeField(
        null=True, blank=True, help_text="When the last of them joined; empty where nobody wrote it down."
    )
    best = models.FloatField(null=True, help_text="The mean as if every unjudged target were positive.")
    per_query = models.BinaryField(help_text="float64, little endian, in the order of the query set.")
    per_query_best = models.BinaryField(null=True, help_text="The same as if every unjudged target were positive.")
    inputs_sha256 = models.CharField(max_length=64)
    computed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "query_set", "label_source", "measure", "threshold"], name="metrics_score_unique"
            ),
            models.CheckConstraint(
                condition=Q(label_source="only") | Q(label_source__regex="^(over|union|none):."),
                name="metrics_score_known_source",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.measure} of {self.run}: {self.mean}"


class Alarm(models.Model):
    """An alarm of a lead: a number below a threshold, once it rests on enough observations."""

    class Kind(models.TextChoices):
        ALPHA = "alpha", "Alpha"
        GOLD = "gold", "Golds right"
        SPEED = "speed", "Active time a label"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="alarms")
    kind = models.CharField(max_length=5, choices=Kind)
    below = models.FloatField(help_text="Alpha, a share in per cent, or seconds.")
    n_at_least = models.PositiveIntegerField(help_text="Pairs with two labels, golds or labels that it must rest on.")
    by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "below", "n_at_least"],
                condition=Q(ended_at__isnull=True),
                name="metrics_alarm_unique",
            ),
            models.CheckConstraint(condition=Q(kind__in=["alpha", "gold", "speed"]), name="metrics_alarm_known_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} below {self.below:g}"


class AlarmEvent(models.Model):
    """The rise or fall of an alarm, with the number behind it; append-only."""

    class Kind(models.TextChoices):
        ROSE = "rose", "Rose"
        FELL = "fell", "Fell"

    alarm = models.ForeignKey(Alarm, models.CASCADE, related_name="events")
    annotator = models.ForeignKey("annotate.Annotator", models.CASCADE, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=4, choices=Kind)
    value = models.FloatField(null=True, blank=True, help_text="Empty where it was no longer defined.")
    n = models.PositiveIntegerField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["rose", "fell"]), name="metrics_alarmevent_known_kind"),
        ]
        indexes = [models.Index(fields=["alarm", "annotator", "-id"], name="metrics_alarmevent_last")]

    def __str__(self) -> str:
        return f"{self.alarm} {self.kind}"


class Plan(models.Model):
    """A plan that a lead fixed beforehand, so that its decisions are confirmatory: one at a time a
    collection.

    Never changed but for its end. Its rules and its looks: metrics.services.plans.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="plans")
    query_set = models.ForeignKey(QuerySet, models.CASCADE, related_name="plans")
    measure = models.CharField(max_length=60)
    threshold = models.PositiveSmallIntegerField()
    label_source = models.TextField(help_text="Its key; see metrics.core.label_sources.")
    method = models.CharField(max_length=20, choices=[(name, name) for name in PLAN_METHODS])
    alpha = models.FloatField(help_text="The chance that any look decides anything false is this at most.")
    looks = ArrayField(models.PositiveIntegerField(), help_text="Numbers of judged pairs, ascending.")
    runs = ArrayField(models.BigIntegerField(), help_text="Keys of the runs that were in use when it was fixed.")
    n_judged = models.PositiveIntegerField(help_text="Pairs that were judged when it was fixed.")
    fixed_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    fixed_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection"], condition=Q(ended_at__isnull=True), name="metrics_plan_one_at_a_time"
            ),
            models.CheckConstraint(condition=Q(method__in=PLAN_METHODS), name="metrics_plan_known_method"),
            models.CheckConstraint(condition=Q(alpha__gt=0, alpha__lt=1), name="metrics_plan_alpha_range"),
            models.CheckConstraint(condition=Q(looks__len__gte=1), name="metrics_plan_has_looks"),
        ]

    def __str__(self) -> str:
        return f"{self.measure} at {', '.join(map(str, self.looks))} pairs"


class PlanLook(models.Model):
    """The decision of a plan at one of its looks; append-only."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="taken")
    number = models.PositiveSmallIntegerField(help_text="From 1; those passed over are missing.")
    n_judged = models.PositiveIntegerField(help_text="Pairs that were judged by then.")
    level = models.FloatField(help_text="At which it decided.")
    value = models.JSONField(help_text="As metrics.services.leaderboard_decisions.decision_facts gives it.")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["plan", "number"], name="metrics_planlook_unique_number"),
            models.CheckConstraint(condition=Q(number__gte=1, level__gt=0), name="metrics_planlook_from_1"),
        ]

    def __str__(self) -> str:
        return f"look {self.number} of {self.plan}"


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
        visibility = dict(runs.annotate(is_seen=Q(pk__in=runs.visible_to(user).values("pk"))).values_list("pk", "is_seen"))
        hidden_runs = [pk for pk, is_seen in visibility.items() if not is_seen]
        downloads = downloads.filter(Q(run_ids__contained_by=list(visibility)) | Q(by=user.pk))
        return downloads.exclude(run_ids__overlap=hidden_runs) if hidden_runs else downloads


class Download(models.Model):
    """A file to download: requested, then made in the background, whole or not at all, from one
    moment of the database."""

    class Kind(models.TextChoices):
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

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="downloads")
    kind = models.CharField(max_length=12, choices=Kind)
    parameters = models.JSONField(default=dict, blank=True, help_text="What its form was given.")
    made_with = models.CharField(max_length=500, blank=True, help_text="The same in words.")
    work = models.OneToOneField(Work, models.PROTECT, null=True, related_name="download", help_text="Its making.")
    file = models.FileField(
        upload_to="downloads/", max_length=255, blank=True, help_text="Empty until it is made, and once it was kept."
    )
    file_name = models.CharField(max_length=255)
    n_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    n_rows = models.PositiveBigIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    as_of = models.DateTimeField(null=True, blank=True, help_text="The moment of the database that it shows.")
    run_ids = ArrayField(models.BigIntegerField(), default=list, blank=True, help_text="Keys of the runs it names.")
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    objects = DownloadQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "qrels", "beir", "fire", "strata", "judgments", "pairs", "disputed", "conflicts",
                        "cannot-judge", "scores", "run",
                    ]
                ),
                name="metrics_download_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(file="") | Q(n_bytes__isnull=False, n_rows__isnull=False) & ~Q(sha256=""),
                name="metrics_download_file_has_facts",
            ),
        ]
        indexes = [models.Index(fields=["collection", "-created_at"], name="metrics_download_newest")]

    def __str__(self) -> str:
        return self.file_name

    @property
    def state_text(self) -> str:
        """The state of the download, for people."""
        is_expired = self.work.state == Work.State.DONE and not self.file
        return "Expired" if is_expired else self.work.get_state_display()


class BoardView(models.Model):
    """A requested leaderboard or comparison, computed in the background and deleted when old."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="board_views")
    key = models.CharField(max_length=64, help_text="The hash of what was asked for.")
    wanted = models.JSONField()
    value = models.JSONField()
    version = models.CharField(max_length=64, help_text="The version of the labels that it rests on.")
    computed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "key"], name="metrics_boardview_unique_key"),
        ]

    def __str__(self) -> str:
        return f"a leaderboard of {self.collection}"
