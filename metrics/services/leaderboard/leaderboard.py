"""The researcher's leaderboard: FIRE's Table 1 from stored numbers; nothing is measured here.

A table is a view that the background computes (computation.py) from one state of the labels: the
usual one from the stored scores, every other one by measuring. Until there is a view, the usual
table is built from the stored scores, without tested differences.
"""

from datetime import datetime
from typing import Any, NamedTuple

from annotate.models import Collection, Direction, Kept, QuerySet
from metrics.charts.charts import Chart
from metrics.charts.leaderboard import Dot, score_dots
from metrics.core.labels.label_sources import LabelSource
from metrics.core.measures.measures import parse_one
from metrics.models import Score, Snapshot
from metrics.services.leaderboard.ceilings import Ceiling, with_ceiling
from metrics.services.leaderboard.cells import (
    AbsentScore,
    MeasureColumn,
    ScoreCell,
    measure_scale,
    unit_of,
)
from metrics.services.leaderboard.choices.choices import JUDGED, THESE, Choices
from metrics.services.leaderboard.decisions import MeasureDecision, decision
from metrics.services.leaderboard.facts import group_facts
from metrics.services.leaderboard.known_truth import TruthScores
from metrics.services.leaderboard.stored_scores import measures_without_bounds, stored_bounds
from metrics.services.leaderboard.tables import (
    BestRuns,
    Facts,
    GallerySize,
    LeaderboardRow,
    LeaderboardTable,
)
from metrics.services.numbers.lateness import Lateness, are_old, lateness_of
from metrics.services.samples.estimates import EstimateKind
from metrics.services.samples.pools import has_samples
from metrics.services.scores.labels import scope_of
from metrics.services.scores.query_groups import facts_from
from pooling.models import Run

SATURATED = 95.0  # per cent: above it little is left to tell runs apart by (FIRE: C@10 at 95.7)


class Leaderboard(NamedTuple):
    """The leaderboard page; is_pending : True until the background has computed the view."""

    choices: Choices
    columns: list[MeasureColumn]
    tables: list[LeaderboardTable]
    conflicts: list[Facts]
    unscored_runs: list[Run]
    late: Lateness | None
    is_pending: bool
    is_stale: bool
    computed_at: datetime | None
    truth: TruthScores | None = None

    @property
    def is_old(self) -> bool:
        """True where newer numbers are due and these are a minute old."""
        return self.is_stale and are_old(self.computed_at)

    def with_ceiling(self, ceiling: Ceiling | None) -> "Leaderboard":
        """The same with the ceiling of people beneath each table; without one as it is."""
        if ceiling is None:
            return self
        return self._replace(tables=[with_ceiling(table, ceiling) for table in self.tables])

    def with_truth(self, truth: TruthScores | None) -> "Leaderboard":
        """The same with the true score beneath each score; without a known truth as it is."""
        if truth is None:
            return self
        return self._replace(truth=truth, tables=[truth.beside(table) for table in self.tables])

    @property
    def without_bounds(self) -> str:
        """The measures without bounds, and the reason; empty if all have bounds."""
        return measures_without_bounds(
            [column.name for column in self.columns], is_stored=self.choices.is_stored
        )

    @property
    def protocol_text(self) -> str:
        """The protocol of these choices, and how far its published numbers are of as many queries.

        Empty without one.
        """
        fit = self.choices.protocol
        if fit is None:
            return ""
        n_here = sorted(table.n_queries for table in self.tables if table.rows)
        if len(n_here) < len(Direction) or n_here == list(fit.protocol.n_published):
            return fit.text
        here = " and ".join(f"{n:,}" for n in n_here)
        return (
            f"{fit.text} Published numbers are over {fit.published_text} queries of the two "
            f"directions, these over {here}."
        )

    @property
    def unscored_text(self) -> str:
        """The runs without scores; empty if all have some."""
        names = ", ".join(run.name for run in self.unscored_runs)
        return f"Not scored yet: {names}." if names else ""

    @property
    def has_rows(self) -> bool:
        """True if any run has scores."""
        return any(table.rows for table in self.tables)

    @property
    def label_source(self) -> LabelSource:
        """The label source of all scores on the page."""
        return self.choices.source

    @property
    def best_runs(self) -> BestRuns | None:
        """The best two of the first direction that has two; None without one."""
        return next(filter(None, (table.best_runs for table in self.tables)), None)


def leaderboard_of(
    *, choices: Choices, collection: Collection, view: Kept | None, version: str
) -> Leaderboard:
    """Build the requested leaderboard; five queries, and some per direction until there is a view.

    view : the last one that the background computed; version : of the labels at present
    """
    spec = choices.spec
    scores = _scores(collection, choices) if choices.is_stored and view is None else []
    directions = {}
    if view:
        directions = {direction["query_set"]: direction for direction in view.value["directions"]}
    all_facts = [
        _facts(query_set, scores, directions.get(query_set.pk))
        for query_set in _query_sets(choices)
    ]
    for query_set, facts in zip(_query_sets(choices), all_facts, strict=True):
        if facts["runs"] and view is None:
            facts["groups"] = group_facts(
                collection=collection, scope=scope_of(query_set=query_set)
            )
    if view is None and choices.is_stored and has_samples(collection=collection):
        for facts in all_facts:  # the view will tell the kind of each measure
            facts["undrawn"] = {"pools": [], "sets": [], "n": None}
            for cell in facts["cells"].values():
                cell.update(dict.fromkeys(("low", "high", "least", "most")))
    scored_sets = [
        (query_set, facts)
        for query_set, facts in zip(_query_sets(choices), all_facts, strict=True)
        if facts["runs"]
    ]
    scored_runs = {pk for _, facts in scored_sets for pk in facts["runs"]}
    return Leaderboard(
        choices=choices,
        columns=[MeasureColumn(name, unit_of(parse_one(name))) for name in spec.measures],
        tables=[_table(query_set, choices, facts) for query_set, facts in scored_sets],
        conflicts=_conflicts(collection, choices.source, view),
        unscored_runs=[run for run in choices.runs if run.pk not in scored_runs]
        if choices.is_stored or view
        else [],
        late=lateness_of(collection=collection),
        is_pending=view is None and bool(choices.runs),
        is_stale=view.version != version if view else bool(scored_sets) and not version,
        computed_at=view.computed_at if view else None,
    )


def _query_sets(choices: Choices) -> list[QuerySet]:
    return [
        query_set for query_set in choices.query_sets if query_set.name == choices.spec.query_set
    ]


def _scores(collection: Collection, choices: Choices) -> list[dict[str, Any]]:
    """The scores of the usual page, without their values per query: those are long."""
    scores = Score.objects.filter(
        run__in=choices.spec.runs,
        run__collection=collection,
        query_set__name=choices.spec.query_set,
        threshold=choices.spec.threshold,
        label_source__in=choices.source.with_reference,
    )
    fields = (
        "mean",
        "mean_with_positive",
        "low",
        "high",
        "n_queries",
        "n_missing",
        "n_with_positive",
        "best",
    )
    return list(
        scores.values(
            "run", "query_set", "label_source", "measure", "n_gallery", "gallery_at", *fields
        )
    )


def _facts(query_set: QuerySet, scores: list[dict[str, Any]], view: Facts | None) -> Facts:
    """One direction's numbers by run and measure, from the view, else from the stored scores."""
    facts: Facts = {
        "runs": {},
        "cells": {},
        "n_queries": 0,
        "n_positive": None,
        "measures": [],
        "groups": None,
    }
    facts["undrawn"] = view.get("undrawn") if view else None
    facts["n_propagated"] = view.get("n_propagated", 0) if view else 0
    facts["gallery"] = {"n": None, "at": None}
    if view:
        facts |= {
            "measures": view["measures"],
            "n_positive": view["n_positive"],
            "groups": view.get("groups"),
        }
        facts["gallery"] = view.get("gallery") or facts["gallery"]
        facts["n_queries"] = view["n_queries"]
        for position, pk in enumerate(view["runs"]):
            facts["runs"][pk] = {
                "judged": view["judged"][position],
                "n_missing": view["n_missing"][position],
            }
            facts["cells"] |= {
                (pk, measure["name"]): measure["cells"][position] for measure in view["measures"]
            }
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
    cell_facts = {new: score[old] for old, new in names.items()} | stored_bounds(
        score["measure"], score
    )
    facts["cells"][key] = facts["cells"].get(key, {}) | cell_facts


def _table(query_set: QuerySet, choices: Choices, facts: Facts) -> LeaderboardTable:
    direction = Direction(query_set.direction)
    runs = [run for run in choices.runs if run.pk in facts["runs"]]
    decisions = {
        measure_facts["name"]: decision(measure_facts, runs) for measure_facts in facts["measures"]
    }
    measures = list(choices.spec.measures)
    rows = best_first([_row(run, choices, facts, decisions) for run in runs], 0, measures[0])
    charts = [
        _score_chart(best_first(rows, column, name), column, name, direction)
        for column, name in enumerate(measures)
    ]
    kinds = dict.fromkeys(measures, str(EstimateKind.EXACT)) | {
        measure_facts["name"]: measure_facts["kind"] for measure_facts in facts["measures"]
    }
    return LeaderboardTable(
        direction=direction,
        query_set=query_set,
        n_queries=facts["n_queries"],
        n_positive=facts["n_positive"],
        groups=facts_from(facts["groups"]),
        gallery=_gallery(facts["gallery"]),
        rows=rows,
        decisions=[decisions[name] for name in measures if name in decisions],
        saturated=_saturated(rows, kinds),
        charts=charts,
        undrawn=facts["undrawn"],
        n_propagated=facts["n_propagated"],
        kinds=kinds,
        is_of_these_queries=choices.spec.target == THESE,
    )


def best_first(rows: list[LeaderboardRow], column: int, measure: str) -> list[LeaderboardRow]:
    """Sort the rows by one column, rows without a score last; equal ones by name."""
    sign = 1 if parse_one(measure).entry.smaller_is_better else -1

    def key(row: LeaderboardRow) -> tuple[bool, float, str]:
        cell = row.cells[column]
        if isinstance(cell, ScoreCell):
            return False, sign * cell.whole, row.run.name
        return True, 0.0, row.run.name

    return sorted(rows, key=key)


def _score_chart(
    rows: list[LeaderboardRow], column: int, measure: str, direction: Direction
) -> Chart:
    scale, dots = measure_scale(parse_one(measure)), []
    for row in rows:
        cell, facts = row.cells[column], row.facts[column]
        if isinstance(cell, ScoreCell) and facts:
            # the cell's is rounded, so that the printed numbers add up
            reference = facts.get("reference")
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
    if facts["n"] is None:
        return None
    at = facts["at"]
    return GallerySize(facts["n"], datetime.fromisoformat(at) if isinstance(at, str) else at)


def _row(
    run: Run, choices: Choices, facts: Facts, decisions: dict[str, MeasureDecision]
) -> LeaderboardRow:
    run_numbers = facts["runs"][run.pk]
    cells = []
    for name in choices.spec.measures:
        cell_facts = facts["cells"].get((run.pk, name))
        cells.append(
            _cell(cell_facts, run, measure_scale(parse_one(name)), decisions.get(name))
            if cell_facts
            else None
        )
    judged_percent = None if run_numbers["judged"] is None else 100 * run_numbers["judged"]
    run_facts = [facts["cells"].get((run.pk, name)) for name in choices.spec.measures]
    gallery = _gallery(facts["gallery"])
    is_older = bool(gallery and gallery.joined_at and run.created_at < gallery.joined_at)
    return LeaderboardRow(run, cells, judged_percent, run_numbers["n_missing"], run_facts, is_older)


def _cell(
    facts: Facts, run: Run, scale: float, decision: MeasureDecision | None
) -> ScoreCell | AbsentScore | None:
    if facts.get("beyond") is not None:
        return AbsentScore(f"n/a beyond {facts['beyond']:,}")
    if decision is None:
        return ScoreCell.of(facts, scale=scale)
    return ScoreCell.of(
        facts, scale=scale, group=decision.group_of(run), letters=decision.letters.get(run.pk, ())
    )


def _saturated(rows: list[LeaderboardRow], kinds: dict[str, str]) -> list[tuple[str, float]]:
    best_values = []
    for column, (name, kind) in enumerate(kinds.items()):
        cells = [row.cells[column] for row in rows]
        best = max((cell.whole for cell in cells if isinstance(cell, ScoreCell)), default=0.0)
        if (
            kind == EstimateKind.EXACT
            and measure_scale(parse_one(name)) == 100
            and best >= SATURATED
        ):
            best_values.append((name, best))
    return best_values


def _conflicts(collection: Collection, source: LabelSource, view: Kept | None) -> list[Facts]:
    """Count how often people and each chosen reference set differ, as of the view if there is one.

    equal : per cent of the pairs with both grades that have the same; None without such pairs
    """
    if view is not None:
        value = view.value.get("conflicts")
    else:
        value = (
            Snapshot.objects.filter(collection=collection, kind="conflicts")
            .values_list("value", flat=True)
            .first()
        )
    by_name = {row["name"]: row for row in value["references"]} if value else {}
    rows = [
        by_name[name] | {"threshold": value["threshold"]} for name in source.sets if name in by_name
    ]
    return [
        row | {"equal": 100 * row["n_equal"] / row["n_both"] if row["n_both"] else None}
        for row in rows
    ]
