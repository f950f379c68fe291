"""Numbers."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from assayer.client.records.record import Record, frame_of

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, kw_only=True)
class PoolCounts(Record):
    """Progress of one pool or import; `pool` is None for an import."""

    n_pairs: int
    states: dict[str, int]
    n_labels: int
    n_seats_left: int
    pool: int | None
    name: str
    kind: str
    state: str


@dataclass(frozen=True, kw_only=True)
class ValueRange(Record):
    """A value between `low` and `high`, None where no bound is defined."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Forecast(Record):
    """A forecast of the labels that are still wanted."""

    computed_at: datetime | None
    is_stale: bool
    labels_a_day: ValueRange | None
    n_days: int
    days_left: ValueRange | None
    reason: str | None
    n_seats_left: int
    n_stuck: int
    hours_spent: float | None
    hours_left: ValueRange | None
    n_timed: int
    n_untimed: int


@dataclass(frozen=True, kw_only=True)
class Progress(Record):
    """Progress of a collection and of each of its pools."""

    computed_at: datetime | None
    is_stale: bool
    n_pairs: int
    states: dict[str, int]
    n_labels: int
    n_seats_left: int
    pools: list[PoolCounts]
    forecast: Forecast | None

    def to_pandas(self) -> "DataFrame":
        """A table with a row for each pool and import."""
        return frame_of(pool.json for pool in self.pools)


@dataclass(frozen=True, kw_only=True)
class AgreementFigures(Record):
    """Krippendorff's alpha of some labels, or the reason why there is none."""

    alpha: float | None
    reason: str | None
    low: float | None
    high: float | None
    interval_reason: str | None
    n_pairs: int
    n_labels: int
    n_replicates: int | None
    n_groups: int | None
    seed: int | None
    percent_unanimous: float | None
    percent_equal: float | None


@dataclass(frozen=True, kw_only=True)
class Agreement(Record):
    """Agreement of the labels that pools plan, which is the headline, and of all."""

    computed_at: datetime | None
    is_stale: bool
    level: str | None
    sampling_units: str | None
    planned: AgreementFigures
    all: AgreementFigures


@dataclass(frozen=True, kw_only=True)
class ScoreLine(Record):
    """A score of a run by a measure, with its interval."""

    direction: str
    run: str
    run_id: int
    system: str
    measure: str
    unit: str
    pseudo_group: int | None
    letters: str | None
    n_queries: int
    n_missing: int | None
    n_gallery: int | None
    gallery_at: str | None
    n_groups: int | None
    groups_by: str | None
    on_samples: str | None
    n_population: int | None
    is_beyond_people: bool | None
    score: float | None
    low: float | None
    high: float | None
    reference_only: float | None
    bound_low: float | None
    bound_high: float | None
    judged: float | None
    n_with_positive: float | None
    score_with_positive: float | None
    icc: float | None
    deff: float | None


@dataclass(frozen=True, kw_only=True)
class Leaderboard(Record):
    """The scores of the runs of a collection, best runs first."""

    computed_at: datetime | None
    is_stale: bool
    collection: str
    label_source: str
    positive_from: int
    query_set: str
    measures: list[str]
    method: str
    missing: str
    protocol: str | None
    unscored_runs: list[str]
    rows: list[ScoreLine]

    def to_pandas(self) -> "DataFrame":
        """A table with a row for each run and measure."""
        return frame_of(row.json for row in self.rows)


@dataclass(frozen=True, kw_only=True)
class AnalysisRow(Record):
    """An analysis that a collection can be asked for."""

    name: str
    chapter: str
    question: str
    paper: str
    definition: str
    parameters: list[str]


@dataclass(frozen=True, kw_only=True)
class WholeAnalysis(Record):
    """An analysis: its sentence, its table, and the Vega-Lite `spec` of its chart."""

    name: str
    chapter: str
    question: str
    paper: str
    definition: str
    parameters: list[str]
    computed_at: datetime | None
    is_stale: bool
    collection: str
    direction: str | None
    protocol: str | None
    query_set: str | None
    label_source: str | None
    threshold: int | None
    measures: list[str] | None
    method: str | None
    missing: str | None
    runs: list[str] | None
    mark: str | None
    n: int | None
    error: float | None
    difference: float | None
    power: float | None
    not_defined: str | None
    headline: str | None
    caption: str | None
    notes: list[str] | None
    columns: list[dict[str, Any]] | None
    rows: list[list[Any]] | None
    spec: Any | None

    def to_pandas(self) -> "DataFrame":
        """Its table, with the keys of its columns; empty where it is not defined."""
        keys = [column["key"] for column in self.columns or []]
        return frame_of(dict(zip(keys, row, strict=True)) for row in self.rows or [])
