"""Rows in parts become batches of whole queries, directly or by way of the disk, unchanged."""

from itertools import pairwise

import numpy as np
import pytest

from pooling.core.files import spool
from pooling.core.files.spool import ScatteredQueries, spooled_queries, whole_queries
from pooling.core.files.text.runs import ReadRun, RunFile


def rows_of(read):
    run = read.run
    names = [run.queries[index] for index in run.query.tolist()]
    return list(
        zip(
            names,
            run.docs.tolist(),
            run.scores.tolist(),
            run.ranks.tolist(),
            read.line.tolist(),
            strict=True,
        )
    )


def in_parts(rng, queries):
    """Rows of these queries, one each, cut into parts that number their queries by themselves."""
    cuts = np.sort(rng.integers(0, len(queries) + 1, rng.integers(0, 4)))
    starts = [0, *cuts.tolist(), len(queries)]
    for start, end in pairwise(starts):
        names = list(dict.fromkeys(queries[start:end])) or [b"none"]
        query = np.array([names.index(query_id) for query_id in queries[start:end]], dtype=np.int32)
        docs = np.array([b"d%d" % row for row in range(start, end)], dtype="S8")
        run = RunFile(np.array(names), query, docs, rng.random(end - start), query + 1, "")
        yield ReadRun(run, np.arange(start, end) + 1)


def check_progress(**report):
    assert 0 < report["n_done"] <= report["total"] and report["unit"] == "rows stored"


@pytest.mark.parametrize("case", range(60))
def test_both_ways_give_the_rows_as_they_were(case, monkeypatch):
    rng = np.random.default_rng(case)
    monkeypatch.setattr(spool, "ROWS_AT_ONCE", int(rng.integers(1, 9)))
    lengths = rng.integers(1, 7, rng.integers(1, 8)).tolist()
    queries = [b"q%d" % number for number, length in enumerate(lengths) for _ in range(length)]
    is_scattered = case % 3 == 2 and len(lengths) > 1
    if is_scattered:
        queries.append(queries[0])
    parts = list(in_parts(rng, queries))
    rows = [row for part in parts for row in rows_of(part)]
    by_disk = list(spooled_queries(parts, on_progress=check_progress))
    names = [name for batch in by_disk for name in batch.run.queries.tolist()]
    assert names == list(dict.fromkeys(queries))
    assert [row for batch in by_disk for row in rows_of(batch)] == sorted(
        rows, key=lambda row: names.index(row[0])
    )
    if is_scattered:
        with pytest.raises(ScatteredQueries):
            list(whole_queries(parts))
    else:
        assert list(map(rows_of, whole_queries(parts))) == list(regrouped(rows, parts))


def regrouped(rows, parts):
    """Batches as they should come: after the part that fills one, all but the last query's rows."""
    waiting, left = [], iter(rows)
    for part in parts:
        waiting += [next(left) for _ in part.line]
        last = [row for row in waiting if row[0] == waiting[-1][0]]
        if len(waiting) >= spool.ROWS_AT_ONCE and len(last) < len(waiting):
            yield waiting[: -len(last)]
            waiting = last
    if waiting:
        yield waiting


def test_a_query_that_comes_again_within_one_part_is_seen():
    queries, docs = np.array([b"a", b"b"]), np.array([b"d1", b"d2", b"d3"])
    query, scores = np.array([0, 1, 0], dtype=np.int32), np.array([3.0, 2.0, 1.0])
    part = ReadRun(RunFile(queries, query, docs, scores, query + 1, ""), np.arange(3) + 1)
    with pytest.raises(ScatteredQueries):
        list(whole_queries([part]))
