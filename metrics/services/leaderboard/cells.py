"""The parts of a leaderboard's table: scores with intervals and bounds, measures, sentences."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from annotate.core.figures import decimals, sum_text
from annotate.core.phrases import counted
from metrics.core.comparisons.letters import abbreviate
from metrics.core.measures.measures import Measure, parse_one
from metrics.core.statistics.groups import Design
from metrics.core.statistics.intervals import Interval, effective_successes
from metrics.services.samples.estimates import ESTIMATED, EstimateKind
from metrics.services.scores.query_groups import GroupFacts

# independent successes or failures: of fewer, intervals may hold less than they say, see
# docs/numbers.md
FEW = 10
BEYOND = "beyond what these labels can tell"


class ScoreCell(NamedTuple):
    """One score: the whole (with people's labels), and the reference's part.

    Shares are in per cent.
    defined : the mean over queries with a positive
    least, most : its bounds, whatever the unjudged targets that the run returned, and the unjudged
        pairs of the pools, turn out to be
    judged : per cent of the first ranks that is judged; group : the pseudo-group, 1 holds the best
        run
    letters : runs that share one do not differ; "a" is the best run's
    is_beyond : its interval lies wholly above the ceiling of people
    icc, deff : intraclass correlation and design effect, if queries come in groups
    truth : the score by the known truth of a rehearsal
    """

    whole: float
    reference: float | None
    low: float | None
    high: float | None
    defined: float | None
    n_defined: int
    least: float | None = None
    most: float | None = None
    judged_percent: float | None = None
    group: int | None = None
    icc: float | None = None
    deff: float | None = None
    letters: tuple[str, ...] = ()
    is_beyond: bool = False
    truth: float | None = None

    @property
    def truth_text(self) -> str:
        """The score by the known truth; empty without one."""
        return "" if self.truth is None else f"true {decimals(self.truth, 1)}"

    @property
    def beyond_text(self) -> str:
        """A mark on a score above the ceiling of people; empty on others."""
        return BEYOND if self.is_beyond else ""

    @property
    def letters_text(self) -> str:
        """The letters in compact form."""
        return abbreviate(self.letters)

    @property
    def text(self) -> str:
        """A (B + C), or A alone without a reference."""
        return sum_text(self.whole, self.reference)

    @property
    def interval_text(self) -> str:
        """The ends of the interval, rounded as the score is; empty without one."""
        if self.low is None or self.high is None:
            return ""
        return f"{decimals(self.low, 1)}\N{EN DASH}{decimals(self.high, 1)}"

    @property
    def defined_text(self) -> str:
        """The mean over the queries with a positive, and their number."""
        if self.defined is None:
            return "no query has a positive"
        mean = decimals(self.defined, 1)
        return f"{mean} over the {counted(self.n_defined, 'query')} with a positive"

    @property
    def bounds_text(self) -> str:
        """The bounds, rounded as the score is; empty without them."""
        if self.least is None or self.most is None:
            return ""
        return f"{decimals(self.least, 1)} … {decimals(self.most, 1)}"

    @classmethod
    def of(
        cls,
        facts: dict[str, Any],
        *,
        scale: float,
        group: int | None = None,
        letters: Sequence[str] = (),
    ) -> "ScoreCell | None":
        """Build a cell from measured numbers; None if the whole is not defined."""
        if facts.get("whole") is None:
            return None

        def scaled(name: str, factor: float = scale) -> float | None:
            value = facts.get(name)
            return None if value is None else factor * value

        return cls(
            whole=scale * facts["whole"],
            reference=scaled("reference"),
            low=scaled("low"),
            high=scaled("high"),
            defined=scaled("defined"),
            n_defined=facts["n_defined"],
            least=scaled("least"),
            most=scaled("most"),
            judged_percent=scaled("judged", 100),
            group=group,
            icc=facts.get("icc"),
            deff=facts.get("deff"),
            letters=tuple(letters),
        )


class MeasureColumn(NamedTuple):
    """A measure, the unit of its numbers ("%" or "rank"), and their EstimateKind on samples."""

    name: str
    unit: str
    kind: str = EstimateKind.EXACT

    @property
    def is_estimable(self) -> bool:
        """False if its numbers count as irrelevant what a sample did not draw."""
        return EstimateKind(self.kind).is_estimable

    @property
    def estimate_label(self) -> str:
        """The kind of estimate, in words; empty if its numbers are none."""
        return EstimateKind(self.kind).label if self.kind in ESTIMATED else ""


class AbsentScore(NamedTuple):
    """The reason for a missing score: "n/a beyond 100" if lists end before the needed rank."""

    reason: str

    def __bool__(self) -> bool:
        return False


def median_design(cells: Sequence[ScoreCell | AbsentScore | None]) -> Design:
    """Return the medians of the runs' intraclass correlations and design effects, where defined."""
    score_cells = [cell for cell in cells if isinstance(cell, ScoreCell)]
    return Design(
        _median([cell.icc for cell in score_cells]), _median([cell.deff for cell in score_cells])
    )


def _median(values: list[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return float(np.median(numbers)) if numbers else None


def rough_interval_warning(
    *,
    groups: GroupFacts | None,
    kinds: Mapping[str, str],
    rows: Sequence[Sequence[ScoreCell | AbsentScore | None]],
    is_of_these_queries: bool,
) -> str:
    """Warn of intervals that rest on few queries or groups, else on few successes or failures.

    Else empty.
    kinds : an EstimateKind by measure; rows : one per run, of one cell per measure
    is_of_these_queries : True if intervals are for these very queries, or the population they were
        drawn from
    """
    if is_of_these_queries and (groups is None or groups.n_population is None):
        return ""  # there are no intervals
    if is_of_these_queries or (groups and groups.caution):
        return groups.caution if groups else ""
    rough_measures = []
    for column, (name, kind) in enumerate(kinds.items()):
        n = sum(_is_rough(row[column]) for row in rows)
        if n and kind == EstimateKind.EXACT and unit_of(parse_one(name)) == "%":
            rough_measures.append(f"{name} of {counted(n, 'run')}")
    few = f"Intervals that rest on fewer than {FEW} independent successes or failures are rough"
    return f"{few}: {', '.join(rough_measures)}." if rough_measures else ""


def _is_rough(cell: ScoreCell | AbsentScore | None) -> bool:
    if not isinstance(cell, ScoreCell) or cell.low is None or cell.high is None:
        return False
    n = effective_successes(cell.whole / 100, Interval(cell.low / 100, cell.high / 100))
    return n is not None and round(n, 6) < FEW  # ten of 50 queries are ten, whatever the last digit


def unit_of(measure: Measure) -> str:
    """Return the unit of a measure's numbers on pages: "%" for shares, "rank" for ranks."""
    return "rank" if measure.entry.smaller_is_better else "%"


def measure_scale(measure: Measure) -> float:
    """Return the factor of a measure's numbers on pages: 100 for shares, 1 for ranks."""
    return 1.0 if measure.entry.smaller_is_better else 100.0


def interval_description(
    *, groups: GroupFacts | None, n_queries: int, sources: str, is_of_these_queries: bool
) -> str:
    """Say what the intervals of a table are, or why there are none.

    sources : the noun for the source items
    is_of_these_queries : True if they are for these very queries, or the population they were drawn
        from
    """
    if is_of_these_queries and (groups is None or groups.n_population is None):
        return (
            f"no interval: a score is that of these very {sources}, none of which was left to "
            "chance; what a sample of pairs adds stands on the page of its pool. Letters stay "
            "about others like these"
        )
    if is_of_these_queries and groups and groups.is_part:
        return f"no interval: these {sources} are only some of those that were drawn"
    if is_of_these_queries and groups:
        return (
            f"its 95 % interval of the mean over the {groups.n_population:,} {groups.queries} "
            "that these were drawn of, labels taken as right, but for estimates, which have "
            "none; the share of each stratum that was drawn makes it narrower. Letters stay "
            "about other queries like these"
        )
    if groups and groups.are_one:
        return f"no interval, as all {groups.queries} are of one group"
    if n_queries == 1:
        return "no interval, as there is one query"
    sampling_units = groups.sampling_units if groups else sources
    return (
        f"its 95 % interval: what other {sampling_units} like these would give, labels taken as "
        f"right (Wilson's, with as many independent {sources} as the spread of the scores is "
        "worth, of mean ranks Student's t; none where all scores are equal and neither 0 nor 1)"
    )
