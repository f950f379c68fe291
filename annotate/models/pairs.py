"""Pairs, rounds of them, seats, and golds."""

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.core.labels.pair_states import PairState

from .collections import Collection, Policy
from .items import Item
from .people import Annotator


class PairQuerySet(models.QuerySet["Pair"]):
    """Pairs, with the filter for those left out."""

    # by each alone the database finds a few of a million pairs at once, by all it reads the million
    EXCLUSIONS = (
        Q(exclusion__isnull=False),
        Q(query__excluded_at__isnull=False),
        Q(document__excluded_at__isnull=False),
    )

    def left_out(self) -> "PairQuerySet":
        """Pairs that a lead excluded, themselves or one of their items."""
        itself, query, document = self.EXCLUSIONS
        return self.filter(itself | query | document)


class Pair(models.Model):
    """One (query item, document item); its row is the lock behind which its labels are counted."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="pairs")
    query = models.ForeignKey(Item, models.PROTECT, related_name="pairs_as_query")
    document = models.ForeignKey(Item, models.PROTECT, related_name="pairs_as_document")

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "document"], name="annotate_pair_unique"),
            models.UniqueConstraint(
                fields=["id", "collection"], name="annotate_pair_unique_in_collection"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query} / {self.document}"


class RoundKind(models.TextChoices):
    """The use of a round's labels."""

    POOL = "pool", "Pool"
    TRAINING = "training", "Training"
    GOLD = "gold", "Gold"
    IMPORT = "import", "Import"


LABEL_KINDS = (RoundKind.POOL, RoundKind.IMPORT)


class RoundState(models.TextChoices):
    """The states of a round, which hands out its pairs while it is open."""

    OPENING = "opening", "Opening"
    OPEN = "open", "Open"
    CLOSING = "closing", "Closing"
    CLOSED = "closed", "Closed"


WANTING_STATES = (RoundState.OPENING, RoundState.OPEN)  # only an open one hands out its pairs
CLOSED_STATES = (RoundState.CLOSING, RoundState.CLOSED)


class Round(models.Model):
    """Pairs to judge under one policy version.

    It is annotate's half of a pool, or gold, training, an import.
    """

    Kind: TypeAlias = RoundKind
    State: TypeAlias = RoundState

    FOR_LABELS = LABEL_KINDS  # golds and training want checks
    WANTING = WANTING_STATES

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="rounds")
    policy = models.ForeignKey(Policy, models.PROTECT, related_name="rounds")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=7, choices=State, default=State.OPEN)
    priority = models.SmallIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)
    following_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since then its resolutions are being brought under another policy; empty: they "
        "follow it.",
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
                condition=Q(kind__in=RoundKind.values),
                name="annotate_round_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(state__in=WANTING_STATES, closed_at__isnull=True)
                | Q(state__in=CLOSED_STATES, closed_at__isnull=False),
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
            models.CheckConstraint(
                condition=Q(n_wanted__gte=1), name="annotate_roundpair_wants_some"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.n_wanted} labels of {self.pair_id} for {self.round_id}"


class RoundPairState(models.Model):
    """The state of a round's pair: a view, which alone decides it. See core.labels.pair_states."""

    round_pair = models.OneToOneField(
        RoundPair, models.DO_NOTHING, primary_key=True, related_name="standing"
    )
    collection = models.ForeignKey(Collection, models.DO_NOTHING, related_name="+")
    round = models.ForeignKey(Round, models.DO_NOTHING, related_name="states")
    pair = models.ForeignKey(Pair, models.DO_NOTHING, related_name="states")
    state = models.CharField(
        max_length=12, choices=[(state.value, state.page_name) for state in PairState]
    )

    class Meta:
        managed = False
        db_table = "annotate_pairstate"

    def __str__(self) -> str:
        return f"pair {self.pair_id} of round {self.round_id}: {self.state}"


class SeatPurpose(models.TextChoices):
    """The use of a seat's judgment."""

    LABEL = "label", "Label"
    GOLD = "gold", "Gold"
    TRAINING = "training", "Training"
    REPEAT = "repeat", "Repeat"
    ADJUDICATION = "adjudication", "Adjudication"
    IMPORT = "import", "Import"


LABEL_PURPOSES = (SeatPurpose.LABEL, SeatPurpose.IMPORT)
NUMBERED_PURPOSES = (*LABEL_PURPOSES, SeatPurpose.ADJUDICATION)
CHECK_PURPOSES = (SeatPurpose.GOLD, SeatPurpose.TRAINING, SeatPurpose.REPEAT)
DIRECT_PURPOSES = (SeatPurpose.IMPORT, SeatPurpose.ADJUDICATION)  # judged without a hand-out


class SeatWhy(models.TextChoices):
    """The reason why a label is wanted."""

    FIRST = "first", "First label"
    DOUBLE = "double", "Planned double"
    DISAGREEMENT = "disagreement", "Disagreement"
    TOP_UP = "top-up", "Replaces a withdrawn label"


class SeatState(models.TextChoices):
    """The states of a seat: a free one can be claimed, a held one once its lease is over."""

    FREE = "free", "Free"
    HELD = "held", "Held"
    DONE = "done", "Done"
    WITHDRAWN = "withdrawn", "Withdrawn"


CLAIMABLE_STATES = (SeatState.FREE, SeatState.HELD)  # a held one once its lease is over


class Seat(models.Model):
    """One wanted judgment. Free, held by somebody until a moment, done, or withdrawn."""

    Purpose: TypeAlias = SeatPurpose
    Why: TypeAlias = SeatWhy
    State: TypeAlias = SeatState

    FOR_LABELS = LABEL_PURPOSES

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
        "Judgment",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="seat",
        help_text="The judgment that counts for this seat.",
    )
    queue_key = models.BigIntegerField(
        default=0,
        help_text="Place in the round's queue, from a keyed hash; people enter at random.",
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["round", "queue_key"],
                condition=Q(state__in=CLAIMABLE_STATES, purpose=SeatPurpose.LABEL),
                name="annotate_seat_queue",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "purpose", "number"],
                condition=Q(purpose__in=NUMBERED_PURPOSES),
                name="annotate_seat_unique_number",
            ),
            # Leads with the annotator: "pairs I have not seen" walks one person's seats only.
            models.UniqueConstraint(
                fields=["annotator", "pair"],
                condition=Q(purpose__in=LABEL_PURPOSES),
                name="annotate_seat_unique_annotator",
            ),
            models.UniqueConstraint(
                fields=["annotator", "pair", "purpose", "round"],
                condition=Q(purpose__in=CHECK_PURPOSES),
                name="annotate_seat_unique_check",
            ),
            models.CheckConstraint(
                condition=Q(state=SeatState.FREE, annotator=None, leased_until=None, judgment=None)
                | Q(
                    state=SeatState.HELD,
                    annotator__isnull=False,
                    leased_until__isnull=False,
                    judgment=None,
                )
                | Q(
                    state=SeatState.DONE,
                    annotator__isnull=False,
                    leased_until=None,
                    judgment__isnull=False,
                )
                | Q(state=SeatState.WITHDRAWN, leased_until=None, judgment=None),
                name="annotate_seat_state_consistent",
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=SeatPurpose.values),
                name="annotate_seat_known_purpose",
            ),
            models.CheckConstraint(
                condition=Q(why__in=SeatWhy.values),
                name="annotate_seat_known_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} seat {self.number} of pair {self.pair_id}"

    @property
    def is_for_label(self) -> bool:
        """True if its judgment enters agreement, once it is done."""
        return self.purpose in LABEL_PURPOSES


class GoldOrigin(models.TextChoices):
    """The origin of a gold."""

    REFERENCE = "reference", "Reference positive"
    RANDOM = "random", "Random negative outside every run's top"
    CURATED = "curated", "Curated"


class Gold(models.Model):
    """A pair with a known grade; no query made for annotators joins this table."""

    Origin: TypeAlias = GoldOrigin

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
                condition=Q(origin__in=GoldOrigin.values),
                name="annotate_gold_known_origin",
            ),
        ]

    def __str__(self) -> str:
        return f"gold {self.grade} of pair {self.pair_id}"
