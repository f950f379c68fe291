"""Measuring runs for a leaderboard somebody asked for: values a query, bounds, judged shares, decided differences."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core import measures, ranking
from metrics.core.alignment import RankedGrades
from metrics.core.bounds import bounds, has_bounds
from metrics.core.drawn import Draw, drawn_intervals
from metrics.core.groups import Design, Groups, design
from metrics.core.intervals import NOTHING, Interval, mean_intervals
from metrics.core.label_sources import Grades, LabelSource
from metrics.core.measures import Measure
from metrics.services import labels, measuring
from metrics.services.labels import Ids, Scope
from metrics.services.leaderboard_decisions import ALPHA, decided
from metrics.services.leaderboard_labels import Known, known_labels
from metrics.services.leaderboard_wanted import THESE, Wanted
from metrics.services.query_groups import GroupFacts, draw_of, facts_of, groups_of
from metrics.services.ranks import KeptMatrix, matrix_of, ranked_and_held, sources_at_once
from metrics.services.sample_estimates import Kind, on_samples
from metrics.services.sampled_pools import Undrawn, undrawn_of
from pooling.models import Run

_UNDECIDED = {
    Kind.APPROXIMATE: "an approximate estimate, whose bias tells no runs apart",
    Kind.NOT_ESTIMABLE: "it counts what a sample did not draw as irrelevant",
}
JUDGED_AT = 10  # where a measure has no cut-off of its own
Matrix = NDArray[np.float64]
Tell = Callable[[int], None]


class Asked(NamedTuple):
    """One direction of what is asked for.

    draw : how the queries were drawn of others, where intervals are to be of those; else None
    """

    collection: Collection
    wanted: Wanted
    query_set: QuerySet
    scope: Scope
    groups: Groups
    group_facts: GroupFacts
    known: Known
    undrawn: Undrawn
    best_grade: int
    draw: Draw | None

    @property
    def measures(self) -> list[Measure]:
        """The measures by their names."""
        return measures.parse(" ".join(self.wanted.measures))


class Values(NamedTuple):
    """One run's values: all (M, Q) but for the (Q,) masks.

    whole : with the label source; reference : with the reference alone
    least, most : the ends between which `whole` lies whatever the unjudged targets that the run returned, and the
        unjudged pairs of the pools, turn out to be; NaN of measures without
    judged : (M + 1, Q) share of the first k that is judged, k the measure's cut-off or 10; the last row has k = 10
    has_positive : which queries have a positive target; depth : how many targets the run holds for each
    """

    whole: Matrix
    reference: Matrix | None
    least: Matrix
    most: Matrix
    judged: Matrix
    has_positive: NDArray[np.bool_]
    depth: NDArray[np.int64]

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which queries the run does not hold."""
        return self.depth == 0


def asked_of(*, collection: Collection, wanted: Wanted, query_set: QuerySet) -> Asked:
    """The queries and labels of one direction."""
    whole = labels.scope_of(query_set=query_set)
    scope, known = known_labels(collection=collection, wanted=wanted, scope=whole)
    best = max(labels.best_grade(collection=collection), wanted.threshold)
    told = {"direction": scope.direction, "sources": scope.sources, "whole": whole.sources}
    groups, facts = groups_of(collection=collection, **told), facts_of(collection=collection, **told)
    source = LabelSource.parse(wanted.label_source)
    undrawn = undrawn_of(collection=collection, scope=scope, labelled=known.whole, source=source)
    is_whole = wanted.target == THESE and len(scope.sources) == len(whole.sources)
    draw = draw_of(collection=collection, direction=scope.direction, sources=scope.sources) if is_whole else None
    return Asked(collection, wanted, query_set, scope, groups, facts, known, undrawn, best, draw)


def values_of(*, asked: Asked, run: Run) -> Values:
    """Measure one run; its rankings are read in chunks."""
    n_queries = len(asked.scope.sources)
    matrix = matrix_of(run)
    step = sources_at_once(matrix=matrix, most=measuring.CHUNK)
    parts = (asked.scope.sources[start : start + step] for start in range(0, n_queries, step))
    chunks = [_chunk(asked, run, matrix, sources) for sources in parts]
    if not chunks:
        nothing = np.zeros((len(asked.measures) + 1, 0))
        reference = None if asked.known.reference is None else nothing[1:]
        no_one, depth = np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64)
        return Values(nothing[1:], reference, nothing[1:], nothing[1:], nothing, no_one, depth)
    return Values(*(None if part[0] is None else np.concatenate(part, axis=-1) for part in zip(*chunks, strict=True)))


def _chunk(asked: Asked, run: Run, matrix: KeptMatrix | None, sources: Ids) -> Values:
    threshold, known = asked.wanted.threshold, asked.known
    grades = [known.whole] if known.reference is None else [known.whole, known.reference]
    tables = [measuring.labels_by_place(table, sources) for table in grades]
    pooled = measuring.labels_by_place(known.unjudged, sources)
    (whole, *reference), held = ranked_and_held(
        run=run, matrix=matrix, scope=asked.scope, sources=sources, tables=tables, pairs=pooled
    )
    elsewhere = np.bincount(pooled.query, minlength=len(sources)) - held

    def values(ranked: RankedGrades, labels: Grades) -> Matrix:
        found = measures.evaluate(measures.with_scale(asked.measures, labels.grade), ranked, threshold)
        return np.array([found[measure.name] for measure in asked.measures], dtype=np.float64)

    scaled = measures.with_scale(asked.measures, known.whole.grade)
    ends = [_ends(asked, measure, whole, elsewhere) for measure in scaled]
    judged = {k: ranking.judged(whole, k=k) for k in {JUDGED_AT, *map(judged_at, asked.measures)}}
    return Values(
        whole=values(whole, known.whole),
        reference=values(reference[0], grades[1]) if reference else None,
        least=np.array([low for low, _ in ends]),
        most=np.array([high for _, high in ends]),
        judged=np.array([judged[k] for k in [*map(judged_at, asked.measures), JUDGED_AT]]),
        has_positive=ranking.positives(whole, threshold).total > 0,
        depth=whole.depth,
    )


def _ends(
    asked: Asked, measure: Measure, ranked: RankedGrades, elsewhere: Ids
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not has_bounds(measure):
        nothing = np.full(len(ranked.depth), np.nan)
        return nothing, nothing
    told = {"best_grade": asked.best_grade, "threshold": asked.wanted.threshold}
    return bounds(measure, ranked, elsewhere=elsewhere, **told)


def judged_at(measure: Measure) -> int:
    """The k of the judged share beside a measure."""
    has_ranks = measure.cutoff is not None and measure.entry.cutoff != "recall"
    return int(measure.cutoff) if has_ranks and measure.cutoff else JUDGED_AT


def summary(*, asked: Asked, runs: Sequence[Run], tell: Tell, alpha: float = ALPHA) -> dict[str, Any]:
    """All that a page says of one direction, as JSON. alpha : at which it is tested which runs differ"""
    found = []
    for number, run in enumerate(runs, start=1):
        found.append(values_of(asked=asked, run=run))
        tell(number)
    shown, kinds = [run.pk for run in runs], put_estimates(asked=asked, runs=runs, found=found)
    gallery = labels.gallery_of(query_set=asked.query_set, scope=asked.scope)
    missed = np.array([values.is_missing for values in found]).T
    return {
        "query_set": asked.query_set.pk,
        "n_queries": len(asked.scope.sources),
        "n_positive": int(np.count_nonzero(asked.known.whole.grade >= asked.wanted.threshold)),
        "gallery": gallery_facts(gallery.n, gallery.at),
        "groups": asked.group_facts._asdict(),
        "undrawn": asked.undrawn.facts(),
        "runs": shown,
        "n_missing": [int(np.count_nonzero(values.is_missing)) for values in found],
        "judged": [_average(None, values.judged[-1], asked.groups) for values in found],
        "measures": [
            of_sample(
                {
                    "name": measure.name,
                    "judged_at": judged_at(measure),
                    "smaller_is_better": measure.entry.smaller_is_better,
                    "cells": _cells(asked, measure, row, found, kind),
                    "decided": decided(
                        measure,
                        np.array([values.whole[row] for values in found]).T,
                        shown,
                        groups=asked.groups,
                        method=asked.wanted.method,
                        alpha=alpha,
                        missing=asked.wanted.missing,
                        missed=missed,
                        n_measures=len(asked.measures),
                    ),
                },
                kind=kind,
            )
            for row, (measure, kind) in enumerate(zip(asked.measures, kinds, strict=True))
        ],
    }


def put_estimates(*, asked: Asked, runs: Sequence[Run], found: Sequence[Values]) -> list[Kind]:
    """What each measure is on samples; estimates are put in place of values that count the undrawn as irrelevant."""
    estimated = on_samples(
        collection=asked.collection,
        scope=asked.scope,
        labelled=asked.known.whole,
        reference=asked.known.reference,
        undrawn=asked.undrawn,
        runs=runs,
        measures=asked.measures,
        threshold=asked.wanted.threshold,
    )
    for values, own in zip(found, estimated.values, strict=True):
        for row, estimate in own.items():
            values.whole[row] = estimate
    return estimated.kinds


def of_sample(facts: dict[str, Any], *, kind: Kind) -> dict[str, Any]:
    """A measure's facts: without what cannot be said where some of its ranks were not drawn."""
    facts |= {"kind": kind}
    if kind == Kind.EXACT:
        return facts
    nothing = dict.fromkeys(("least", "most", "defined"))
    if kind == Kind.UNBIASED:
        decided = facts["decided"]
        if any(cell["whole"] is None for cell in facts["cells"]):
            decided = {"why": "a stratum of which nothing is judged yet", "groups": [], "pairs": []}
        return facts | {"cells": [cell | nothing for cell in facts["cells"]], "decided": decided}
    nothing |= dict.fromkeys(("low", "high", "icc", "deff"))
    decided = {"why": _UNDECIDED[kind], "groups": [], "pairs": []}
    return facts | {"cells": [cell | nothing for cell in facts["cells"]], "decided": decided}


def gallery_facts(n: int | None, at: datetime | None) -> dict[str, Any]:
    """What was ranked, as JSON: how many targets, and when the last of them joined."""
    return {"n": n, "at": at.isoformat() if at else None}


def group_facts(*, collection: Collection, scope: Scope) -> dict[str, Any]:
    """Which queries belong together, as JSON."""
    return facts_of(collection=collection, direction=scope.direction, sources=scope.sources)._asdict()


def design_facts(measure: Measure, values: NDArray[np.float64], groups: Groups) -> dict[str, float | None]:
    """Intraclass correlation and design effect of one run's values, as JSON; null of a median, and where undefined."""
    is_defined = measure.is_mean and np.isfinite(values).all()
    return (design(values, groups) if is_defined else Design(None, None))._asdict()


def _cells(asked: Asked, measure: Measure, row: int, found: list[Values], kind: Kind) -> list[dict[str, Any]]:
    """One cell a run; what is not defined is null."""
    intervals, cells = _intervals(asked, measure, np.array([each.whole[row] for each in found]), kind), []
    groups = asked.groups
    for each, (low, high) in zip(found, intervals, strict=True):
        cells.append(
            {
                "whole": _average(measure, each.whole[row], groups),
                "reference": None if each.reference is None else _average(measure, each.reference[row], groups),
                "low": low,
                "high": high,
                "least": _average(measure, each.least[row], groups),
                "most": _average(measure, each.most[row], groups),
                "judged": _average(None, each.judged[row], groups),
                "defined": _average(measure, each.whole[row][each.has_positive], groups.within(each.has_positive)),
                "n_defined": int(np.count_nonzero(each.has_positive)),
                "beyond": _beyond(measure, each, row, groups),
                **design_facts(measure, each.whole[row], asked.groups),
            }
        )
    return cells


def _intervals(asked: Asked, measure: Measure, values: Matrix, kind: Kind) -> list[Interval]:
    """An interval a run; none of a median, and of values that are not all defined. values : (S, Q)"""
    if not measure.is_mean or not len(values):
        return [NOTHING] * len(values)
    if asked.wanted.target == THESE:
        if asked.draw is None or kind != Kind.EXACT:
            return [NOTHING] * len(values)
        return drawn_intervals(values, asked.draw, are_shares=measure.is_share)
    are_shares = measure.is_share and kind == Kind.EXACT  # a query's estimate may lie outside 0 to 1
    return mean_intervals(values, are_shares=are_shares, groups=asked.groups)


def _average(measure: Measure | None, values: NDArray[np.float64], groups: Groups) -> float | None:
    if not len(values):
        return None
    average = float(groups.mean(values)) if measure is None else measure.average(values, weight=groups.weight)
    return average if np.isfinite(average) else None


def _beyond(measure: Measure, values: Values, row: int, groups: Groups) -> int | None:
    """Where the run's lists end, if the measure needs a rank beyond that; else None."""
    needs_more = bool(len(values.depth)) and np.isinf(measure.average(values.whole[row], weight=groups.weight))
    return int(values.depth.max()) if needs_more else None
