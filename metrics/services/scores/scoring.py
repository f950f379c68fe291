"""Scores of runs: only queries whose labels changed are measured again, others keep their values.

A score is a pure function of its values per query; a patched score and one computed from scratch
are the same bytes.
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from annotate.models import Collection, Direction, QuerySet
from annotate.statements import prepared_cursor
from metrics.core.labels.label_sources import LabelSource, kept_sources
from metrics.core.statistics.intervals import mean_intervals
from metrics.models import Score
from metrics.services.scores import labels, measuring
from metrics.services.scores.labels import EvaluationScope, Ids
from metrics.services.scores.measuring import BOUNDED, N_POSITIVE, NAMES, Board, ValueTable
from metrics.services.scores.query_groups import groups_of
from pooling.models import Run

RULES = "5"  # changes when the same labels and rankings would give other numbers
Key = tuple[int, str, str]  # the run, the key of the label source, the measure
# runs whose intervals are computed together; their values per query are in memory together
RUNS_AT_ONCE = 8


UNIQUE = ("run_id", "query_set_id", "label_source", "measure", "threshold")
COLUMNS = (
    *UNIQUE,
    "mean",
    "mean_with_positive",
    "low",
    "high",
    "best",
    "n_queries",
    "n_missing",
    "n_with_positive",
    "n_gallery",
    "gallery_at",
    "per_query",
    "per_query_best",
    "inputs_sha256",
)
_UPSERT = f"""
    INSERT INTO metrics_score ({", ".join(COLUMNS)}, computed_at)
    VALUES ({", ".join(["%s"] * len(COLUMNS))}, statement_timestamp())
    ON CONFLICT ({", ".join(UNIQUE)}) DO UPDATE SET
        {", ".join(f"{name} = excluded.{name}" for name in COLUMNS[len(UNIQUE) :])},
        computed_at = statement_timestamp()
"""  # noqa: S608 - own names


class LabelChanges(NamedTuple):
    """The labels that may have changed: all, or those of (n, 2) pairs of query and document."""

    everything: bool
    pairs: Ids

    def positions(self, scope: EvaluationScope) -> Ids:
        """Return positions in the scope's sources of the queries to measure again."""
        if self.everything:
            return np.arange(len(scope.sources))
        sources = self.pairs[:, 0 if scope.direction == Direction.FORWARD else 1]
        return np.flatnonzero(np.isin(scope.sources, sources))


class RunsToMeasure(NamedTuple):
    """Runs to measure on some queries of a board, by their positions, under its label sources."""

    board: Board
    positions: Ids
    runs: list[Run]


def scored_runs(*, collection: Collection) -> list[Run]:
    """Return the runs that have scores: those in use."""
    return list(Run.objects.in_use().filter(collection=collection).order_by("pk"))


def runs_without_scores() -> list[int]:
    """Return collections with a run in use that has no score although its direction has queries."""
    unscored_runs = Run.objects.in_use().filter(scores=None)
    unscored_runs = unscored_runs.filter(collection__query_sets__direction=F("direction"))
    return sorted(set(unscored_runs.values_list("collection_id", flat=True)))


def update_scores(*, collection: Collection, changes: LabelChanges) -> int:
    """Bring every score of the collection up to date; return how many changed."""
    runs = scored_runs(collection=collection)
    truth = labels.truth_source(collection=collection)
    sources = kept_sources(labels.set_names(collection=collection)) + ([truth] if truth else [])
    scores = Score.objects.filter(run__collection=collection)
    current_scores = scores.filter(
        run__in=runs,
        threshold=collection.positive_from,
        measure__in=NAMES,
        label_source__in=[source.key for source in sources],
    )
    n_changed, _ = scores.exclude(pk__in=current_scores.values("pk")).delete()
    for query_set in QuerySet.objects.filter(collection=collection).order_by("pk"):
        direction_runs = [run for run in runs if run.direction == query_set.direction]
        if direction_runs:
            board = board_of(collection=collection, query_set=query_set, sources=sources)
            n_changed += _update(board, direction_runs, changes)
    return n_changed


def board_of(*, collection: Collection, query_set: QuerySet, sources: list[LabelSource]) -> Board:
    """Return the ground on which runs are measured at present; some queries."""
    scope = labels.scope_of(query_set=query_set)
    gallery = labels.gallery_of(query_set=query_set, scope=scope)
    groups = groups_of(collection=collection, direction=scope.direction, sources=scope.sources)
    best = labels.best_grade(collection=collection)
    return Board(collection, query_set, scope, gallery, groups, sources, best)


def fresh_scores(*, board: Board, runs: list[Run]) -> Iterator[Score]:
    """Measure runs of the board's direction from scratch by the present labels; store nothing.

    Yields the scores of run after run, each label source after the other, in the order of NAMES.
    """
    positions = np.arange(len(board.scope.sources))
    grades = measuring.read_grades(board=board, positions=positions)
    for start in range(0, len(runs), RUNS_AT_ONCE):
        scores = [
            (_score(board, table, row, _digest(board, table, row)), table.values[row])
            for run in runs[start : start + RUNS_AT_ONCE]
            for table in measuring.measure(board=board, run=run, grades=grades, positions=positions)
            for row in range(len(NAMES))
        ]
        _add_intervals(scores, board)
        yield from (score for score, _ in scores)


def _update(board: Board, runs: list[Run], changes: LabelChanges) -> int:
    # without their long values per query
    scores = Score.objects.filter(query_set=board.query_set, run__in=runs).defer(
        "per_query", "per_query_best"
    )
    stored_scores = {(score.run_id, score.label_source, score.measure): score for score in scores}
    n_changed = 0
    for batch in _runs_to_measure(board, runs, stored_scores, changes):
        grades = measuring.read_grades(board=batch.board, positions=batch.positions)
        for start in range(0, len(batch.runs), RUNS_AT_ONCE):
            tables = [
                _patched(board, table, stored_scores, batch.positions)
                for run in batch.runs[start : start + RUNS_AT_ONCE]
                for table in measuring.measure(
                    board=batch.board, run=run, grades=grades, positions=batch.positions
                )
            ]
            n_changed += _write(board, tables, stored_scores)
    return n_changed


def _key(run: Run, source: LabelSource, measure: str) -> Key:
    return run.pk, source.key, measure


def _runs_to_measure(
    board: Board, runs: list[Run], stored_scores: dict[Key, Score], changes: LabelChanges
) -> Iterator[RunsToMeasure]:
    """Yield the runs to measure anew on all queries, and those to measure on the changed ones."""
    n_queries = len(board.scope.sources)

    def is_whole(run: Run) -> bool:
        scores = (
            stored_scores.get(_key(run, source, name)) for source in board.sources for name in NAMES
        )
        return all(
            score and score.n_queries == n_queries and _is_ranked_among(score, board)
            for score in scores
        )

    complete_runs = [run for run in runs if is_whole(run)]
    new_runs = [run for run in runs if run not in complete_runs]
    if new_runs:
        yield RunsToMeasure(board, np.arange(n_queries), new_runs)
    positions = changes.positions(board.scope)
    if complete_runs and len(positions):
        # People's labels do not change scores that are measured with a reference alone.
        changed_sources = [
            source for source in board.sources if changes.everything or source.has_people
        ]
        yield RunsToMeasure(board._replace(sources=changed_sources), positions, complete_runs)


def _is_ranked_among(score: Score, board: Board) -> bool:
    return (score.n_gallery, score.gallery_at) == (board.gallery.n, board.gallery.at)


def _patched(
    board: Board, table: ValueTable, stored_scores: dict[Key, Score], positions: Ids
) -> ValueTable:
    """Return the table over all queries: the stored values, and over them the new ones."""
    n_queries = len(board.scope.sources)
    if len(positions) == n_queries:
        return table
    keys = {
        stored_scores[_key(table.run, table.source, name)].pk: row for row, name in enumerate(NAMES)
    }
    whole, best = np.empty((len(NAMES), n_queries)), np.empty((len(BOUNDED), n_queries))
    rows = Score.objects.filter(pk__in=keys).values_list("pk", "per_query", "per_query_best")
    for pk, per_query, per_query_best in rows:
        whole[keys[pk]] = np.frombuffer(per_query, dtype="<f8")
        if per_query_best is not None and keys[pk] < len(BOUNDED):  # other measures had one once
            best[keys[pk]] = np.frombuffer(per_query_best, dtype="<f8")
    whole[:, positions] = table.values
    if table.best is not None:
        best[:, positions] = table.best
    n_missing = stored_scores[_key(table.run, table.source, N_POSITIVE)].n_missing
    return ValueTable(
        table.run, table.source, whole, None if table.best is None else best, n_missing
    )


def _write(board: Board, tables: list[ValueTable], stored_scores: dict[Key, Score]) -> int:
    """Store the scores whose inputs or gallery changed; intervals are computed for those alone."""
    changed_scores = []
    for table in tables:
        for row, name in enumerate(NAMES):
            old_score = stored_scores.get(_key(table.run, table.source, name))
            inputs_sha256 = _digest(board, table, row)
            if (
                old_score is None
                or old_score.inputs_sha256 != inputs_sha256
                or not _is_ranked_among(old_score, board)
            ):
                changed_scores.append((_score(board, table, row, inputs_sha256), table.values[row]))
    if not changed_scores:
        return 0
    _add_intervals(changed_scores, board)
    rows = [[getattr(score, name) for name in COLUMNS] for score, _ in changed_scores]
    # Bound parameters take half as long as values in the text.
    with prepared_cursor() as cursor:
        cursor.executemany(_UPSERT, rows)
    return len(changed_scores)


def _add_intervals(scores: list[tuple[Score, NDArray[np.float64]]], board: Board) -> None:
    """Set the ends of the intervals of scores, each with its values per query."""
    intervals = mean_intervals(
        np.array([values for _, values in scores]),
        are_shares=[score.measure != N_POSITIVE for score, _ in scores],
        groups=board.groups,
    )
    for (score, _), ends in zip(scores, intervals, strict=True):
        if score.measure != N_POSITIVE:
            score.low, score.high = ends


def _digest(board: Board, table: ValueTable, row: int) -> str:
    # the day moves no number: the same inputs have the same hash
    gallery = board.gallery._replace(at=None)
    facts = f"{RULES}|{NAMES[row]}|{board.collection.positive_from}|{table.n_missing}|{gallery}"
    sha256 = hashlib.sha256(facts.encode())
    sha256.update(_stored_bytes(table.values[row]))
    best = _best_of(table, row)
    sha256.update(b"" if best is None else _stored_bytes(best))
    sha256.update(table.has_positive.tobytes())
    if not board.groups.are_plain:  # else the hash stays what it was before there were groups
        sha256.update(board.groups.of_query.astype("<i8").tobytes())
        weight = board.groups.weight
        sha256.update(b"" if weight is None else _stored_bytes(weight))
    return sha256.hexdigest()


def _best_of(table: ValueTable, row: int) -> NDArray[np.float64] | None:
    """A measure's values as if every unjudged target were positive.

    None if not bounded, and without people.
    """
    return None if table.best is None or row >= len(BOUNDED) else table.best[row]


def _stored_bytes(values: NDArray[np.float64]) -> bytes:
    return values.astype("<f8").tobytes()


def _score(board: Board, table: ValueTable, row: int, inputs_sha256: str) -> Score:
    values, is_defined, groups = table.values[row], table.has_positive, board.groups
    best = _best_of(table, row)
    return Score(
        run=table.run,
        query_set=board.query_set,
        label_source=table.source.key,
        measure=NAMES[row],
        threshold=board.collection.positive_from,
        mean=float(groups.mean(values)) if len(values) else None,
        mean_with_positive=float(groups.within(is_defined).mean(values[is_defined]))
        if is_defined.any()
        else None,
        n_queries=len(values),
        n_missing=table.n_missing,
        n_with_positive=int(np.count_nonzero(is_defined)),
        n_gallery=board.gallery.n,
        gallery_at=board.gallery.at,
        per_query=_stored_bytes(values),
        per_query_best=None if best is None else _stored_bytes(best),
        best=None if best is None or not len(values) else float(groups.mean(best)),
        inputs_sha256=inputs_sha256,
    )
