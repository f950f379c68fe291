"""Queries whose deepest judged ranks are full of positives: the table."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import count_of, counted
from metrics.charts.analyses.judging_pace import JudgingPace
from metrics.charts.analyses.labels.items import ItemSummary
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.results import AnalysisResult, Cell, Column, share_text
from metrics.core.analyses.pool.edges import STEP, EdgeShare

FEWEST = 30  # pairs of which a headline tells a share
MOST_QUERIES = 20_000  # that are listed
COLUMNS = [
    Column("query", "Query"),
    Column("content", "Content"),
    Column("depth", "Judged down to rank"),
    Column("n_edge", "Graded pairs at the edge"),
    Column("n_positive", "Positive there"),
    Column("share", "Share", 2),
    Column("n_single", "Of {run} there"),
    Column("n_graded", "Graded pairs of the runs"),
    Column("n_all_positive", "Positive ones"),
    Column("n_all_single", "Graded pairs of {run}"),
    Column("n_single_positive", "Positive of these"),
    Column("n_added", f"Pairs to add {STEP} ranks deeper"),
]
SINGLES_READING = " A pair of one run alone is one that no other of these runs brought to the pool."
OF_SINGLES = ("n_single", "n_all_single", "n_single_positive")


class PooledRuns(NamedTuple):
    """The runs that pairs are of: n of n_pooled runs in use of the pools, which may have more."""

    n: int
    n_pooled: int

    @property
    def has_singles(self) -> bool:
        """True if pairs of one of them alone differ from all: of two runs or more."""
        return self.n > 1

    @property
    def single(self) -> str:
        """The origin of a pair that one of them alone brought, in words."""
        return "one run alone" if self.n == self.n_pooled else f"one alone of the {self._chosen}"

    @property
    def several(self) -> str:
        """The origin of a pair that more of them brought, in words."""
        return "several runs" if self.n == self.n_pooled else f"several of the {self._chosen}"

    @property
    def columns(self) -> list[Column]:
        """Those of the table; pairs of one run alone have none where there is only one run."""
        run = "one run alone" if self.n == self.n_pooled else "one chosen run alone"
        return [
            column._replace(title=column.title.format(run=run))
            for column in COLUMNS
            if self.has_singles or column.key not in OF_SINGLES
        ]

    @property
    def notes(self) -> list[str]:
        """A sentence on pooled runs that are not among them; empty without any."""
        n_more = self.n_pooled - self.n
        if not n_more:
            return []
        verb, pronoun = ("is", "it") if n_more == 1 else ("are", "they")
        return [
            f"{counted(n_more, 'more run')} {verb} pooled and not chosen: the pairs are of the "
            f"chosen ones, whether {pronoun} brought them too or not."
        ]

    @property
    def _chosen(self) -> str:
        return counted(self.n, "chosen pooled run")


class SaturatedQuery(NamedTuple):
    """A query half of whose pairs at the edge, or more, are positive.

    n_single : pairs at the edge of one run alone; n_all_single : pairs of one run alone
    n_added : without a label, 10 ranks deeper, that wait in no open pool
    """

    item: ItemSummary
    depth: int
    n_edge: int
    n_positive: int
    n_single: int
    n_graded: int
    n_all_positive: int
    n_all_single: int
    n_single_positive: int
    n_added: int

    def row(self, columns: Sequence[Column]) -> list[Cell]:
        """The cells of a row, by the keys of the columns."""
        cells: dict[str, Cell] = {
            **self._asdict(),
            "query": self.item.id,
            "content": self.item.content,
            "share": self.n_positive / self.n_edge,
        }
        return [cells[column.key] for column in columns]


class Deepening(NamedTuple):
    """A pool to the ranks below the deepest ones judged.

    n_listed : the first of the queries, which it is of
    n_pairs : its pairs without a label, to 10 ranks below the deepest of these queries
    n_waiting : further ones, about which an open pool asks already
    pace : of judging a new pair, as in pool forms and plans
    """

    n_listed: int
    n_pairs: int
    n_waiting: int
    pace: JudgingPace

    @property
    def hours(self) -> float:
        """The time that its labels take."""
        return self.pace.hours(self.n_pairs)

    def notes(self, n_queries: int, n_added: int, noun: str) -> list[str]:
        """Sentences on its pairs and hours; n_added : pairs of all queries, each to its own depth.

        noun : of the queries
        """
        notes = []
        owners = f"the first {self.n_listed:,} {noun}" if self.n_listed < n_queries else ""
        verb = "waits" if self.n_waiting == 1 else "wait"
        if self.n_waiting and not self.n_pairs:
            notes.append(
                f"Nothing is left to pool down to {STEP} ranks below the deepest of "
                f"{owners or f'these {noun}'}: "
                f"{counted(self.n_waiting, 'pair')} there {verb} for labels in an open pool."
            )
        if self.n_pairs:
            notes.append(
                f"{STEP} ranks more of each of these {noun} are {counted(n_added, 'pair')} to "
                "add; a pool has one depth for all of them, the largest, and so "
                f"{counted(self.n_pairs, 'pair')}{f' of {owners}' if owners else ''}: "
                f"{self.hours:,.1f} hours ({self.pace.text})."
            )
            if self.n_waiting:
                pairs = counted(self.n_waiting, "further pair")
                notes.append(f"{pairs} there {verb} in an open pool already, and are not counted.")
        return notes

    def form_notes(self, n_queries: int, noun: str) -> list[str]:
        """Sentences on the form of such a pool, for those who may make one."""
        notes = []
        if self.n_pairs:
            notes.append(
                f"The button opens the form of a pool with the runs, that depth and {noun} in a "
                "list."
            )
        if self.n_listed < n_queries:
            notes.append(
                f"For {noun} after the first {self.n_listed:,} of these {n_queries:,}, paste ids "
                "from the CSV into the form."
            )
        return notes


def edges_result(
    queries: Sequence[SaturatedQuery],
    shares: tuple[EdgeShare, EdgeShare, EdgeShare, EdgeShare],
    *,
    runs: PooledRuns,
    n_with_edge: int,
    deepening: Deepening,
    nouns: Nouns,
) -> AnalysisResult:
    """A row for each saturated query, those with the most positives at the edge first.

    shares : of all pairs at the edge, of those of one run, of those of several; and of all pairs
        that one run alone brought
    n_with_edge : queries with a graded pair there
    """
    whole, single, several, all_single = shares
    notes = [*runs.notes]
    if runs.has_singles:
        notes += [
            f"Of {counted(part.n, 'pair')} at the edge that {origin} brought, "
            f"{share_text(part.share, part.interval)} are positive."
            for part, origin in ((single, runs.single), (several, runs.several))
            if part.share is not None
        ]
    notes += deepening.notes(len(queries), sum(row.n_added for row in queries), nouns.queries)
    if len(queries) > MOST_QUERIES:
        notes.append(f"The first {MOST_QUERIES:,} of {len(queries):,} {nouns.queries} are listed.")
    label = f"Deepen these: {counted(deepening.n_pairs, 'pair')}, {deepening.hours:,.1f} h"
    columns = runs.columns
    return AnalysisResult(
        headline=_headline(whole, len(queries), n_with_edge, nouns) + single_part(all_single, runs),
        reading=(
            "The edge is the last quarter of the ranks down to which these runs' results were "
            f"judged, query by query. Listed are {nouns.queries} with half of their graded pairs "
            "there positive, or more: deeper ranks are likely to hold others that count as "
            "irrelevant until somebody judges them. Of few pairs a share says little."
            + (SINGLES_READING if runs.has_singles else "")
        ),
        extent=f"{counted(whole.n, 'pair')} with a grade at the edge of {n_with_edge:,} of "
        f"{nouns.extent}",
        columns=columns,
        rows=[query.row(columns) for query in queries[:MOST_QUERIES]],
        notes=[*nouns.notes, *notes],
        next_label=label if deepening.n_pairs else "",
        next_notes=deepening.form_notes(len(queries), nouns.queries),
    )


def single_part(part: EdgeShare, runs: PooledRuns) -> str:
    """The share of positives of the pairs that one run alone brought, as a part of a headline.

    Empty for a single run, which brought all of them alone.
    """
    if not runs.has_singles:
        return ""
    if part.n < FEWEST or part.share is None:
        verb = "is" if part.n_positive == 1 else "are"
        return (
            f"; {part.n_positive:,} of {counted(part.n, 'pair')} of {runs.single} {verb} positive"
        )
    return (
        f"; of all {part.n:,} pairs that {runs.single} brought "
        f"{share_text(part.share, part.interval)} are positive"
    )


def _headline(whole: EdgeShare, n_saturated: int, n_with_edge: int, nouns: Nouns) -> str:
    part = f"in {n_saturated:,} of {count_of(n_with_edge, nouns.queries)} at least half of them are"
    if whole.n < FEWEST or whole.share is None:
        return (
            f"{whole.n_positive:,} of only {counted(whole.n, 'pair')} at the deepest ranks judged "
            f"{'is' if whole.n_positive == 1 else 'are'} positive; {part}"
        )
    return (
        f"At the deepest ranks judged {share_text(whole.share, whole.interval)} of the pairs are "
        f"positive; {part}"
    )
