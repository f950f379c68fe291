"""Measures of one ranking a query, from ranks and grades alone.

Binary measures take `Positives` (ranks of the positive targets), graded ones take `RankedGrades`. Each returns (Q,)
float64, one value a query, 0 where the run misses the query or the query has no positive target, as trec_eval does
with -c.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import RankedGrades

PerQuery = NDArray[np.float64]
GAINS = ("log2", "exp-log2")
LARGEST_GRADE = 1000  # 2 to its power is still a number


class Positives(NamedTuple):
    """Ranks of the positive targets of Q queries.

    query, rank : (H,) retrieved positives: query index (ascending), 1-based rank (ascending inside a query)
    nth : (H,) 1-based: the first, second, ... positive of its query
    total : (Q,) R, the positives of the query, retrieved or not
    depth : (Q,) number of targets retrieved
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    nth: NDArray[np.int64]
    total: NDArray[np.int64]
    depth: NDArray[np.int64]


def positives(ranked: RankedGrades, threshold: float = 1) -> Positives:
    """The targets with a grade of at least `threshold`. A negative grade means not judged and never counts."""
    level = max(threshold, 0)
    keep = ranked.grade >= level
    n_queries = len(ranked.depth)
    query = ranked.query[keep]
    total = np.bincount(ranked.label_query[ranked.label_grade >= level], minlength=n_queries)
    return Positives(query, ranked.rank[keep], place_in_query(query, n_queries), total, ranked.depth)


def place_in_query(query: NDArray[np.int64], n_queries: int) -> NDArray[np.int64]:
    """1-based place of each row among the rows of its query; `query` ascends."""
    count = np.bincount(query, minlength=n_queries)
    return np.arange(1, len(query) + 1) - np.repeat(np.cumsum(count) - count, count)


def rows_by_place(query: NDArray[np.int64], n_queries: int) -> Iterator[NDArray[np.int64]]:
    """The first row of every query, then the second of every query that has one, ...; `query` ascends."""
    place = place_in_query(query, n_queries)
    order = np.argsort(place, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(place)[1:])[:-1]) if len(query) else ()


def total_by_query(query: NDArray[np.int64], n_queries: int, weight: NDArray[Any] | None = None) -> PerQuery:
    """(Q,) sum of `weight` (or the number of rows) a query, added in the order of the rows."""
    return np.bincount(query, weights=weight, minlength=n_queries).astype(np.float64)


def share(part: PerQuery, whole: NDArray[Any]) -> PerQuery:
    """part / whole, and 0 where `whole` is 0."""
    result: PerQuery = np.divide(part, whole, out=np.zeros(len(part)), where=whole != 0)
    return result


def hits(found: Positives, k: int | None = None) -> PerQuery:
    """(Q,) number of positives among the first k, or among all retrieved."""
    query = found.query if k is None else found.query[found.rank <= k]
    return total_by_query(query, len(found.depth))


def correct(found: Positives, *, k: int) -> PerQuery:
    """C@k: 1 if any positive stands among the first k, else 0. Range {0, 1}.

    Correct@K of FIRE (Rodriguez et al. 2022), "Recall@K" of the cross-modal papers, hit rate. Equals trec_eval
    success_k.
    """
    return (hits(found, k) > 0).astype(np.float64)


def average_precision(found: Positives, *, k: int | None = None) -> PerQuery:
    """AP, AP@k: (1/R) * sum over retrieved positives (within k) of precision at their rank. Range [0, 1].

    The denominator is always R, all positives of the query. Equals trec_eval map and map_cut_k.
    """
    return share(_sum_of_precisions(found, k), found.total)


def average_precision_retrieved(found: Positives, *, k: int | None = None) -> PerQuery:
    """AP_retrieved: as AP, but divided by the positives *retrieved* (within k), not by all. Range [0, 1].

    What FIRE's published code computes (k = 20, MSVD's corrected column 10), and many cross-modal hashing codes.
    Finding one positive at rank 1 and missing nine scores 1, so it is no average precision in the usual sense: see
    docs/numbers.md.
    """
    return share(_sum_of_precisions(found, k), hits(found, k))


def map_at_r(found: Positives) -> PerQuery:
    """mAP@R: (1/R) * sum of precision at the positives within rank R. Range [0, 1].

    Musgrave, Belongie & Lim 2020, doi:10.1007/978-3-030-58595-2_41; ECCV Caption's main measure. Equals
    eccv_caption's eccv_map_at_r.
    """
    inside = found.rank <= found.total[found.query]
    query = found.query[inside]
    return share(total_by_query(query, len(found.depth), found.nth[inside] / found.rank[inside]), found.total)


def _sum_of_precisions(found: Positives, k: int | None) -> PerQuery:
    precision = found.nth / found.rank
    if k is not None:
        precision = np.where(found.rank <= k, precision, 0.0)
    return total_by_query(found.query, len(found.depth), precision)


def ndcg(ranked: RankedGrades, *, k: int | None = None, dcg: str = "log2") -> PerQuery:
    """nDCG and nDCG@k: discounted gain over that of the ideal order of ALL labelled targets of the query. Range [0, 1].

    Gain is the grade (dcg="exp-log2": 2**grade - 1), a negative grade gains 0, discount log2(rank + 1). No threshold
    applies. Jarvelin & Kekalainen 2002, doi:10.1145/582415.582418. Equals trec_eval ndcg and ndcg_cut_k (linear gain)
    and ir_measures nDCG(dcg='exp-log2') (exponential).
    """
    if dcg not in GAINS:
        raise ValueError(f'There is no dcg "{dcg}"; there are: {", ".join(GAINS)}.')
    n_queries, exponential = len(ranked.depth), dcg == "exp-log2"
    if exponential:
        refuse_large_grades(ranked, LARGEST_GRADE)
    ideal_rank = place_in_query(ranked.label_query, n_queries)
    gained = _discounted(ranked.query, ranked.rank, ranked.grade, n_queries=n_queries, k=k, exponential=exponential)
    ideal = _discounted(
        ranked.label_query, ideal_rank, ranked.label_grade, n_queries=n_queries, k=k, exponential=exponential
    )
    return share(gained, ideal)


def refuse_large_grades(ranked: RankedGrades, largest: float) -> None:
    """Raises ValueError for a label above the largest grade that a measure can take."""
    found = ranked.label_grade.max(initial=0)
    if found > largest:
        raise ValueError(f"A label has grade {found}, above the largest of {largest:g}.")


def _discounted(
    query: NDArray[np.int64],
    rank: NDArray[np.int64],
    grade: NDArray[Any],
    *,
    n_queries: int,
    k: int | None,
    exponential: bool,
) -> PerQuery:
    counts = grade > 0 if k is None else (grade > 0) & (rank <= k)
    gain = grade[counts].astype(np.float64)
    if exponential:
        gain = np.exp2(gain) - 1
    return total_by_query(query[counts], n_queries, gain / np.log2(rank[counts] + 1))


def judged(ranked: RankedGrades, *, k: int) -> PerQuery:
    """Judged@k: share of the first k ranks held by a judged target (grade >= 0). Range [0, 1].

    Divides by k, also where fewer were retrieved: 1 - trec_eval 10's unj_k for full lists. ir_measures divides by
    min(k, retrieved) and counts a negative grade as judged.
    """
    inside = (ranked.rank <= k) & (ranked.grade >= 0)
    return total_by_query(ranked.query[inside], len(ranked.depth)) / k
