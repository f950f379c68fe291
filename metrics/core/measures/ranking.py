"""Measures of one ranking a query, from ranks and grades alone.

Binary measures take `PositiveRanks` (ranks of the positive targets), graded ones take
`RankedGrades`. Each returns (Q,) float64, one value a query, 0 where the run misses the query or
the query has no positive target, as trec_eval does with -c.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades

PerQuery = NDArray[np.float64]
GAINS = ("log2", "exp-log2")
LARGEST_GRADE = 1000  # 2 to the power of it is still finite


class PositiveRanks(NamedTuple):
    """Ranks of the positive targets of Q queries.

    query, rank : (H,) retrieved positives: query index (ascending), 1-based rank (ascending inside
        a query)
    nth : (H,) 1-based: the first, second, ... positive of its query
    total : (Q,) R, the positives of the query, retrieved or not
    depth : (Q,) number of targets retrieved
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    nth: NDArray[np.int64]
    total: NDArray[np.int64]
    depth: NDArray[np.int64]


def positives(rankings: RankedGrades, threshold: float = 1) -> PositiveRanks:
    """The targets with a grade of at least `threshold`.

    A negative grade means not judged and never counts.
    """
    level = max(threshold, 0)
    is_positive = rankings.grade >= level
    n_queries = len(rankings.depth)
    query = rankings.query[is_positive]
    total = np.bincount(rankings.label_query[rankings.label_grade >= level], minlength=n_queries)
    return PositiveRanks(
        query, rankings.rank[is_positive], rank_in_query(query, n_queries), total, rankings.depth
    )


def rank_in_query(query: NDArray[np.int64], n_queries: int) -> NDArray[np.int64]:
    """1-based number of each row among the rows of its query; `query` ascends."""
    count = np.bincount(query, minlength=n_queries)
    return np.arange(1, len(query) + 1) - np.repeat(np.cumsum(count) - count, count)


def rows_by_rank(query: NDArray[np.int64], n_queries: int) -> Iterator[NDArray[np.int64]]:
    """The first row of every query, then the second of every query that has one, ....

    `query` ascends.
    """
    rank = rank_in_query(query, n_queries)
    order = np.argsort(rank, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(rank)[1:])[:-1]) if len(query) else ()


def total_by_query(
    query: NDArray[np.int64], n_queries: int, weight: NDArray[Any] | None = None
) -> PerQuery:
    """(Q,) sum of `weight` (or the number of rows) a query, added in the order of the rows."""
    return np.bincount(query, weights=weight, minlength=n_queries).astype(np.float64)


def share(part: PerQuery, whole: NDArray[Any]) -> PerQuery:
    """part / whole, and 0 where `whole` is 0."""
    result: PerQuery = np.divide(part, whole, out=np.zeros(len(part)), where=whole != 0)
    return result


def hits(positive_ranks: PositiveRanks, k: int | None = None) -> PerQuery:
    """(Q,) number of positives among the first k, or among all retrieved."""
    query = positive_ranks.query if k is None else positive_ranks.query[positive_ranks.rank <= k]
    return total_by_query(query, len(positive_ranks.depth))


def correct(positive_ranks: PositiveRanks, *, k: int) -> PerQuery:
    """C@k: 1 if any positive stands among the first k, else 0. Range {0, 1}.

    Correct@K of FIRE (Rodriguez et al. 2022), "Recall@K" of the cross-modal papers, hit rate.
    Equals trec_eval success_k.
    """
    return (hits(positive_ranks, k) > 0).astype(np.float64)


def average_precision(positive_ranks: PositiveRanks, *, k: int | None = None) -> PerQuery:
    """AP, AP@k: (1/R) * sum over retrieved positives (within k) of precision at their rank.

    Range [0, 1].
    The denominator is always R, all positives of the query. Equals trec_eval map and map_cut_k.
    """
    return share(_sum_of_precisions(positive_ranks, k), positive_ranks.total)


def average_precision_retrieved(positive_ranks: PositiveRanks, *, k: int | None = None) -> PerQuery:
    """AP_retrieved: as AP, but divided by the positives *retrieved* (within k), not by all.

    Range [0, 1].
    As computed by FIRE's published code (k = 20, MSVD's corrected column 10), and by much code for
    cross-modal hashing. One positive at rank 1 with nine missed scores 1, so it is no average
    precision in the usual sense: see docs/numbers.md.
    """
    return share(_sum_of_precisions(positive_ranks, k), hits(positive_ranks, k))


def map_at_r(positive_ranks: PositiveRanks) -> PerQuery:
    """mAP@R: (1/R) * sum of precision at the positives within rank R. Range [0, 1].

    Musgrave, Belongie & Lim 2020, doi:10.1007/978-3-030-58595-2_41; ECCV Caption's main measure.
    Equals eccv_caption's eccv_map_at_r.
    """
    is_within_r = positive_ranks.rank <= positive_ranks.total[positive_ranks.query]
    query = positive_ranks.query[is_within_r]
    return share(
        total_by_query(
            query,
            len(positive_ranks.depth),
            positive_ranks.nth[is_within_r] / positive_ranks.rank[is_within_r],
        ),
        positive_ranks.total,
    )


def _sum_of_precisions(positive_ranks: PositiveRanks, k: int | None) -> PerQuery:
    precision = positive_ranks.nth / positive_ranks.rank
    if k is not None:
        precision = np.where(positive_ranks.rank <= k, precision, 0.0)
    return total_by_query(positive_ranks.query, len(positive_ranks.depth), precision)


def ndcg(rankings: RankedGrades, *, k: int | None = None, dcg: str = "log2") -> PerQuery:
    """nDCG, nDCG@k: discounted gain over that of the ideal order of ALL labels. Range [0, 1].

    Gain is the grade (dcg="exp-log2": 2**grade - 1), a negative grade gains 0, discount log2(rank +
    1). No threshold applies. Jarvelin & Kekalainen 2002, doi:10.1145/582415.582418. Equals
    trec_eval ndcg and ndcg_cut_k (linear gain) and ir_measures nDCG(dcg='exp-log2') (exponential).
    """
    if dcg not in GAINS:
        raise ValueError(f'There is no dcg "{dcg}"; there are: {", ".join(GAINS)}.')
    n_queries, exponential = len(rankings.depth), dcg == "exp-log2"
    if exponential:
        refuse_large_grades(rankings, LARGEST_GRADE)
    ideal_rank = rank_in_query(rankings.label_query, n_queries)
    gain = _discounted(
        rankings.query,
        rankings.rank,
        rankings.grade,
        n_queries=n_queries,
        k=k,
        exponential=exponential,
    )
    ideal = _discounted(
        rankings.label_query,
        ideal_rank,
        rankings.label_grade,
        n_queries=n_queries,
        k=k,
        exponential=exponential,
    )
    return share(gain, ideal)


def refuse_large_grades(rankings: RankedGrades, largest: float) -> None:
    """Raise ValueError for a label above the largest grade that a measure can take."""
    largest_label = rankings.label_grade.max(initial=0)
    if largest_label > largest:
        raise ValueError(f"A label has grade {largest_label}, above the largest of {largest:g}.")


def _discounted(
    query: NDArray[np.int64],
    rank: NDArray[np.int64],
    grade: NDArray[Any],
    *,
    n_queries: int,
    k: int | None,
    exponential: bool,
) -> PerQuery:
    is_counted = grade > 0 if k is None else (grade > 0) & (rank <= k)
    gain = grade[is_counted].astype(np.float64)
    if exponential:
        gain = np.exp2(gain) - 1
    return total_by_query(query[is_counted], n_queries, gain / np.log2(rank[is_counted] + 1))


def judged(rankings: RankedGrades, *, k: int) -> PerQuery:
    """Judged@k: share of the first k ranks held by a judged target (grade >= 0). Range [0, 1].

    Divides by k, also where fewer were retrieved: 1 - trec_eval 10's unj_k for full lists.
    ir_measures divides by min(k, retrieved) and counts a negative grade as judged.
    """
    is_judged = (rankings.rank <= k) & (rankings.grade >= 0)
    return total_by_query(rankings.query[is_judged], len(rankings.depth)) / k
