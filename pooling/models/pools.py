"""Pools: the pairs to judge, the strata they were drawn from, and the undrawn pairs."""

from typing import Self, TypeAlias

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Func, IntegerField, Q
from django.db.models.functions import Now

from annotate.models import Collection, Item, Pair, QuerySet, Round, User, Work

from .runs import Run


class PoolRows(models.QuerySet["Pool"]):
    """Pools by their states."""

    def handing_out(self) -> Self:
        """The pools whose pairs people are given: those that are open and are not being closed."""
        return self.filter(state=Pool.State.OPEN, round__state=Round.State.OPEN)

    def in_phase(self, phase: str) -> Self:
        """The pools whose `phase` is this one."""
        is_settled = Q(work=None) | Q(work__state__in=(Work.State.DONE, Work.State.CANCELLED))
        if phase in Pool.State.values:
            return self.filter(is_settled, state=phase)
        kinds = {
            Pool.Phase.CLOSING: Pool.Transition.CLOSING,
            Pool.Phase.REOPENING: Pool.Transition.REOPENING,
        }
        rows = self.exclude(is_settled).filter(
            work__kind=kinds.get(Pool.Phase(phase), Pool.Transition.OPENING)
        )
        if phase == Pool.Phase.FAILED:
            return rows.filter(work__state=Work.State.FAILED)
        return rows.filter(work__state__in=Work.UNFINISHED) if phase == Pool.Phase.OPENING else rows


class PoolState(models.TextChoices):
    """The states of a pool, whose pairs are judged while it is open."""

    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


OPENED_STATES = (PoolState.OPEN, PoolState.CLOSED)


class Pool(models.Model):
    """A choice of pairs to judge: strategy, parameters, runs, seed; its round lives in annotate.

    One that is being opened is a draft until all its pairs have seats, one that is being closed is
    open until all its seats were updated, and one that is being opened again is closed until then.
    Its round says which seats are handed out.
    """

    State: TypeAlias = PoolState

    class Transition(models.TextChoices):
        """The kinds of work that change a pool's state; at most one is unfinished at a time."""

        OPENING = "pool_opening", "Opening"
        CLOSING = "pool_closing", "Closing"
        REOPENING = "pool_reopening", "Opening again"

    class Phase(models.TextChoices):
        """State of a pool and of the work at it together, as pages and the API name it."""

        DRAFT = "draft", "Draft"
        OPENING = "opening", "Opening"
        OPEN = "open", "Open"
        CLOSING = "closing", "Closing"
        CLOSED = "closed", "Closed"
        REOPENING = "reopening", "Opening again"
        FAILED = "failed", "Failed"

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="pools")
    name = models.CharField(max_length=80)
    strategy = models.CharField(max_length=30)
    parameters = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField(default=0)
    runs = models.ManyToManyField(Run, related_name="pools")
    query_set = models.ForeignKey(
        QuerySet,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="pools",
        help_text="Only these source items; empty means all of them.",
    )
    state = models.CharField(max_length=6, choices=State, default=State.DRAFT)
    round = models.OneToOneField(Round, models.PROTECT, null=True, blank=True, related_name="pool")
    work = models.ForeignKey(
        Work,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Its latest opening, closing or opening again.",
    )
    created_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    opened_at = models.DateTimeField(null=True, blank=True)
    repeats_due_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since then its round is to be gone through for pairs of duplicates.",
    )
    ordered_at = models.DateTimeField(
        null=True, blank=True, help_text="When the live order of its queue was last computed."
    )

    objects = PoolRows.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="pooling_pool_unique_name"),
            models.CheckConstraint(
                condition=Q(state=PoolState.DRAFT, opened_at__isnull=True)
                | Q(state__in=OPENED_STATES, opened_at__isnull=False, round__isnull=False),
                name="pooling_pool_open_has_round",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_at_work(self) -> bool:
        """True if it is being opened, closed or opened again, or is to be."""
        return self.work is not None and self.work.is_unfinished

    def own_round(self) -> Round:
        """Its round, once its pairs are stored; a draft may have none."""
        assert self.round is not None, "a pool with pairs has a round"  # noqa: S101
        return self.round

    @property
    def phase(self) -> "Pool.Phase":
        """Its phase; a closing that failed leaves it closing until it is requested again."""
        work = self.work
        if work is None or work.state in (Work.State.DONE, Work.State.CANCELLED):
            return self.Phase(self.state)
        if work.kind == self.Transition.OPENING:
            return self.Phase.OPENING if work.is_unfinished else self.Phase.FAILED
        return self.Phase.CLOSING if work.kind == self.Transition.CLOSING else self.Phase.REOPENING


class PoolPair(models.Model):
    """A pair of a pool with its best rank, stratum and probability, frozen at opening."""

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="pool_pairs")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="pool_pairs")
    best_rank = models.PositiveIntegerField(
        null=True, blank=True, help_text="Empty where no run of the pool holds it."
    )
    stratum = models.PositiveSmallIntegerField(default=0)
    inclusion_probability = models.FloatField(default=1.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "pair"], name="pooling_poolpair_unique"),
            models.CheckConstraint(
                condition=Q(inclusion_probability__gt=0, inclusion_probability__lte=1),
                name="pooling_poolpair_probability_range",
            ),
            models.CheckConstraint(
                condition=Q(best_rank__gte=1), name="pooling_poolpair_rank_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"pair {self.pair_id} in {self.pool}"


class PoolSource(models.Model):
    """A source item that a pool on a sample drew, with its probability, frozen at opening."""

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="pool_sources")
    item = models.ForeignKey(Item, models.PROTECT, related_name="+")
    stratum = models.PositiveSmallIntegerField(default=0)
    inclusion_probability = models.FloatField(default=1.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "item"], name="pooling_poolsource_unique"),
            models.CheckConstraint(
                condition=Q(inclusion_probability__gt=0, inclusion_probability__lte=1),
                name="pooling_poolsource_probability_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} drawn for {self.pool}"


class PoolStratum(models.Model):
    """One stratum of a source item in a sampled pool: numbers of pairs, drawn and in all.

    The undrawn targets are kept too.

    Frozen at opening: estimates need the undrawn targets even after the runs are retired. Drawn are
    the pool's pairs of that source and stratum. Only pools in one direction have strata.
    """

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="strata")
    source = models.ForeignKey(Item, models.PROTECT, related_name="+")
    stratum = models.PositiveSmallIntegerField()
    n_pooled = models.PositiveIntegerField()
    n_drawn = models.PositiveIntegerField()
    undrawn = ArrayField(models.BigIntegerField(), help_text="Keys of the targets, ascending.")

    class Meta:
        verbose_name_plural = "pool strata"
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "source", "stratum"], name="pooling_poolstratum_unique"
            ),
            models.CheckConstraint(
                condition=Q(
                    n_pooled=F("n_drawn")
                    + Func(F("undrawn"), function="cardinality", output_field=IntegerField())
                ),
                name="pooling_poolstratum_adds_up",
            ),
        ]

    def __str__(self) -> str:
        return f"stratum {self.stratum} of {self.source_id} in {self.pool}"
