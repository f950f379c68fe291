"""Pairs, rounds of them, seats, and the batches in which seats are handed out."""

import uuid

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from annotate.core.pair_states import PairState

from .collections import Collection, Policy
from .items import Item
from .people import Annotator


class PairQuerySet(models.QuerySet["Pair"]):
    """Pairs, with the filter for those left out."""

    def left_out(self) -> "PairQuerySet":
        """Pairs that a lead excluded, themselves or one of their items."""
        itself = Q(exclusion__isnull=False)
        return self.filter(itself | Q(query__excluded_at__isnull=False) | Q(document__excluded_at__isnull=False))


class Pair(models.Model):
    """One (query item, document item); its row is the lock behind which its labels are counted."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="pairs")
    query = models.ForeignKey(Item, models.PROTECT, related_name="pairs_as_query")
    document = models.ForeignKey(Item, models.PROTECT, related_name="pairs_as_document")

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "document"], name="annotate_pair_unique"),
            models.UniqueConstraint(fields=["id", "collection"], name="annotate_pair_unique_in_collection"),
        ]

    def __str__(self) -> str:
        return f"{self.query} / {self.document}"


class Round(models.Model):
    """Pairs to judge under one policy version.

    It is annotate's half of a pool, or gold, training, an import.
    """

    class Kind(models.TextChoices):
        POOL = "pool", "Pool"
        TRAINING = "training", "Training"
        GOLD = "gold", "Gold"
        IMPORT = "import", "Import"

    class State(models.TextChoices):
        OPENING = "opening", "Opening"
        OPEN = "open", "Open"
        CLOSING = "closing", "Closing"
        CLOSED = "closed", "Closed"

    WANTING = (State.OPENING, State.OPEN)  # only an open one hands out its pairs

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="rounds")
    policy = models.ForeignKey(Policy, models.PROTECT, related_name="rounds")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=7, choices=State, default=State.OPEN)
    priority = models.SmallIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)
    following_since = models.DateTimeField(
        null=True, blank=True,
        help_text="Since then its resolutions are being brought under another policy; empty: they follow it.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "name"], name="annotate_round_unique_name"
            ),
            models.UniqueConstraint(
                fields=["id", "collection"], name="annotate_round_unique_in_collection"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["pool", "training", "gold", "import"]),
                name="annotate_round_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["opening", "open"], closed_at__isnull=True)
                | Q(state__in=["closing", "closed"], closed_at__isnull=False),
                name="annotate_round_closed_has_time",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RoundPair(models.Model):
    """The number of labels a round wants of a pair: fixed when it opens, doubles included."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="round_pairs")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="round_pairs")
    n_wanted = models.PositiveSmallIntegerField()
    dropped_at = models.DateTimeField(
        null=True, blank=True, help_text="Since then the round wants no more labels of this pair."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pair", "round"], name="annotate_roundpair_unique"),
            models.CheckConstraint(condition=Q(n_wanted__gte=1), name="annotate_roundpair_wants_some"),
        ]

    def __str__(self) -> str:
        return f"{self.n_wanted} labels of {self.pair_id} for {self.round_id}"


class RoundPairState(models.Model):
    """The state of a round's pair: a view, which alone decides it. See core/pair_states.py."""

    round_pair = models.OneToOneField(RoundPair, models.DO_NOTHING, primary_key=True, related_name="standing")
    collection = models.ForeignKey(Collection, models.DO_NOTHING, related_name="+")
    round = models.ForeignKey(Round, models.DO_NOTHING, related_name="states")
    pair = models.ForeignKey(Pair, models.DO_NOTHING, related_name="states")
    state = models.CharField(max_length=12, choices=[(state.value, state.label) for state in PairState])

    class Meta:
        managed = False
        db_table = "annotate_pairstate"

    def __str__(self) -> str:
        return f"pair {self.pair_id} of round {self.round_id}: {self.state}"


class Seat(models.Model):
    """One wanted judgment. Free, held by somebody until a moment, done, or withdrawn."""

    class Purpose(models.TextChoices):
        LABEL = "label", "Label"
        GOLD = "gold", "Gold"
        TRAINING = "training", "Training"
        REPEAT = "repeat", "Repeat"
        ADJUDICATION = "adjudication", "Adjudication"
        IMPORT = "import", "Import"

    class Why(models.TextChoices):
        FIRST = "first", "First label"
        DOUBLE = "double", "Planned double"
        DISAGREEMENT = "disagreement", "Disagreement"
        TOP_UP = "top-up", "Replaces a withdrawn label"

    class State(models.TextChoices):
        FREE = "free", "Free"
        HELD = "held", "Held"
        DONE = "done", "Done"
        WITHDRAWN = "withdrawn", "Withdrawn"

    COUNTING = (Purpose.LABEL, Purpose.IMPORT)
    PLANNED = (Why.FIRST, Why.DOUBLE)  # wanted whatever the other labels of the pair are

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="+")
    round = models.ForeignKey(Round, models.PROTECT, related_name="seats")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="seats")
    purpose = models.CharField(max_length=12, choices=Purpose)
    number = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=12, choices=Why, default=Why.FIRST)
    state = models.CharField(max_length=9, choices=State, default=State.FREE)
    annotator = models.ForeignKey(
        Annotator, models.PROTECT, null=True, blank=True, related_name="seats"
    )
    leased_until = models.DateTimeField(null=True, blank=True)
    judgment = models.OneToOneField(
        "Judgment", models.PROTECT, null=True, blank=True, related_name="seat",
        help_text="The judgment that counts for this seat.",
    )
    queue_key = models.BigIntegerField(
        default=0, help_text="Place in the round's queue, from a keyed hash; people enter at random."
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["round", "queue_key"],
                condition=Q(state__in=["free", "held"], purpose="label"),
                name="annotate_seat_queue",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "purpose", "number"],
                condition=Q(purpose__in=["label", "import", "adjudication"]),
                name="annotate_seat_unique_number",
            ),
            # Leads with the annotator: "pairs I have not seen" walks one person's seats only.
            models.UniqueConstraint(
                fields=["annotator", "pair"],
                condition=Q(purpose__in=["label", "import"]),
                name="annotate_seat_unique_annotator",
            ),
            models.UniqueConstraint(
                fields=["annotator", "pair", "purpose", "round"],
                condition=Q(purpose__in=["gold", "training", "repeat"]),
                name="annotate_seat_unique_check",
            ),
            models.CheckConstraint(
                condition=Q(state="free", annotator=None, leased_until=None, judgment=None)
                | Q(state="held", annotator__isnull=False, leased_until__isnull=False, judgment=None)
                | Q(state="done", annotator__isnull=False, leased_until=None, judgment__isnull=False)
                | Q(state="withdrawn", leased_until=None, judgment=None),
                name="annotate_seat_state_consistent",
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=["label", "gold", "training", "repeat", "adjudication", "import"]),
                name="annotate_seat_known_purpose",
            ),
            models.CheckConstraint(
                condition=Q(why__in=["first", "double", "disagreement", "top-up"]),
                name="annotate_seat_known_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} seat {self.number} of pair {self.pair_id}"


class Batch(models.Model):
    """The pairs one annotator got at once: candidates and, hidden among them, golds."""

    class Verdict(models.TextChoices):
        ACCEPTED = "accepted", "Accepted"
        REJECTED = "rejected", "Rejected"
        HELD = "held", "Held for a lead"
        REQUEUED = "requeued", "Asked again"

    TAKEN_OUT = (Verdict.REJECTED, Verdict.REQUEUED)  # with these verdicts its labels do not count

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="batches")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField()
    opened_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on its answers can no longer be changed."
    )
    verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    grouped = models.BooleanField(
        null=True, blank=True, help_text="Whether one query's pairs were handed out together, or mixed."
    )
    n_golds = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Golds it was checked by when it was finished; empty = not checked yet."
    )
    n_golds_right = models.PositiveSmallIntegerField(null=True, blank=True)
    gold_action = models.CharField(
        max_length=6, choices=Policy.GoldAction, blank=True, default="", db_default="",
        help_text="What its golds called for when checked.",
    )

    class Meta:
        verbose_name_plural = "batches"
        indexes = [
            models.Index(
                fields=["collection", "id"],
                condition=Q(verdict="held") | (Q(verdict="") & ~Q(gold_action="")),
                name="annotate_batch_waiting",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["annotator", "number"], name="annotate_batch_unique_number"),
            # One unfinished batch a person: two tabs share it.
            models.UniqueConstraint(
                fields=["annotator"],
                condition=Q(finished_at__isnull=True),
                name="annotate_batch_one_open",
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=["", "accepted", "rejected", "held", "requeued"]),
                name="annotate_batch_known_verdict",
            ),
            models.CheckConstraint(
                condition=Q(n_golds=None, n_golds_right=None)
                | Q(n_golds__isnull=False, n_golds_right__isnull=False, n_golds_right__lte=F("n_golds")),
                name="annotate_batch_golds_counted",
            ),
            models.CheckConstraint(
                condition=Q(gold_action__in=["", "none", "warn", "hold", "reject", "pause"]),
                name="annotate_batch_known_gold_action",
            ),
        ]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.annotator_id}"


class HandOut(models.Model):
    """A seat's hand-out to an annotator, with its position in the batch; never deleted."""

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="hand_outs")
    seat = models.ForeignKey(Seat, models.PROTECT, related_name="hand_outs")
    position = models.PositiveSmallIntegerField()
    # All that a browser ever learns of a seat: serial keys would reveal golds, made last.
    token = models.UUIDField(default=uuid.uuid4)
    shown_at = models.DateTimeField(null=True, blank=True)
    deferred_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(
        null=True, blank=True, help_text="Judged, reported, or no longer wanted; empty = still to do."
    )

    class Meta:
        ordering = ["position"]
        indexes = [
            # A person's open hand-outs, among all that she ever had.
            models.Index(fields=["batch"], condition=Q(answered_at=None), name="annotate_handout_to_do"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["batch", "position"], name="annotate_handout_unique_position"),
            models.UniqueConstraint(fields=["batch", "seat"], name="annotate_handout_unique_seat"),
            models.UniqueConstraint(fields=["token"], name="annotate_handout_unique_token"),
        ]

    def __str__(self) -> str:
        return f"position {self.position} of batch {self.batch_id}"


class Gold(models.Model):
    """A pair with a known grade; no query made for annotators joins this table."""

    class Origin(models.TextChoices):
        REFERENCE = "reference", "Reference positive"
        RANDOM = "random", "Random negative outside every run's top"
        CURATED = "curated", "Curated"

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="golds")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="golds")
    grade = models.PositiveSmallIntegerField()
    is_positive = models.BooleanField()
    origin = models.CharField(max_length=9, choices=Origin)
    explanation = models.TextField(blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pair"], name="annotate_gold_unique_pair"),
            models.CheckConstraint(
                condition=Q(origin__in=["reference", "random", "curated"]),
                name="annotate_gold_known_origin",
            ),
        ]

    def __str__(self) -> str:
        return f"gold {self.grade} of pair {self.pair_id}"
