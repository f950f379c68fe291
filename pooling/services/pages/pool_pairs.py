"""The pairs of a pool, a page at a time, each with its origin and its state."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BigIntegerField,
    Exists,
    F,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)

from annotate.core.labels.pair_states import PairState, StateCount
from annotate.models import Direction, Resolution, RoundPairState, User
from pooling.core.strategies.strategies import depth_of
from pooling.models import Pool, PoolPair, Ranking, Run
from pooling.pair_filter import PairFilter
from pooling.services.pages.provenance import Origin, origins
from pooling.services.runs.rankings import excluded_keys

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

PAGE_SIZE = 50


class PairLine(NamedTuple):
    """One pair of a pool. `resolution` is None while it has no label."""

    row: PoolPair
    origin: Origin
    resolution: Resolution | None
    state: PairState
    is_open: bool

    @property
    def state_text(self) -> str:
        """Its state, as the page writes it."""
        return StateCount(self.state, 1, self.is_open).label

    @property
    def grade_text(self) -> str:
        """Its grade and how it came about; "" while it has none."""
        if self.resolution is None or self.resolution.grade is None:
            return ""
        return f"grade {self.resolution.grade}, {self.resolution.get_status_display().lower()}"


class PairPage(NamedTuple):
    """Some pairs of a pool; `next` is the key after which the next page begins, 0 for none."""

    lines: list[PairLine]
    next: int


class StateColumn(TypedDict):
    """The state of a pair in its pool's round, a PairState, as a column of the pool's pairs."""

    state: str


def pairs_of(*, pool: Pool, pair_filter: PairFilter, viewer: User | None) -> PairPage:
    """A page of a pool's pairs in the order of their keys.

    Five queries, however many pairs and runs.
    """
    with_texts = filtered_rows(pool=pool, pair_filter=pair_filter).prefetch_related(
        "pair__query__parts", "pair__document__parts"
    )
    rows = list(with_texts.order_by("pair")[: PAGE_SIZE + 1])
    page_rows = rows[:PAGE_SIZE]
    lines = lines_of(pool=pool, rows=page_rows, viewer=viewer)
    return PairPage(lines, page_rows[-1].pair_id if len(rows) > PAGE_SIZE else 0)


def lines_of(
    *,
    pool: Pool,
    rows: "Sequence[WithAnnotations[PoolPair, StateColumn]]",
    viewer: User | None,
) -> list[PairLine]:
    """The pairs of these rows with their origins; they name only runs that the viewer may see."""
    pair_origins = origins(pairs=[row.pair for row in rows], viewer=viewer)
    is_open = pool.phase == Pool.Phase.OPEN
    return [
        PairLine(
            row,
            pair_origins[row.pair_id],
            getattr(row.pair, "resolution", None),
            PairState(row.state),
            is_open,
        )
        for row in rows
    ]


def filtered_rows(
    *, pool: Pool, pair_filter: PairFilter
) -> "QuerySet[WithAnnotations[PoolPair, StateColumn]]":
    """The pairs of a pool that fit a filter, with their states in its round."""
    pair_state = RoundPairState.objects.filter(round=pool.round_id, pair=OuterRef("pair")).values(
        "state"
    )
    rows = PoolPair.objects.filter(pool=pool, pair__gt=pair_filter.after).annotate(
        state=Subquery(pair_state)
    )
    if pair_filter.state:
        rows = rows.filter(state=pair_filter.state)
    if pair_filter.query:
        rows = rows.filter(pair__query__external_id=pair_filter.query)
    if pair_filter.run is not None:
        rows = rows.filter(Exists(_rankings_with_pair(pool, pair_filter.run)))
    return rows.select_related("pair__query", "pair__document", "pair__resolution")


def _rankings_with_pair(pool: Pool, run: Run) -> QuerySet[Ranking]:
    """The run's ranking that holds a pair as far down as the pool looks."""
    reach = depth_of(pool.strategy, pool.parameters)
    end_fields = (
        ("pair__query", "pair__document")
        if run.direction == Direction.FORWARD
        else ("pair__document", "pair__query")
    )
    left_out = Value(
        excluded_keys(collection_id=pool.collection_id), output_field=ArrayField(BigIntegerField())
    )
    rank = Func(
        F("targets"),
        OuterRef(end_fields[1]),
        left_out,
        function="pooling_rank",
        output_field=IntegerField(),
    )
    return (
        Ranking.objects.filter(run=run, source=OuterRef(end_fields[0]))
        .annotate(rank=rank)
        .filter(rank__lte=reach)
    )
