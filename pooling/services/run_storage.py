"""From the rows of a run file to Ranking rows: ids resolved in bulk, one row a source item."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.formats import Problems
from annotate.models import Direction, Item, Side
from pooling.core.ids import lookup
from pooling.core.run_files import ReadRun, describe, rank_file, refuse_odd_ids
from pooling.core.runs import Canonical
from pooling.models import Run
from pooling.services.run_reports import SHOWN, RunReport, Strangers

SIDES = {Direction.FORWARD: (Side.QUERY, Side.DOCUMENT), Direction.REVERSE: (Side.DOCUMENT, Side.QUERY)}
_COPY = "COPY pooling_ranking (run_id, source_id, targets, scores) FROM STDIN"


class Known(NamedTuple):
    """The items of one side: ids in UTF-8, keys, and which are judged at all (split test, not excluded).

    ids, keys : (K,); eligible : (K + 1,), the last one False
    """

    ids: NDArray[np.bytes_]
    keys: NDArray[np.int64]
    eligible: NDArray[np.bool_]


class Placed(NamedTuple):
    """The rows whose two items are known and eligible, in canonical order.

    source, target : (K,) places in the two sides' Known, sources in stretches; score : (K,)
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    score: NDArray[np.float64]


def store_rankings(*, run: Run, read: ReadRun, problems: Problems) -> RunReport:
    """Write the run's rankings and say what was found; faults become problems, then nothing is written.

    To be called in the transaction that makes the run ready.
    """
    order = rank_file(read, score_type=run.score_type, name=run.file_name, problems=problems)
    if order is None or problems:
        return RunReport()
    sources, targets = (_known(run, side) for side in SIDES[Direction(run.direction)])
    source_at = lookup(read.run.queries, sources.ids)
    target_at = lookup(read.run.docs, targets.ids)
    refuse_odd_ids(read, np.flatnonzero(target_at < 0), run.file_name, problems)
    report = RunReport(n_rows=len(target_at), n_queries=len(source_at))
    report.unknown_sources = _strangers(read.run.queries[source_at < 0])
    report.unknown_targets = _strangers(_distinct(read.run.docs[target_at < 0]))
    source_at = source_at[read.run.query]
    known = (source_at >= 0) & (target_at >= 0)
    kept = known & sources.eligible[source_at] & targets.eligible[target_at]
    rows = order.order[kept[order.order]]
    score = -read.run.ranks.astype(np.float64) if run.score_type == Run.ScoreType.RANK else read.run.scores
    placed = Placed(source_at[rows], target_at[rows], score[rows])
    if not problems:
        _copy(run, placed, sources, targets)
    _describe(report, read, order, n_kept=len(rows), n_dropped=int(np.count_nonzero(known)) - len(rows))
    missing = sources.eligible[:-1].copy()
    missing[placed.source] = False
    report.missing = _strangers(sources.ids[missing])
    return report


def _known(run: Run, side: Side) -> Known:
    items = Item.objects.filter(collection=run.collection_id, side=side).order_by("pk")
    rows = items.values_list("external_id", "pk", "split", "excluded_at")
    ids, keys, eligible = [], [], []
    for external_id, pk, split, excluded_at in rows.iterator(chunk_size=20_000):
        ids.append(external_id.encode())
        keys.append(pk)
        eligible.append(split == "test" and excluded_at is None)
    return Known(
        np.array(ids, dtype=np.bytes_) if ids else np.empty(0, "S1"),
        np.array(keys, dtype=np.int64),
        # The one more is for unknown items: their place is -1, the last.
        np.array([*eligible, False], dtype=bool),
    )


def _distinct(ids: NDArray[np.bytes_]) -> NDArray[np.bytes_]:
    """Ids in the order of their first rows."""
    found, first = np.unique(ids, return_index=True)
    return found[np.argsort(first)]


def _strangers(ids: NDArray[np.bytes_]) -> Strangers:
    return Strangers(n=len(ids), first=[each.decode() for each in ids[:SHOWN].tolist()])


def _describe(report: RunReport, read: ReadRun, order: Canonical, *, n_kept: int, n_dropped: int) -> None:
    figures = describe(read, order)
    report.n_kept, report.n_dropped = n_kept, n_dropped
    report.shallowest, report.median_depth, report.deepest = figures.shallowest, figures.median_depth, figures.deepest
    report.ties, report.n_misranked = figures.ties, figures.misranked


def _copy(run: Run, placed: Placed, sources: Known, targets: Known) -> None:
    """Write one Ranking a source with COPY: a run of thousands of queries in one statement."""
    starts = np.flatnonzero(np.diff(placed.source, prepend=-1))
    ends = np.append(starts, len(placed.source))[1:]
    keys = targets.keys[placed.target]
    with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            copy.write_row(
                (
                    run.pk,
                    int(sources.keys[placed.source[start]]),
                    _array(map(str, keys[start:end].tolist())),
                    _array(map(repr, placed.score[start:end].tolist())),
                )
            )


def _array(values: Iterable[str]) -> str:
    """An array as PostgreSQL writes it."""
    return "{" + ",".join(values) + "}"
