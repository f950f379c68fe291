"""From the rows of a run file to Ranking rows: ids resolved in bulk, one row a source item."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from struct import Struct
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems
from annotate.models import Direction, Item, Side
from pooling.core.fields import as_lines
from pooling.core.ids import Distinct, Vocabulary, unknown_keys
from pooling.core.run_ranking import BY_RANK, FewScores, OddIds, Tally, rank
from pooling.core.runs import ReadRun
from pooling.models import Run
from pooling.services.run_reports import SHOWN, RunReport, Strangers

SIDES = {Direction.FORWARD: (Side.QUERY, Side.DOCUMENT), Direction.REVERSE: (Side.DOCUMENT, Side.QUERY)}
# One row for thousands of items: a million rows would be Python objects one by one. A key below 0 is no test item's.
# No id that a reader accepts holds white space, so that it may part them. By ranges of keys, since to group by them the
# server would sort all.
_ITEMS = """
    WITH item AS NOT MATERIALIZED (
        SELECT id, external_id, split, excluded_at FROM annotate_item WHERE collection_id = %s AND side = %s
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
# PostgreSQL's binary forms: of a COPY, of its rows before their arrays, of an array before its elements.
_COPY = "COPY pooling_ranking (run_id, source_id, targets, scores) FROM STDIN (FORMAT binary)"
_COPY_HEAD, _COPY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
_ROW_HEAD = Struct(">hiqiq")  # fields; size and value of the run's key and of the source's
_ARRAY_HEAD = Struct(">iiiIii")  # bytes; dimensions, nulls, type of elements, length, first index
_INT8, _FLOAT8 = 20, 701


class Known(NamedTuple):
    """The items of one side, and one more place, the last, which is that of all unknown ids.

    ids : places in keys; keys : (K,)
    is_test : (K + 1,) which are retrieved and judged at all; is_excluded : (K + 1,) which a lead left out, for now
    """

    ids: Vocabulary
    keys: NDArray[np.int64]
    is_test: NDArray[np.bool_]
    is_excluded: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.bool_]:
        """(K + 1,) which of the items are measured now."""
        return self.is_test & ~self.is_excluded


class Storing:
    """Makes a run's rankings some queries at a time, and keeps count of what it meets; problems leave them empty."""

    def __init__(self, run: Run, problems: Problems) -> None:
        self.report = RunReport()
        self._run, self._problems = run, problems
        self._sources, self._targets = (known_items(run, side) for side in SIDES[Direction(run.direction)])
        self._met = np.zeros(len(self._sources.keys), dtype=bool)
        self._odd, self._tally = OddIds(run.file_name, problems), Tally()
        self._unknown_targets = Distinct()
        self._scores, self.has_ranks = FewScores(), False

    def made_of(self, read: ReadRun) -> bytes:
        """The rankings of some whole queries as COPY takes them, b"" for none; asks the database nothing.

        Raises FormatError for too many problems.
        """
        run = read.run
        self.has_ranks |= bool(run.ranks.any())
        order = rank(read, score_type=self._run.score_type, name=self._run.file_name, problems=self._problems)
        self._tally.add(order)
        self._scores.add(run)
        source, target = self._sources.ids.find(run.queries), self._targets.ids.find(run.docs)
        self._note_unknown(read, source, np.flatnonzero(target < 0))
        source = source[run.query]
        # An unknown target stays where it is, so that those below it keep their ranks; so does one that is excluded,
        # which may be taken back in.
        stored = self._sources.is_test[source] & (self._targets.is_test[target] | (target < 0))
        rows = order.order[stored[order.order]]
        self._count(source, target, stored)
        if self._problems or not len(rows):
            return b""
        scores = -run.ranks[rows].astype(np.float64) if self._run.score_type == BY_RANK else run.scores[rows]
        keys = _keys(self._targets, target[rows], run.docs, rows)
        return _rankings(self._run, self._sources.keys[source[rows]], keys, scores)

    def finish(self) -> RunReport:
        """The report of all that was added."""
        report, figures = self.report, self._tally.figures()
        report.n_rows, report.n_queries = figures.rows, figures.queries
        report.shallowest, report.median_depth = figures.shallowest, figures.median_depth
        report.deepest, report.ties, report.n_misranked = figures.deepest, figures.ties, figures.misranked
        report.has_grades, report.has_ranks = self._scores.are_grades, self.has_ranks
        report.unknown_targets.n = len(self._unknown_targets)
        report.n_met = int(np.count_nonzero(self._met))
        missing = np.sort(self._sources.keys[self._sources.counts[:-1] & ~self._met])
        first = Item.objects.filter(pk__in=missing[:SHOWN].tolist()).order_by("pk")
        report.missing = Strangers(n=len(missing), first=list(first.values_list("external_id", flat=True)))
        return report

    def _count(self, source: NDArray[np.int32], target: NDArray[np.int32], stored: NDArray[np.bool_]) -> None:
        """Count what becomes of rows, each with the places of its ends; -1 is that of an unknown id."""
        counted = stored & ~self._sources.is_excluded[source]
        unknown = counted & (target < 0)
        n_unknown = int(np.count_nonzero(unknown))
        n_kept = int(np.count_nonzero(counted & ~self._targets.is_excluded[target])) - n_unknown
        self.report.n_unknown += n_unknown
        self.report.n_kept += n_kept
        self.report.n_dropped += int(np.count_nonzero(source >= 0)) - n_kept - n_unknown
        self._met[source[counted]] = True

    def _note_unknown(self, read: ReadRun, source: NDArray[np.int32], rows: NDArray[np.int64]) -> None:
        """Count queries without a source, and the documents of these rows, which are unknown."""
        run, report = read.run, self.report
        queries = np.flatnonzero(source < 0)
        first_rows = np.searchsorted(run.query, queries)  # batches are in the order of their queries
        self._odd.refuse("query", run.queries[queries], read.line[first_rows])
        _note(report.unknown_sources, run.queries[queries])
        report.n_turned += int(np.count_nonzero(self._targets.ids.find(run.queries[queries]) >= 0))
        report.unknown_sources.n += len(queries)
        if len(rows):
            self._odd.refuse("document", run.docs[rows], read.line[rows])
            _note(report.unknown_targets, run.docs[rows])
            self._unknown_targets.add(run.docs[rows])


def store_rankings(*, run: Run, batches: Iterator[ReadRun], problems: Problems) -> RunReport:
    """Write the run's rankings and say what was found; faults become problems, which are to roll this back.

    batches : of whole queries; where reading them adds to the problems, these are all that is said
    """
    met, report = Problems(), RunReport()
    storing = Storing(run, met)
    try:
        with closing(_ahead(storing.made_of, batches)) as rankings:
            for each in rankings:
                _copy(each)
    except FormatError as error:
        met.add(error)
        deque(batches, maxlen=0)  # what else is wrong with the file
    else:
        report = report if problems else storing.finish()
    if problems:
        return report
    if run.score_type == BY_RANK and not storing.has_ranks:
        message = "The file gives no ranks; choose float32 to order by score."
        problems.add(FormatError(run.file_name, None, "rank", message))
        return RunReport()
    problems.take(met)
    return report


def _ahead(make: Callable[[ReadRun], bytes], batches: Iterable[ReadRun]) -> Iterator[bytes]:
    """What is made of each batch, by a thread, while the next is read and the server takes the one before."""
    with ThreadPoolExecutor(1) as pool:
        waiting = None
        for batch in batches:
            made = pool.submit(make, batch)
            if waiting:
                yield waiting.result()
            waiting = made
        if waiting:
            yield waiting.result()


def known_items(run: Run, side: Side) -> Known:
    """The items of one side of a run's collection; one query."""
    ids, keys, excluded = [np.empty(0, "S1")], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    with connection.cursor() as cursor:
        cursor.execute(_ITEMS, [run.collection_id, side])
        for names, signed, left_out in cursor:
            ids.append(as_lines(names.encode()))
            elements = np.frombuffer(signed, dtype=_element(">i8"), offset=_ARRAY_HEAD.size - 4)
            keys.append(elements["value"].astype(np.int64))
            excluded.append(np.array(left_out, dtype=np.int64))
    signed_keys = np.concatenate(keys)
    is_excluded = np.isin(np.abs(signed_keys), np.concatenate(excluded))
    return Known(
        Vocabulary(np.concatenate(ids)),
        np.abs(signed_keys),
        np.append(signed_keys > 0, False),
        np.append(is_excluded, False),
    )


def _keys(
    known: Known, place: NDArray[np.int32], ids: NDArray[np.bytes_], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(n,) keys of items by their places; where the place is -1, that of the id that stands in each of these rows."""
    strange = np.flatnonzero(place < 0)
    if not len(strange):
        return np.asarray(known.keys[place])
    keys = np.append(known.keys, 0)[place]
    keys[strange] = unknown_keys(ids[rows[strange]])
    return keys


def _note(strangers: Strangers, ids: NDArray[np.bytes_]) -> None:
    """Name the first of these ids that are not named yet."""
    if len(strangers.first) < SHOWN and len(ids):
        found, first = np.unique(ids, return_index=True)
        new = (each.decode() for each in found[np.argsort(first)[: 2 * SHOWN]].tolist())
        strangers.first += [each for each in new if each not in strangers.first]
        del strangers.first[SHOWN:]


def _rankings(run: Run, sources: NDArray[np.int64], targets: NDArray[np.int64], scores: NDArray[np.float64]) -> bytes:
    """One Ranking for each stretch of equal sources, as COPY takes them."""
    starts = np.flatnonzero(np.diff(sources, prepend=0))
    ends = np.append(starts, len(sources))[1:]
    columns = ((_INT8, _elements(targets, ">i8")), (_FLOAT8, _elements(scores, ">f8")))
    pieces: list[bytes | memoryview] = [_COPY_HEAD]
    for source, start, end in zip(sources[starts].tolist(), starts.tolist(), ends.tolist(), strict=True):
        pieces.append(_ROW_HEAD.pack(4, 8, run.pk, 8, source))
        for kind, elements in columns:
            part = elements[start:end]
            pieces += [_ARRAY_HEAD.pack(_ARRAY_HEAD.size - 4 + part.nbytes, 1, 0, kind, len(part), 1), part.data]
    return b"".join([*pieces, _COPY_END])


def _copy(rankings: bytes) -> None:
    if rankings:
        with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
            copy.write(rankings)


def _elements(values: NDArray[np.generic], kind: str) -> NDArray[np.void]:
    out = np.empty(len(values), dtype=_element(kind))
    out["size"], out["value"] = 8, values
    return out


def _element(kind: str) -> np.dtype[np.void]:
    """An element of a PostgreSQL array, of a number type of eight bytes."""
    return np.dtype([("size", ">i4"), ("value", kind)])
