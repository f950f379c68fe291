"""What the researcher's leaderboard shows: FIRE's Table 1 from what is stored; nothing is measured here.

A table is a view that the background makes (leaderboard_views) of one state of the labels: the usual one of the stored
scores, every other by measuring. While there is none yet, the usual one is made of the stored scores, without decided
differences.
"""

from datetime import datetime
from typing import Any, NamedTuple

from annotate.models import Collection, Direction, QuerySet
from annotate.services.background.workers import worker_is_missing
from metrics.charts import Chart
from metrics.core.groups import Design
from metrics.core.label_sources import LabelSource
from metrics.core.measures import parse_one
from metrics.leaderboard_charts import Dot, score_dots
from metrics.models import BoardView, Score, Snapshot
from metrics.services.labels import scope_of
from metrics.services.leaderboard_cells import (
    Absent,
    Cell,
    Column,
    interval_words,
    measure_scale,
    median_design,
    rough_words,
    unit_of,
)
from metrics.services.leaderboard_decisions import Decision, decision, headline, notes
from metrics.services.leaderboard_measuring import group_facts
from metrics.services.leaderboard_stored import kept_ends, unbounded
from metrics.services.leaderboard_wanted import JUDGED, THESE, Choices
from metrics.services.query_groups import GroupFacts, facts_from
from metrics.services.sample_estimates import Kind, told
from metrics.services.sampled_pools import has_samples
from pooling.models import Run

SATURATED = 95.0  # per cent: above it little is left to tell runs apart by (FIRE: C@10 at 95.7)
Facts = dict[str, Any]


class Row(NamedTuple):
    """One run: a cell a measure, the share of its top ten that is judged in per cent, the queries it misses.

    facts : what each cell says, as it was measured: shares from 0 to 1, all digits
    is_older : its file came before the last target joined, so that it cannot have ranked all of them
    """

    run: Run
    cells: list[Cell | Absent | None]
    judged: float | None
    n_missing: int
    facts: list[Facts | None]
    is_older: bool


class Ranked(NamedTuple):
    """How many targets were ranked, and when the last of them joined the collection, where that was written down."""

    n: int
    joined_at: datetime | None


class Table(NamedTuple):
    """The runs of one direction on one query set, the best by the first measure first.

    groups : which queries belong together; None while nobody has looked
    undrawn : pairs that samples left undrawn and that have no label, and the pools; None where there are none
    is_of_these : whether intervals are of these very queries, not of others like these
    kinds : what each measure is on those samples, by its name: "exact", "unbiased", "approximate", "not estimable"
    gallery : what they are ranked among; None until a refresh has counted it
    n_positive : pairs of the queries that the label source calls positive; None while nobody has counted them
    saturated : names of measures with the best run's score, where it is nearly all there is
    charts : one a measure
    """

    direction: Direction
    query_set: QuerySet
    n_queries: int
    n_positive: int | None
    groups: GroupFacts | None
    gallery: Ranked | None
    rows: list[Row]
    decisions: list[Decision]
    saturated: list[tuple[str, float]]
    charts: list[Chart]
    undrawn: Facts | None
    kinds: dict[str, str]
    is_of_these: bool

    @property
    def undrawn_text(self) -> str:
        """What is said of pairs that no sample drew; empty where there are none."""
        return told(self.undrawn, self.kinds, self.sources) if self.undrawn else ""

    @property
    def columns(self) -> list[Column]:
        """The measures."""
        return [Column(name, unit_of(parse_one(name)), kind) for name, kind in self.kinds.items()]

    def of_kind(self, kind: str) -> list[str]:
        """The names of the measures that are of a kind on samples."""
        return [name for name, own in self.kinds.items() if own == kind]

    @property
    def headline(self) -> str:
        """Who leads by the first measure, and whom nothing tells apart from it."""
        cells = [(row.run, row.cells[0]) for row in self.rows]
        best = next((cell.whole for _, cell in cells if isinstance(cell, Cell)), None)
        leaders = [run for run, cell in cells if isinstance(cell, Cell) and cell.whole == best]
        return headline(leaders, self.decisions[0]) if self.decisions and best else ""

    @property
    def missing_text(self) -> str:
        """What is said of queries that runs miss."""
        missing = [row.n_missing for row in self.rows if row.n_missing]
        how_many = f"{len(missing):,} of {len(self.rows):,} runs miss some, up to {max(missing):,}" if missing else ""
        one = "query" if self.direction == Direction.FORWARD else "document"
        return f"a {one} that a run misses counts 0 ({how_many or 'no run misses any'})"

    @property
    def has_q(self) -> bool:
        """Whether the scores of some measure are all 0 or 1, so that there is Cochran's Q."""
        return any(each.q_text for each in self.decisions)

    @property
    def decision_notes(self) -> list[str]:
        """How differences were tested, a sentence each."""
        return notes(self.decisions, over=self.sources_text, unit=self.drawn)

    @property
    def without_positive(self) -> str:
        """What is said of queries to which the label source gives no positive; empty where there are none."""
        counts = [(facts or {}).get("n_defined") for row in self.rows for facts in row.facts]
        n = self.n_queries - max((count for count in counts if count is not None), default=self.n_queries)
        if n == 1:
            return f"1 of the {self.sources} without a positive, which counts 0 and has no first rank"
        return f"{n:,} {self.sources} without a positive, which count 0 and have no first rank" if n else ""

    @property
    def sources(self) -> str:
        """What is retrieved with, as the page calls it."""
        return "queries" if self.direction == Direction.FORWARD else "documents"

    @property
    def sources_text(self) -> str:
        """How many there are, and of how many groups: "27,763 captions of 670 videos"."""
        return self.groups.text if self.groups else f"{self.n_queries:,} {self.sources}"

    @property
    def interval_text(self) -> str:
        """What the interval beneath a score is, or why there is none."""
        told = {"n_queries": self.n_queries, "sources": self.sources, "is_of_these": self.is_of_these}
        return interval_words(groups=self.groups, **told)

    @property
    def caution(self) -> str:
        """What is said of rough intervals, once: of few queries or groups, else of few successes or failures."""
        told = {"groups": self.groups, "kinds": self.kinds, "is_of_these": self.is_of_these}
        return "" if self.says_nothing else rough_words(rows=[row.cells for row in self.rows], **told)

    @property
    def says_nothing(self) -> bool:
        """Whether no pair is positive by the labels, and every score counts 0 for that."""
        cells = [cell for row in self.rows for cell in row.cells]
        return self.n_positive == 0 and not any(isinstance(cell, Cell) and cell.whole for cell in cells)

    @property
    def drawn(self) -> str:
        """What is taken for independent."""
        return self.groups.drawn if self.groups else self.sources

    @property
    def designs(self) -> list[Design]:
        """A measure each, the medians over the runs; empty where no queries belong together."""
        if self.groups is None or self.groups.are_single:
            return []
        return [median_design([row.cells[place] for row in self.rows]) for place in range(len(self.charts))]

    @property
    def targets(self) -> str:
        """What is ranked, as the page calls it."""
        return "documents" if self.direction == Direction.FORWARD else "queries"


class Leaderboard(NamedTuple):
    """The page. `waiting` are runs that have no scores yet; `is_coming` : what the background still has to compute."""

    choices: Choices
    columns: list[Column]
    tables: list[Table]
    conflicts: list[Facts]
    waiting: list[Run]
    worker_missing: bool
    is_coming: bool
    is_stale: bool
    computed_at: datetime | None

    @property
    def without_bounds(self) -> str:
        """Which measures have no bounds beside their scores, and why; empty where all have them."""
        return unbounded([column.name for column in self.columns], is_stored=self.choices.is_stored)

    @property
    def has_rows(self) -> bool:
        """Whether any run has scores."""
        return any(table.rows for table in self.tables)

    @property
    def label_source(self) -> LabelSource:
        """What counts as a label."""
        return self.choices.source

    @property
    def can_compare(self) -> bool:
        """Whether some direction has two runs."""
        return any(len(table.rows) > 1 for table in self.tables)


def leaderboard_of(*, choices: Choices, collection: Collection, view: BoardView | None, version: str) -> Leaderboard:
    """The leaderboard as it was asked for; five queries, and some a direction while there is no view.

    view : what the background computed, if it did; version : of the labels at present
    """
    wanted = choices.wanted
    scores = _scores(collection, choices) if choices.is_stored and view is None else []
    directions = {row["query_set"]: row for row in view.value["directions"]} if view else {}
    facts = [_facts(row, scores, directions.get(row.pk)) for row in _sets(choices)]
    for row, each in zip(_sets(choices), facts, strict=True):
        if each["runs"] and view is None:
            each["groups"] = group_facts(collection=collection, scope=scope_of(query_set=row))
    if view is None and choices.is_stored and has_samples(collection=collection):
        for each in facts:  # what can be said of each measure is known once there is a view
            each["undrawn"] = {"pools": [], "sets": [], "n": None}
            for cell in each["cells"].values():
                cell.update(dict.fromkeys(("low", "high", "least", "most")))
    known = [(row, each) for row, each in zip(_sets(choices), facts, strict=True) if each["runs"]]
    scored = {pk for _, each in known for pk in each["runs"]}
    return Leaderboard(
        choices=choices,
        columns=[Column(name, unit_of(parse_one(name))) for name in wanted.measures],
        tables=[_table(row, choices, each) for row, each in known],
        conflicts=_conflicts(collection, choices.source, view),
        waiting=[run for run in choices.runs if run.pk not in scored] if choices.is_stored or view else [],
        worker_missing=worker_is_missing(),
        is_coming=view is None and bool(choices.runs),
        is_stale=view is not None and view.version != version,
        computed_at=view.computed_at if view else None,
    )


def _sets(choices: Choices) -> list[QuerySet]:
    return [row for row in choices.query_sets if row.name == choices.wanted.query_set]


def _scores(collection: Collection, choices: Choices) -> list[dict[str, Any]]:
    """The scores of the usual page, without their values a query: those are long."""
    scores = Score.objects.filter(
        run__in=choices.wanted.runs,
        run__collection=collection,
        query_set__name=choices.wanted.query_set,
        threshold=choices.wanted.threshold,
        label_source__in=choices.source.with_reference,
    )
    fields = ("mean", "mean_with_positive", "low", "high", "n_queries", "n_missing", "n_with_positive", "best")
    return list(scores.values("run", "query_set", "label_source", "measure", "n_gallery", "gallery_at", *fields))


def _facts(query_set: QuerySet, scores: list[dict[str, Any]], view: Facts | None) -> Facts:
    """One direction's numbers by run and measure, of the view, or of the stored scores while there is none."""
    found: Facts = {"runs": {}, "cells": {}, "n_queries": 0, "n_positive": None, "measures": [], "groups": None}
    found["undrawn"] = view.get("undrawn") if view else None
    found["gallery"] = {"n": None, "at": None}
    if view:
        found |= {"measures": view["measures"], "n_positive": view["n_positive"], "groups": view.get("groups")}
        found["gallery"] = view.get("gallery") or found["gallery"]
        found["n_queries"] = view["n_queries"]
        for place, pk in enumerate(view["runs"]):
            found["runs"][pk] = {"judged": view["judged"][place], "n_missing": view["n_missing"][place]}
            found["cells"] |= {(pk, each["name"]): each["cells"][place] for each in view["measures"]}
    for score in scores:
        if score["query_set"] == query_set.pk:
            _lay_over(found, score, LabelSource.parse(score["label_source"]))
    return found


def _lay_over(found: Facts, score: Facts, source: LabelSource) -> None:
    key = score["run"], score["measure"]
    if not source.has_people:
        found["cells"][key] = found["cells"].get(key, {}) | {"reference": score["mean"]}
        return
    found["n_queries"] = score["n_queries"]
    found["gallery"] = {"n": score["n_gallery"], "at": score["gallery_at"]}
    if score["measure"] == JUDGED:
        found["runs"][score["run"]] = {"judged": score["mean"], "n_missing": score["n_missing"]}
    names = {
        "mean": "whole",
        "low": "low",
        "high": "high",
        "mean_with_positive": "defined",
        "n_with_positive": "n_defined",
    }
    own = {new: score[old] for old, new in names.items()} | kept_ends(score["measure"], score)
    found["cells"][key] = found["cells"].get(key, {}) | own


def _table(query_set: QuerySet, choices: Choices, facts: Facts) -> Table:
    direction = Direction(query_set.direction)
    runs = [run for run in choices.runs if run.pk in facts["runs"]]
    decisions = {each["name"]: decision(each, runs) for each in facts["measures"]}
    measures = list(choices.wanted.measures)
    rows = best_first([_row(run, choices, facts, decisions) for run in runs], 0, measures[0])
    charts = [_dots(best_first(rows, place, name), place, name, direction) for place, name in enumerate(measures)]
    ordered = [decisions[name] for name in choices.wanted.measures if name in decisions]
    counts = facts["n_queries"], facts["n_positive"]
    ranked = facts_from(facts["groups"]), _gallery(facts["gallery"])
    kinds = dict.fromkeys(measures, str(Kind.EXACT)) | {each["name"]: each["kind"] for each in facts["measures"]}
    parts = rows, ordered, _saturated(rows, kinds), charts, facts["undrawn"], kinds, choices.wanted.target == THESE
    return Table(direction, query_set, *counts, *ranked, *parts)


def best_first(rows: list[Row], place: int, measure: str) -> list[Row]:
    """The rows by one of their cells, those without a score last; of equal ones by name."""
    sign = 1 if parse_one(measure).entry.smaller_is_better else -1

    def key(row: Row) -> tuple[bool, float, str]:
        cell = row.cells[place]
        return (False, sign * cell.whole, row.run.name) if isinstance(cell, Cell) else (True, 0.0, row.run.name)

    return sorted(rows, key=key)


def _dots(rows: list[Row], place: int, measure: str, direction: Direction) -> Chart:
    scale, dots = measure_scale(parse_one(measure)), []
    for row in rows:
        cell, facts = row.cells[place], row.facts[place]
        if isinstance(cell, Cell) and facts:
            reference = facts.get("reference")  # the cell's is rounded, so that what is printed adds up
            own = None if reference is None else scale * reference
            dots.append(Dot(row.run.name, cell.whole, own, cell.low, cell.high))
    return score_dots(
        dots,
        measure=measure,
        unit=unit_of(parse_one(measure)),
        id=f"scores-{direction}-{place + 1}",
        title=f"{measure}, {direction.label.lower()}",
    )


def _gallery(facts: Facts) -> Ranked | None:
    at = facts["at"]
    return None if facts["n"] is None else Ranked(facts["n"], datetime.fromisoformat(at) if isinstance(at, str) else at)


def _row(run: Run, choices: Choices, facts: Facts, decisions: dict[str, Decision]) -> Row:
    own = facts["runs"][run.pk]
    cells = []
    for name in choices.wanted.measures:
        known = facts["cells"].get((run.pk, name))
        cells.append(_cell(known, run, measure_scale(parse_one(name)), decisions.get(name)) if known else None)
    judged = None if own["judged"] is None else 100 * own["judged"]
    known_facts = [facts["cells"].get((run.pk, name)) for name in choices.wanted.measures]
    gallery = _gallery(facts["gallery"])
    is_older = bool(gallery and gallery.joined_at and run.created_at < gallery.joined_at)
    return Row(run, cells, judged, own["n_missing"], known_facts, is_older)


def _cell(facts: Facts, run: Run, scale: float, decision: Decision | None) -> Cell | Absent | None:
    if facts.get("beyond") is not None:
        return Absent(f"n/a beyond {facts['beyond']:,}")
    if decision is None:
        return Cell.of(facts, scale=scale)
    return Cell.of(facts, scale=scale, group=decision.group_of(run), letters=decision.letters.get(run.pk, ()))


def _saturated(rows: list[Row], kinds: dict[str, str]) -> list[tuple[str, float]]:
    found = []
    for place, (name, kind) in enumerate(kinds.items()):
        best = max((row.cells[place].whole for row in rows if row.cells[place]), default=0.0)  # type: ignore[union-attr]
        if kind == Kind.EXACT and measure_scale(parse_one(name)) == 100 and best >= SATURATED:
            found.append((name, best))
    return found


def _conflicts(collection: Collection, source: LabelSource, view: BoardView | None) -> list[Facts]:
    """How often people and each chosen reference set differ, in the order of the key; as of the view if there is one.

    equal : the share of pairs with both grades on which they are the same, in per cent; None without such a pair
    """
    if view is not None:
        value = view.value.get("conflicts")
    else:
        value = Snapshot.objects.filter(collection=collection, kind="conflicts").values_list("value", flat=True).first()
    by_name = {row["name"]: row for row in value["references"]} if value else {}
    rows = [by_name[name] | {"threshold": value["threshold"]} for name in source.sets if name in by_name]
    return [row | {"equal": 100 * row["n_equal"] / row["n_both"] if row["n_both"] else None} for row in rows]
