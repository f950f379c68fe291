"""Alignment of rankings with labels: the ranks at which a run retrieved the labelled targets.

Every measure depends on the ranks of labelled targets and on how many targets were retrieved, so
nothing else is kept. A run of 6,980 queries x 1,000 targets with 7,437 labels becomes at most 7,437
rows, and a measure costs a few passes over them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.likeness.rankings import Rankings

_MIX_QUERY = np.uint64(0x9E3779B97F4A7C15)
_MIX_DOC = np.uint64(0xC2B2AE3D27D4EB4F)
_STRETCH = 1 << 15  # ranked targets hashed at a time


class LabelledPairs(NamedTuple):
    """Grades of pairs, in any order, no pair twice.

    query : (L,) index of the query, 0 <= query < Q
    doc : (L,) int64 id of the target
    grade : (L,) number; a negative grade means pooled but not judged, as in trec_eval
    """

    query: NDArray[np.int64]
    doc: NDArray[np.int64]
    grade: NDArray[Any]


class RankedGrades(NamedTuple):
    """Ranks and grades of one run against one set of labels, over Q queries.

    query, rank, grade : (H,) the labelled targets the run retrieved: query index (ascending),
        1-based rank (ascending inside a query), grade
    depth : (Q,) number of targets retrieved; 0 where the run misses the query
    label_query, label_grade : (L,) all labels, retrieved or not: query index (ascending), grade
        (descending inside a query)
    label : (H,) row in `LabelledPairs` of each labelled target retrieved, to look up its stratum or
        inclusion probability
    label_row : (L,) row in `LabelledPairs` of each entry of label_query
    stratum : (L,) by the rows of `LabelledPairs`, 0, 1, ...; None where the labels have no strata
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    grade: NDArray[Any]
    depth: NDArray[np.int64]
    label_query: NDArray[np.int64]
    label_grade: NDArray[Any]
    label: NDArray[np.int64]
    label_row: NDArray[np.int64]
    stratum: NDArray[np.int64] | None = None


def align(rankings: Rankings, labels: LabelledPairs) -> RankedGrades:
    """Look every ranked target up among the labels.

    Returns RankedGrades over the Q queries of `rankings`. Raises ValueError where a pair is
    labelled twice or
    retrieved twice, or where a label names a query outside 0..Q-1. Time is O(N + L log L); extra
    memory follows the labels where they are few, else the ranked targets.
    """
    n_queries = len(rankings.indptr) - 1
    depth = rankings.depth
    if len(labels.query) and (labels.query.min() < 0 or labels.query.max() >= n_queries):
        raise ValueError(f"A label names a query outside 0..{n_queries - 1}.")
    distinct_docs, doc_code = np.unique(labels.doc, return_inverse=True)
    pair = labels.query * len(distinct_docs) + doc_code
    by_pair = np.argsort(pair, kind="stable")
    sorted_pair = pair[by_pair]
    if np.any(sorted_pair[1:] == sorted_pair[:-1]):
        raise ValueError("A pair carries two labels; resolve it to one grade before measuring.")
    position, query = _candidates(rankings, labels)
    label, is_labelled = _find_pairs(rankings.docs[position], query, distinct_docs, sorted_pair)
    position, query, label = position[is_labelled], query[is_labelled], by_pair[label[is_labelled]]
    if len(label) and np.bincount(label, minlength=len(pair)).max() > 1:
        raise ValueError("A ranking holds the same target twice.")
    by_grade = np.lexsort((-labels.grade, labels.query))
    return RankedGrades(
        query=query,
        rank=position - rankings.indptr[query] + 1,
        grade=labels.grade[label],
        depth=depth,
        label_query=labels.query[by_grade],
        label_grade=labels.grade[by_grade],
        label=label,
        label_row=by_grade,
    )


def join_parts(parts: Sequence[RankedGrades]) -> RankedGrades:
    """Join what was aligned in parts: the queries of the first part, then those of the next.

    Without strata.
    Rows of the labels are those of the parts' LabelledPairs one after the other.
    """
    query = np.cumsum([0, *(len(part.depth) for part in parts)])
    label = np.cumsum([0, *(len(part.label_row) for part in parts)])
    columns = []
    for name in RankedGrades._fields[:-1]:
        start = (
            query
            if name in ("query", "label_query")
            else label
            if name in ("label", "label_row")
            else 0 * query
        )
        shifted_columns = [getattr(part, name) + start[number] for number, part in enumerate(parts)]
        columns.append(np.concatenate([np.zeros(0, dtype=np.int64), *shifted_columns]))
    return RankedGrades(*columns)


def _candidates(
    rankings: Rankings, labels: LabelledPairs
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions in `docs`, and their queries, of all labelled targets and a few others.

    Where labels are few a one-probe hash filter passes over the ranked targets once, a stretch that
    fits the processor's cache at a time; a binary search of every ranked target would cost ten
    times as much.
    """
    n_queries = len(rankings.indptr) - 1
    if not len(labels.doc):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if len(labels.doc) * 4 >= len(rankings.docs):
        return np.arange(len(rankings.docs)), np.repeat(np.arange(n_queries), rankings.depth)
    bits = max(int(len(labels.doc) * 16).bit_length(), 10)
    shift = np.uint64(64 - bits)
    may_be_labelled = np.zeros(1 << bits, dtype=bool)
    may_be_labelled[_hash(labels.doc, labels.query, shift)] = True
    positions, queries = [], []
    for first, last in _stretches(rankings.indptr):
        start, end = rankings.indptr[first], rankings.indptr[last]
        query = np.repeat(np.arange(first, last), np.diff(rankings.indptr[first : last + 1]))
        candidates = np.flatnonzero(
            may_be_labelled.take(_hash(rankings.docs[start:end], query, shift).view(np.int64))
        )
        positions.append(candidates + start)
        queries.append(query[candidates])
    return np.concatenate(positions), np.concatenate(queries)


def _stretches(indptr: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """First and last query (excluded) of stretches of some _STRETCH targets, one query at least."""
    first = 0
    while first < len(indptr) - 1:
        last = max(
            int(np.searchsorted(indptr, indptr[first] + _STRETCH, side="right")) - 1, first + 1
        )
        yield first, last
        first = last


def _hash(doc: NDArray[np.int64], query: NDArray[np.int64], shift: np.uint64) -> NDArray[np.uint64]:
    # overflow wraps, which is what a multiplicative hash wants
    mixed = doc.astype(np.uint64) * _MIX_DOC
    mixed ^= query.astype(np.uint64) * _MIX_QUERY
    mixed *= _MIX_QUERY
    mixed >>= shift
    return mixed


def _find_pairs(
    doc: NDArray[np.int64],
    query: NDArray[np.int64],
    distinct_docs: NDArray[np.int64],
    sorted_pair: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Row of each (query, doc) in `sorted_pair`, and whether it is there at all.

    Without labels no document comes here.
    """
    doc_code = np.minimum(np.searchsorted(distinct_docs, doc), len(distinct_docs) - 1)
    pair = query * len(distinct_docs) + doc_code
    row = np.minimum(np.searchsorted(sorted_pair, pair), len(sorted_pair) - 1)
    return row, (distinct_docs[doc_code] == doc) & (sorted_pair[row] == pair)
