"""The researcher's leaderboard: FIRE's Table 1 from stored numbers; nothing is measured here.

A table is a view that the background computes (leaderboard_cache) from one state of the labels: the
usual one from the stored scores, every other one by measuring. Until there is a view, the usual
table is built from the stored scores, without tested differences.
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
    AbsentScore,
    MeasureColumn,
    ScoreCell,
    interval_description,
    measure_scale,
    median_design,
    rough_interval_warning,
    unit_of,
)
from metrics.services.leaderboard_choices import JUDGED, THESE, Choices
from metrics.services.leaderboard_decisions import MeasureDecision, decision, headline, notes
from metrics.services.leaderboard_measuring import group_facts
from metrics.services.leaderboard_scores import measures_without_bounds, stored_bounds
from metrics.services.query_groups import GroupFacts, facts_from
from metrics.services.sample_estimates import EstimateKind, undrawn_sentences
from metrics.services.sampled_pools import has_samples
from pooling.models import Run

SATURATED = 95.0  # per cent: above it little is left to tell runs apart by (FIRE: C@10 at 95.7)
Facts = dict[str, Any]


class LeaderboardRow(NamedTuple):
    """One run: a cell per measure, the judged per cent of its top ten, its missing queries.

    facts : the numbers of each cell as they were measured: shares from 0 to 1, all digits
    is_older : its file came before the last target joined, so it cannot have ranked all of them
    """

    run: Run
    cells: list[ScoreCell | AbsentScore | None]
    judged: float | None
    n_missing: int
    facts: list[Facts | None]
    is_older: bool


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
    gallery : the targets that were ranked; None until a refresh has counted them
    n_positive : pairs of the queries that the label source calls positive; None until counted
    saturated : names of measures with the best run's score, if it is close to the maximum
    charts : one per measure
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
    kinds: dict[str, str]
    is_of_these_queries: bool

    @property
    def undrawn_text(self) -> str:
        """Sentences about the pairs that no sample drew; empty if there are none."""
        return undrawn_sentences(self.undrawn, self.kinds, self.sources) if self.undrawn else ""

    @property
    def columns(self) -> list[MeasureColumn]:
        """The columns of the table, one per measure."""
        return [MeasureColumn(name, unit_of(parse_one(name)), kind) for name, kind in self.kinds.items()]

    def of_kind(self, kind: str) -> list[str]:
        """Return the names of the measures of one EstimateKind."""
        return [name for name, measure_kind in self.kinds.items() if measure_kind == kind]

    @property
    def headline(self) -> str:
        """The leading run by the first measure, and the runs not separated from it."""
        cells = [(row.run, row.cells[0]) for row in self.rows]
        best = next((cell.whole for _, cell in cells if isinstance(cell, ScoreCell)), None)
        leaders = [run for run, cell in cells if isinstance(cell, ScoreCell) and cell.whole == best]
        return headline(leaders, self.decisions[0]) if self.decisions and best else ""

    @property
    def missing_text(self) -> str:
        """A sentence about the queries that runs miss."""
        missing = [row.n_missing for row in self.rows if row.n_missing]
        extent = f"{len(missing):,} of {len(self.rows):,} runs miss some, up to {max(missing):,}" if missing else ""
        source_noun = "query" if self.direction == Direction.FORWARD else "document"
        return f"a {source_noun} that a run misses counts 0 ({extent or 'no run misses any'})"

    @property
    def has_q(self) -> bool:
        """True if the scores of some measure are all 0 or 1, so that there is Cochran's Q."""
        return any(decision.q_text for decision in self.decisions)

    @property
    def decision_notes(self) -> list[str]:
        """Sentences on how the differences were tested."""
        return notes(self.decisions, over=self.sources_text, unit=self.sampling_units)

    @property
    def without_positive(self) -> str:
        """A phrase on the queries without a positive by the label source; empty if none."""
        counts = [(facts or {}).get("n_defined") for row in self.rows for facts in row.facts]
        n = self.n_queries - max((count for count in counts if count is not None), default=self.n_queries)
        if n == 1:
            return f"1 of the {self.sources} without a positive, which counts 0 and has no first rank"
        return f"{n:,} {self.sources} without a positive, which count 0 and have no first rank" if n else ""

    @property
    def sources(self) -> str:
        """The noun for the source items: "queries" or "documents"."""
        return "queries" if self.direction == Direction.FORWARD else "documents"

    @property
    def sources_text(self) -> str:
        """The number of source items and of their groups: "27,763 captions of 670 videos"."""
        return self.groups.text if self.groups else f"{self.n_queries:,} {self.sources}"

    @property
    def interval_text(self) -> str:
        """The meaning of the interval beneath a score, or the reason why there is none."""
        arguments = {"n_queries": self.n_queries, "sources": self.sources, "is_of_these_queries": self.is_of_these_queries}
        return interval_description(groups=self.groups, **arguments)

    @property
    def caution(self) -> str:
        """A warning of rough intervals: few queries or groups, else few successes or failures."""
        arguments = {"groups": self.groups, "kinds": self.kinds, "is_of_these_queries": self.is_of_these_queries}
        return "" if self.is_uninformative else rough_interval_warning(rows=[row.cells for row in self.rows], **arguments)

    @property
    def is_uninformative(self) -> bool:
        """True if no pair is positive by the labels, so that every score is 0."""
        cells = [cell for row in self.rows for cell in row.cells]
        return self.n_positive == 0 and not any(isinstance(cell, ScoreCell) and cell.whole for cell in cells)

    @property
    def sampling_units(self) -> str:
        """The noun for the independent units: the queries, or their groups."""
        return self.groups.sampling_units if self.groups else self.sources

    @property
    def designs(self) -> list[Design]:
        """Design effects per measure, medians over runs; empty if no queries belong together."""
        if self.groups is None or self.groups.are_single:
            return []
        return [median_design([row.cells[column] for row in self.rows]) for column in range(len(self.charts))]

    @property
    def targets(self) -> str:
        """The noun for the ranked items: "documents" or "queries"."""
        return "documents" if self.direction == Direction.FORWARD else "queries"


class Leaderboard(NamedTuple):
    """The leaderboard page; is_pending : True until the background has computed the view."""

    choices: Choices
    columns: list[MeasureColumn]
    tables: list[LeaderboardTable]
    conflicts: list[Facts]
    unscored_runs: list[Run]
    worker_missing: bool
    is_pending: bool
    is_stale: bool
    computed_at: datetime | None

    @property
    def without_bounds(self) -> str:
        """The measures without bounds, and the reason; empty if all have bounds."""
        return measures_without_bounds([column.name for column in self.columns], is_stored=self.choices.is_stored)

    @property
    def has_rows(self) -> bool:
        """True if any run has scores."""
        return any(table.rows for table in self.tables)

    @property
    def label_source(self) -> LabelSource:
        """The label source of all scores on the page."""
        return self.choices.source

    @property
    def can_compare(self) -> bool:
        """True if some direction has two runs."""
        return any(len(table.rows) > 1 for table in self.tables)


def leaderboard_of(*, choices: Choices, collection: Collection, view: BoardView | None, version: str) -> Leaderboard:
    """Build the requested leaderboard; five queries, and some per direction until there is a view.

    view : the last one that the background computed; version : of the labels at present
    """
    spec = choices.spec
    scores = _scores(collection, choices) if choices.is_stored and view is None else []
    directions = {direction["query_set"]: direction for direction in view.value["directions"]} if view else {}
    all_facts = [_facts(query_set, scores, directions.get(query_set.pk)) for query_set in _query_sets(choices)]
    for query_set, facts in zip(_query_sets(choices), all_facts, strict=True):
        if facts["runs"] and view is None:
            facts["groups"] = group_facts(collection=collection, scope=scope_of(query_set=query_set))
    if view is None and choices.is_stored and has_samples(collection=collection):
        for facts in all_facts:  # the view will tell the kind of each measure
            facts["undrawn"] = {"pools": [], "sets": [], "n": None}
            for cell in facts["cells"].values():
                cell.update(dict.fromkeys(("low", "high", "least", "most")))
    scored_sets = [(query_set, facts) for query_set, facts in zip(_query_sets(choices), all_facts, strict=True) if facts["runs"]]
    scored_runs = {pk for _, facts in scored_sets for pk in facts["runs"]}
    return Leaderboard(
        choices=choices,
        columns=[MeasureColumn(name, unit_of(parse_one(name))) for name in spec.measures],
        tables=[_table(query_set, choices, facts) for query_set, facts in scored_sets],
        conflicts=_conflicts(collection, choices.source, view),
        unscored_runs=[run for run in choices.runs if run.pk not in scored_runs] if choices.is_stored or view else [],
        worker_missing=worker_is_missing(),
        is_pending=view is None and bool(choices.runs),
        is_stale=view is not None and view.version != version,
        computed_at=view.computed_at if view else None,
    )


def _query_sets(choices: Choices) -> list[QuerySet]:
    return [query_set for query_set in choices.query_sets if query_set.name == choices.spec.query_set]


def _scores(collection: Collection, choices: Choices) -> list[dict[str, Any]]:
    """The scores of the usual page, without their values per query: those are long."""
    scores = Score.objects.filter(
        run__in=choices.spec.runs,
        run__collection=collection,
        query_set__name=choices.spec.query_set,
        threshold=choices.spec.threshold,
        label_source__in=choices.source.with_reference,
    )
    fields = ("mean", "mean_with_positive", "low", "high", "n_queries", "n_missing", "n_with_positive", "best")
    return list(scores.values("run", "query_set", "label_source", "measure", "n_gallery", "gallery_at", *fields))


def _facts(query_set: QuerySet, scores: list[dict[str, Any]], view: Facts | None) -> Facts:
    """One direction's numbers by run and measure, from the view, else from the stored scores."""
    facts: Facts = {"runs": {}, "cells": {}, "n_queries": 0, "n_positive": None, "measures": [], "groups": None}
    facts["undrawn"] = view.get("undrawn") if view else None
    facts["gallery"] = {"n": None, "at": None}
    if view:
        facts |= {"measures": view["measures"], "n_positive": view["n_positive"], "groups": view.get("groups")}
        facts["gallery"] = view.get("gallery") or facts["gallery"]
        facts["n_queries"] = view["n_queries"]
        for position, pk in enumerate(view["runs"]):
            facts["runs"][pk] = {"judged": view["judged"][position], "n_missing": view["n_missing"][position]}
            facts["cells"] |= {(pk, measure["name"]): measure["cells"][position] for measure in view["measures"]}
    for score in scores:
        if score["query_set"] == query_set.pk:
            _add_stored_score(facts, score, LabelSource.parse(score["label_source"]))
    return facts


def _add_stored_score(facts: Facts, score: Facts, source: LabelSource) -> None:
    key = score["run"], score["measure"]
    if not source.has_people:
        facts["cells"][key] = facts["cells"].get(key, {}) | {"reference": score["mean"]}
        return
    facts["n_queries"] = score["n_queries"]
    facts["gallery"] = {"n": score["n_gallery"], "at": score["gallery_at"]}
    if score["measure"] == JUDGED:
        facts["runs"][score["run"]] = {"judged": score["mean"], "n_missing": score["n_missing"]}
    names = {
        "mean": "whole",
        "low": "low",
        "high": "high",
        "mean_with_positive": "defined",
        "n_with_positive": "n_defined",
    }
    cell_facts = {new: score[old] for old, new in names.items()} | stored_bounds(score["measure"], score)
    facts["cells"][key] = facts["cells"].get(key, {}) | cell_facts


def _table(query_set: QuerySet, choices: Choices, facts: Facts) -> LeaderboardTable:
    direction = Direction(query_set.direction)
    runs = [run for run in choices.runs if run.pk in facts["runs"]]
    decisions = {measure_facts["name"]: decision(measure_facts, runs) for measure_facts in facts["measures"]}
    measures = list(choices.spec.measures)
    rows = best_first([_row(run, choices, facts, decisions) for run in runs], 0, measures[0])
    charts = [_score_chart(best_first(rows, column, name), column, name, direction) for column, name in enumerate(measures)]
    ordered = [decisions[name] for name in choices.spec.measures if name in decisions]
    counts = facts["n_queries"], facts["n_positive"]
    groups_and_gallery = facts_from(facts["groups"]), _gallery(facts["gallery"])
    kinds = dict.fromkeys(measures, str(EstimateKind.EXACT)) | {measure_facts["name"]: measure_facts["kind"] for measure_facts in facts["measures"]}
    parts = rows, ordered, _saturated(rows, kinds), charts, facts["undrawn"], kinds, choices.spec.target == THESE
    return LeaderboardTable(direction, query_set, *counts, *groups_and_gallery, *parts)


def best_first(rows: list[LeaderboardRow], column: int, measure: str) -> list[LeaderboardRow]:
    """Sort the rows by one column, rows without a score last; equal ones by name."""
    sign = 1 if parse_one(measure).entry.smaller_is_better else -1

    def key(row: LeaderboardRow) -> tuple[bool, float, str]:
        cell = row.cells[column]
        return (False, sign * cell.whole, row.run.name) if isinstance(cell, ScoreCell) else (True, 0.0, row.run.name)

    return sorted(rows, key=key)


def _score_chart(rows: list[LeaderboardRow], column: int, measure: str, direction: Direction) -> Chart:
    scale, dots = measure_scale(parse_one(measure)), []
    for row in rows:
        cell, facts = row.cells[column], row.facts[column]
        if isinstance(cell, ScoreCell) and facts:
            reference = facts.get("reference")  # the cell's is rounded, so that the printed numbers add up
            scaled_reference = None if reference is None else scale * reference
            dots.append(Dot(row.run.name, cell.whole, scaled_reference, cell.low, cell.high))
    return score_dots(
        dots,
        measure=measure,
        unit=unit_of(parse_one(measure)),
        id=f"scores-{direction}-{column + 1}",
        title=f"{measure}, {direction.label.lower()}",
    )


def _gallery(facts: Facts) -> GallerySize | None:
    at = facts["at"]
    return None if facts["n"] is None else GallerySize(facts["n"], datetime.fromisoformat(at) if isinstance(at, str) else at)


def _row(run: Run, choices: Choices, facts: Facts, decisions: dict[str, MeasureDecision]) -> LeaderboardRow:
    run_numbers = facts["runs"][run.pk]
    cells = []
    for name in choices.spec.measures:
        cell_facts = facts["cells"].get((run.pk, name))
        cells.append(_cell(cell_facts, run, measure_scale(parse_one(name)), decisions.get(name)) if cell_facts else None)
    judged = None if run_numbers["judged"] is None else 100 * run_numbers["judged"]
    run_facts = [facts["cells"].get((run.pk, name)) for name in choices.spec.measures]
    gallery = _gallery(facts["gallery"])
    is_older = bool(gallery and gallery.joined_at and run.created_at < gallery.joined_at)
    return LeaderboardRow(run, cells, judged, run_numbers["n_missing"], run_facts, is_older)


def _cell(facts: Facts, run: Run, scale: float, decision: MeasureDecision | None) -> ScoreCell | AbsentScore | None:
    if facts.get("beyond") is not None:
        return AbsentScore(f"n/a beyond {facts['beyond']:,}")
    if decision is None:
        return ScoreCell.of(facts, scale=scale)
    return ScoreCell.of(facts, scale=scale, group=decision.group_of(run), letters=decision.letters.get(run.pk, ()))


def _saturated(rows: list[LeaderboardRow], kinds: dict[str, str]) -> list[tuple[str, float]]:
    saturated = []
    for column, (name, kind) in enumerate(kinds.items()):
        best = max((row.cells[column].whole for row in rows if row.cells[column]), default=0.0)  # type: ignore[union-attr]
        if kind == EstimateKind.EXACT and measure_scale(parse_one(name)) == 100 and best >= SATURATED:
            saturated.append((name, best))
    return saturated


def _conflicts(collection: Collection, source: LabelSource, view: BoardView | None) -> list[Facts]:
    """Count how often people and each chosen reference set differ, as of the view if there is one.

    equal : per cent of the pairs with both grades that have the same; None without such pairs
    """
    if view is not None:
        value = view.value.get("conflicts")
    else:
        value = Snapshot.objects.filter(collection=collection, kind="conflicts").values_list("value", flat=True).first()
    by_name = {row["name"]: row for row in value["references"]} if value else {}
    rows = [by_name[name] | {"threshold": value["threshold"]} for name in source.sets if name in by_name]
    return [row | {"equal": 100 * row["n_equal"] / row["n_both"] if row["n_both"] else None} for row in rows]
