"""Storing the rows of a run file as Ranking rows: ids resolved in bulk, one row a source item."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from struct import Struct
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, Problems
from annotate.models import Direction, Item, Side
from pooling.core.files.run_ranking import (
    BY_RANK,
    NO_RANKS,
    FewScores,
    FigureTally,
    OddIds,
    rank,
)
from pooling.core.files.text.ids import DistinctIds, Vocabulary, unknown_keys
from pooling.core.files.text.runs import ReadRun
from pooling.core.files.text.text_blocks import as_lines
from pooling.models import Run
from pooling.services.runs.reports import N_NAMED_IDS, RunReport, UnmatchedIds

SIDES = {
    Direction.FORWARD: (Side.QUERY, Side.DOCUMENT),
    Direction.REVERSE: (Side.DOCUMENT, Side.QUERY),
}
# One row for thousands of items: a million rows would be Python objects one by one. A key below 0
# is no test item's. No id that a reader accepts holds white space, so that it can separate them. By
# ranges of keys, since to group by them the server would sort all.
_ITEMS = """
    WITH item AS NOT MATERIALIZED (
        SELECT id, external_id, split, excluded_at FROM annotate_item
        WHERE collection_id = %s AND side = %s
    )
    SELECT part.* FROM (SELECT min(id) AS first, max(id) AS last FROM item) AS ends,
        generate_series(first, last, 50000) AS start,
        LATERAL (
            SELECT string_agg(translate(external_id, E'\\n', ' '), E'\\n') AS names,
                array_send(array_agg(CASE WHEN split = 'test' THEN id ELSE -id END)),
                coalesce(array_agg(id) FILTER (WHERE excluded_at IS NOT NULL), '{}')
            FROM item WHERE id >= start AND id < start + 50000
        ) AS part
    WHERE names IS NOT NULL
"""
# PostgreSQL's binary forms: of a COPY, of its rows before their arrays, of an array before its
# elements.
_COPY = "COPY pooling_ranking (run_id, source_id, targets, scores) FROM STDIN (FORMAT binary)"
_COPY_HEAD, _COPY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
_ROW_HEAD = Struct(">hiqiq")  # fields; size and value of the run's key and of the source's
_ARRAY_HEAD = Struct(">iiiIii")  # bytes; dimensions, nulls, type of elements, length, first index
_INT8, _FLOAT8 = 20, 701


class SideItems(NamedTuple):
    """The items of one side, and one more position, the last, for all unknown ids.

    ids : positions in keys; keys : (K,)
    is_test : (K + 1,) whether an item is retrieved and judged at all; is_excluded : (K + 1,)
        whether a lead left it out, for now
    """

    ids: Vocabulary
    keys: NDArray[np.int64]
    is_test: NDArray[np.bool_]
    is_excluded: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.bool_]:
        """(K + 1,) mask of the items that are measured now."""
        return self.is_test & ~self.is_excluded


class RankingBuilder:
    """Builds a run's rankings some queries at a time, and counts rows and ids.

    Problems leave them empty.
    """

    def __init__(self, run: Run, problems: Problems) -> None:
        self.report = RunReport()
        self._run, self._problems = run, problems
        self._sources, self._targets = (
            side_items(run, side) for side in SIDES[Direction(run.direction)]
        )
        self._is_met = np.zeros(len(self._sources.keys), dtype=bool)
        self._odd, self._tally = OddIds(run.file_name, problems), FigureTally()
        self._unknown_targets = DistinctIds()
        self._scores, self.has_ranks = FewScores(), False

    def build(self, batch: ReadRun) -> bytes:
        """Build the rankings of some whole queries as COPY takes them, b"" for none.

        It sends no database query. Raises FormatError for too many problems.
        """
        run = batch.run
        self.has_ranks |= bool(run.ranks.any())
        order = rank(
            batch,
            score_type=self._run.score_type,
            name=self._run.file_name,
            problems=self._problems,
        )
        self._tally.add(order)
        self._scores.add(run)
        source, target = self._sources.ids.find(run.queries), self._targets.ids.find(run.docs)
        self._note_unknown(batch, source, np.flatnonzero(target < 0))
        source = source[run.query]
        # An unknown target stays where it is, so that those below it keep their ranks; so does one
        # that is excluded, which may be taken back in.
        is_stored = self._sources.is_test[source] & (self._targets.is_test[target] | (target < 0))
        rows = order.order[is_stored[order.order]]
        self._count(source, target, is_stored)
        if self._problems or not len(rows):
            return b""
        scores = (
            -run.ranks[rows].astype(np.float64)
            if self._run.score_type == BY_RANK
            else run.scores[rows]
        )
        keys = _keys(self._targets, target[rows], run.docs, rows)
        return _rankings(self._run, self._sources.keys[source[rows]], keys, scores)

    def finish(self) -> RunReport:
        """Return the report of all batches."""
        report, figures = self.report, self._tally.figures()
        report.n_rows, report.n_queries = figures.rows, figures.queries
        report.shallowest, report.median_depth = figures.shallowest, figures.median_depth
        report.deepest, report.ties, report.n_misranked = (
            figures.deepest,
            figures.ties,
            figures.misranked,
        )
        report.has_grades, report.has_ranks = self._scores.are_grades, self.has_ranks
        report.unknown_targets.n = len(self._unknown_targets)
        report.n_met = int(np.count_nonzero(self._is_met))
        missing_keys = np.sort(self._sources.keys[self._sources.counts[:-1] & ~self._is_met])
        first = Item.objects.filter(pk__in=missing_keys[:N_NAMED_IDS].tolist()).order_by("pk")
        report.missing = UnmatchedIds(
            n=len(missing_keys), first=list(first.values_list("external_id", flat=True))
        )
        return report

    def _count(
        self, source: NDArray[np.int32], target: NDArray[np.int32], is_stored: NDArray[np.bool_]
    ) -> None:
        """Count rows as kept, unknown or dropped.

        source, target : positions of their items, -1 for an unknown id
        """
        is_counted = is_stored & ~self._sources.is_excluded[source]
        is_unknown = is_counted & (target < 0)
        n_unknown = int(np.count_nonzero(is_unknown))
        n_kept = int(np.count_nonzero(is_counted & ~self._targets.is_excluded[target])) - n_unknown
        self.report.n_unknown += n_unknown
        self.report.n_kept += n_kept
        self.report.n_dropped += int(np.count_nonzero(source >= 0)) - n_kept - n_unknown
        self._is_met[source[is_counted]] = True

    def _note_unknown(
        self, batch: ReadRun, source: NDArray[np.int32], rows: NDArray[np.int64]
    ) -> None:
        """Count queries without a source, and the documents of these rows, which are unknown."""
        run, report = batch.run, self.report
        queries = np.flatnonzero(source < 0)
        # batches are in the order of their queries
        first_rows = np.searchsorted(run.query, queries)
        self._odd.refuse("query", run.queries[queries], batch.line[first_rows])
        _note_first_ids(report.unknown_sources, run.queries[queries])
        report.n_turned += int(np.count_nonzero(self._targets.ids.find(run.queries[queries]) >= 0))
        report.unknown_sources.n += len(queries)
        if len(rows):
            self._odd.refuse("document", run.docs[rows], batch.line[rows])
            _note_first_ids(report.unknown_targets, run.docs[rows])
            self._unknown_targets.add(run.docs[rows])


def store_rankings(*, run: Run, batches: Iterator[ReadRun], problems: Problems) -> RunReport:
    """Write the run's rankings and report on them.

    Faults become problems, upon which the caller rolls this back.

    batches : of whole queries; if reading them adds to the problems, only those are reported
    """
    ranking_problems, report = Problems(), RunReport()
    builder = RankingBuilder(run, ranking_problems)
    try:
        with closing(_build_ahead(builder.build, batches)) as rankings:
            for rankings_of_batch in filter(None, rankings):
                with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
                    copy.write(rankings_of_batch)
    except FormatError as error:
        ranking_problems.add(error)
        deque(batches, maxlen=0)  # for the other faults of the file
    else:
        report = report if problems else builder.finish()
    if problems:
        return report
    if run.score_type == BY_RANK and not builder.has_ranks:
        problems.add(FormatError(run.file_name, None, "rank", NO_RANKS))
        return RunReport()
    problems.extend(ranking_problems)
    return report


def _build_ahead(
    make: Callable[[ReadRun], bytes], batches: Iterable[ReadRun]
) -> Generator[bytes, None, None]:
    """Build each batch in a thread, while the next is read and the server stores the one before."""
    with ThreadPoolExecutor(1) as pool:
        waiting_future = None
        for batch in batches:
            future = pool.submit(make, batch)
            if waiting_future:
                yield waiting_future.result()
            waiting_future = future
        if waiting_future:
            yield waiting_future.result()


def side_items(run: Run, side: Side) -> SideItems:
    """Load the items of one side of a run's collection; one query."""
    ids, keys, excluded_keys = [np.empty(0, "S1")], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    with connection.cursor() as cursor:
        cursor.execute(_ITEMS, [run.collection_id, side])
        for names, signed_bytes, excluded_ids in cursor:
            ids.append(as_lines(names.encode()))
            elements = np.frombuffer(
                signed_bytes, dtype=_element(">i8"), offset=_ARRAY_HEAD.size - 4
            )
            keys.append(elements["value"].astype(np.int64))
            excluded_keys.append(np.array(excluded_ids, dtype=np.int64))
    signed_keys = np.concatenate(keys)
    is_excluded = np.isin(np.abs(signed_keys), np.concatenate(excluded_keys))
    return SideItems(
        Vocabulary(np.concatenate(ids)),
        np.abs(signed_keys),
        np.append(signed_keys > 0, False),
        np.append(is_excluded, False),
    )


def _keys(
    items: SideItems, position: NDArray[np.int32], ids: NDArray[np.bytes_], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(n,) keys of items by their positions.

    Position -1 gives the key of the unknown id in that row of `rows`.
    """
    is_unknown = np.flatnonzero(position < 0)
    if not len(is_unknown):
        return np.asarray(items.keys[position])
    keys = np.append(items.keys, 0)[position]
    keys[is_unknown] = unknown_keys(ids[rows[is_unknown]])
    return keys


def _note_first_ids(unmatched_ids: UnmatchedIds, ids: NDArray[np.bytes_]) -> None:
    """Add ids that are not listed yet, up to N_NAMED_IDS in all."""
    if len(unmatched_ids.first) < N_NAMED_IDS and len(ids):
        distinct_ids, first = np.unique(ids, return_index=True)
        new = (id_.decode() for id_ in distinct_ids[np.argsort(first)[: 2 * N_NAMED_IDS]].tolist())
        unmatched_ids.first += [id_ for id_ in new if id_ not in unmatched_ids.first]
        del unmatched_ids.first[N_NAMED_IDS:]


def _rankings(
    run: Run, sources: NDArray[np.int64], targets: NDArray[np.int64], scores: NDArray[np.float64]
) -> bytes:
    """Encode one Ranking for each stretch of equal sources, as COPY takes them."""
    starts = np.flatnonzero(np.diff(sources, prepend=0))
    ends = np.append(starts, len(sources))[1:]
    columns = ((_INT8, _elements(targets, ">i8")), (_FLOAT8, _elements(scores, ">f8")))
    pieces: list[bytes | memoryview] = [_COPY_HEAD]
    for source, start, end in zip(
        sources[starts].tolist(), starts.tolist(), ends.tolist(), strict=True
    ):
        pieces.append(_ROW_HEAD.pack(4, 8, run.pk, 8, source))
        for kind, elements in columns:
            part = elements[start:end]
            pieces += [
                _ARRAY_HEAD.pack(_ARRAY_HEAD.size - 4 + part.nbytes, 1, 0, kind, len(part), 1),
                part.data,
            ]
    return b"".join([*pieces, _COPY_END])


def _elements(values: NDArray[np.generic], kind: str) -> NDArray[np.void]:
    out = np.empty(len(values), dtype=_element(kind))
    out["size"], out["value"] = 8, values
    return out


def _element(kind: str) -> np.dtype[np.void]:
    """An element of a PostgreSQL array, of a number type of eight bytes."""
    return np.dtype([("size", ">i4"), ("value", kind)])
