"""The tables of the leaderboard: their rows, and sentences about them."""

from datetime import datetime
from typing import Any, NamedTuple

from annotate.core.phrases import counted
from annotate.models import Direction, QuerySet
from metrics.charts.charts import Chart
from metrics.charts.decision_notes import missed_text, notes
from metrics.core.measures.measures import parse_one
from metrics.services.leaderboard.cells import (
    AbsentScore,
    MeasureColumn,
    ScoreCell,
    interval_description,
    median_design,
    rough_interval_warning,
    unit_of,
)
from metrics.services.leaderboard.choices.captions import (
    DesignEffectCell,
    LeaderboardCaption,
    design_cell,
)
from metrics.services.leaderboard.decisions import MeasureDecision, headline
from metrics.services.samples.notices import undrawn_sentences
from metrics.services.scores.propagation import propagation_sentence
from metrics.services.scores.query_groups import GroupFacts
from pooling.models import Run

Facts = dict[str, Any]


class LeaderboardRow(NamedTuple):
    """One run: a cell per measure, the judged per cent of its top ten, its missing queries.

    facts : the numbers of each cell as they were measured: shares from 0 to 1, all digits
    is_older : its file came before the last target joined, so it cannot have ranked all of them
    """

    run: Run
    cells: list[ScoreCell | AbsentScore | None]
    judged_percent: float | None
    n_missing: int
    facts: list[Facts | None]
    is_older: bool


class BestRuns(NamedTuple):
    """The two best runs of a direction, and the measure by which they are compared first."""

    first: Run
    second: Run
    measure: str


class GallerySize(NamedTuple):
    """The number of ranked targets, and when the last of them joined, if recorded."""

    n: int
    joined_at: datetime | None


class LeaderboardTable(NamedTuple):
    """The runs of one direction on one query set, the best by the first measure first.

    groups : which queries belong together; None until they have been read
    undrawn : the pools and sets that left pairs undrawn, and their number; None if there are none
    is_of_these_queries : True if intervals are for these very queries, not for others like these
    kinds : an EstimateKind by the name of each measure
    n_propagated : pairs of duplicates that take the grades of their originals
    gallery : the targets that were ranked; None until a refresh has counted them
    n_positive : pairs of the queries that the label source calls positive; None until counted
    saturated : names of measures with the best run's score, if it is close to the maximum
    charts : one per measure
    ceiling_texts : of people, one per measure, empty for one that has none; no text without ceiling
    ceiling_note : its meaning in words; has_ceiling_marks : scores above it are marked
    """

    direction: Direction
    query_set: QuerySet
    n_queries: int
    n_positive: int | None
    groups: GroupFacts | None
    gallery: GallerySize | None
    rows: list[LeaderboardRow]
    decisions: list[MeasureDecision]
    saturated: list[tuple[str, float]]
    charts: list[Chart]
    undrawn: Facts | None
    n_propagated: int
    kinds: dict[str, str]
    is_of_these_queries: bool
    ceiling_texts: list[str] = []
    ceiling_note: str = ""
    has_ceiling_marks: bool = False

    @property
    def caption(self) -> LeaderboardCaption:
        """Sentences on the counts of the table."""
        return LeaderboardCaption(
            query_set=self.query_set.name,
            sources_text=self.sources_text,
            targets=self.targets,
            n_positive=self.n_positive,
            without_positive=self.without_positive,
            missing_text=self.missing_text,
            n_ranked=self.gallery.n if self.gallery else None,
            joined_at=self.gallery.joined_at if self.gallery else None,
            saturated=self.saturated,
        )

    @property
    def undrawn_text(self) -> str:
        """Sentences about the pairs that no sample drew; empty if there are none."""
        return undrawn_sentences(self.undrawn, self.kinds, self.source_noun) if self.undrawn else ""

    @property
    def propagation_text(self) -> str:
        """A sentence about grades that are propagated; empty if there are none."""
        return propagation_sentence(self.n_propagated)

    @property
    def best_runs(self) -> BestRuns | None:
        """The best two, to be compared by the first measure that is a mean; None of fewer."""
        names = [name for name in self.kinds if parse_one(name).is_mean]
        if len(self.rows) < 2 or not names:
            return None
        return BestRuns(self.rows[0].run, self.rows[1].run, names[0])

    @property
    def columns(self) -> list[MeasureColumn]:
        """The columns of the table, one per measure."""
        return [
            MeasureColumn(name, unit_of(parse_one(name)), kind) for name, kind in self.kinds.items()
        ]

    def of_kind(self, kind: str) -> list[str]:
        """Return the names of the measures of one EstimateKind."""
        return [name for name, measure_kind in self.kinds.items() if measure_kind == kind]

    def beyond_text(self, measure: str, cell: ScoreCell | AbsentScore | None) -> str | None:
        """The mark of a score above the ceiling of people, yes or no; None without a ceiling.

        None also where a reference's grades count too.
        """
        texts = dict(zip(self.kinds, self.ceiling_texts, strict=False))
        if not self.has_ceiling_marks or not texts.get(measure) or not isinstance(cell, ScoreCell):
            return None
        return "yes" if cell.is_beyond else "no"

    @property
    def headline(self) -> str:
        """The leading run by the first measure, and the runs not separated from it."""
        cells = [(row.run, row.cells[0]) for row in self.rows]
        best = next((cell.whole for _, cell in cells if isinstance(cell, ScoreCell)), None)
        leaders = [run for run, cell in cells if isinstance(cell, ScoreCell) and cell.whole == best]
        if not self.decisions or not best:
            return ""
        return headline(leaders, self.decisions[0], self.decisions[1:])

    @property
    def missing_text(self) -> str:
        """A sentence about the queries that runs miss."""
        counts = [row.n_missing for row in self.rows if row.n_missing]
        extent = "no run misses any"
        if counts:
            runs = f"{len(counts):,} of {counted(len(self.rows), 'run')}"
            verb = "misses" if len(counts) == 1 else "miss"
            extent = f"{runs} {verb} some, up to {max(counts):,}"
        source_noun = "query" if self.direction == Direction.FORWARD else "document"
        count = missed_text([parse_one(name) for name in self.kinds])
        return f"a {source_noun} that a run misses counts {count} ({extent})"

    @property
    def has_q(self) -> bool:
        """True if the scores of some measure are all 0 or 1, so that there is Cochran's Q."""
        return any(decision.q_text for decision in self.decisions)

    @property
    def decision_notes(self) -> list[str]:
        """Sentences on how the differences were tested."""
        tests = [decision.test for decision in self.decisions]
        return notes(tests, over=self.sources_text, unit=self.sampling_units)

    @property
    def without_positive(self) -> str:
        """A phrase on the queries without a positive by the label source; empty if none."""
        counts = [(facts or {}).get("n_defined") for row in self.rows for facts in row.facts]
        n = self.n_queries - max(
            (count for count in counts if count is not None), default=self.n_queries
        )
        if n == 1:
            return (
                f"1 of the {self.source_noun} without a positive, which counts 0 and has no first "
                "rank"
            )
        if not n:
            return ""
        return f"{n:,} {self.source_noun} without a positive, which count 0 and have no first rank"

    @property
    def source_noun(self) -> str:
        """The noun for the source items: "queries" or "documents"."""
        return self.direction.sources

    @property
    def sources_text(self) -> str:
        """The number of source items and of their groups: "27,763 captions of 670 videos"."""
        return self.groups.text if self.groups else f"{self.n_queries:,} {self.source_noun}"

    @property
    def interval_text(self) -> str:
        """The meaning of the interval beneath a score, or the reason why there is none."""
        return interval_description(
            groups=self.groups,
            n_queries=self.n_queries,
            sources=self.source_noun,
            is_of_these_queries=self.is_of_these_queries,
        )

    def bounds_note(self, without_bounds: str) -> str:
        """Say what bounds and judged shares are; without_bounds : of Leaderboard."""
        exception = f" ({without_bounds})" if without_bounds else ""
        return (
            "Bounds and judged shares: between which ends the score lies, least … most, whatever "
            f"the unjudged {self.targets} that the run returned, and the unjudged pairs of the "
            "pools, turn out to be, labels taken as right, also a "
            "reference\N{RIGHT SINGLE QUOTATION MARK}s, which people may still "
            f"overrule{exception}; and how many per cent of its first ranks are judged, 10 where "
            "the measure names no other number."
        )

    @property
    def caution(self) -> str:
        """A warning of rough intervals: few queries or groups, else few successes or failures."""
        if self.is_uninformative:
            return ""
        return rough_interval_warning(
            groups=self.groups,
            kinds=self.kinds,
            rows=[row.cells for row in self.rows],
            is_of_these_queries=self.is_of_these_queries,
        )

    @property
    def is_uninformative(self) -> bool:
        """True if no pair is positive by the labels, so that every score is 0."""
        cells = [cell for row in self.rows for cell in row.cells]
        return self.n_positive == 0 and not any(
            isinstance(cell, ScoreCell) and cell.whole for cell in cells
        )

    @property
    def sampling_units(self) -> str:
        """The noun for the independent units: the queries, or their groups."""
        return self.groups.sampling_units if self.groups else self.source_noun

    @property
    def design_effects(self) -> list[DesignEffectCell]:
        """Design effects per measure, medians over runs; empty if no queries belong together."""
        if self.groups is None or self.groups.are_single:
            return []
        medians = [
            median_design([row.cells[column] for row in self.rows])
            for column in range(len(self.charts))
        ]
        queries = self.groups.queries
        return [
            design_cell(design, n_queries=self.n_queries, queries=queries) for design in medians
        ]

    @property
    def targets(self) -> str:
        """The noun for the ranked items: "documents" or "queries"."""
        return self.direction.targets
