"""Measures of graded relevance with a model of the user: ERR and rank-biased precision."""

import numpy as np

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.ranking import (
    LARGEST_GRADE,
    PerQuery,
    PositiveRanks,
    refuse_large_grades,
    rows_by_rank,
    total_by_query,
)


def expected_reciprocal_rank(
    rankings: RankedGrades, *, k: int | None = None, max_grade: float = 0
) -> PerQuery:
    """ERR, ERR@k: expected 1/rank at which a user who reads downwards is satisfied. Range [0, 1).

    A target of grade g satisfies with probability (2**g - 1) / 2**max_grade; negative grades never.
    max_grade 0 stands for the largest grade among all labels given; name the scheme's own where it
    must not depend on them. Chapelle, Metzler, Zhang & Grinspan 2009, doi:10.1145/1645953.1646033.
    Equals gdeval.pl's err (whose max_grade is 4).
    """
    refuse_large_grades(rankings, max_grade or LARGEST_GRADE)
    top = max_grade or float(rankings.label_grade.max(initial=0))
    n_queries = len(rankings.depth)
    is_gaining = rankings.grade > 0 if k is None else (rankings.grade > 0) & (rankings.rank <= k)
    query, rank = rankings.query[is_gaining], rankings.rank[is_gaining]
    chance_satisfied = (np.exp2(rankings.grade[is_gaining].astype(np.float64)) - 1) / 2**top
    value, chance_reached = np.zeros(n_queries), np.ones(n_queries)
    for rows in rows_by_rank(query, n_queries):
        queries = query[rows]
        value[queries] += chance_reached[queries] * chance_satisfied[rows] / rank[rows]
        chance_reached[queries] *= 1 - chance_satisfied[rows]
    return value


def rank_biased_precision(positive_ranks: PositiveRanks, *, p: float = 0.8) -> PerQuery:
    """RBP(p): (1 - p) * sum of p**(rank - 1) over positives. Range [0, 1].

    p is the chance that the reader goes on to the next target. Moffat & Zobel 2008,
    doi:10.1145/1416950.1416952. The true value lies between this and this plus `rbp_residual`.
    """
    return total_by_query(
        positive_ranks.query,
        len(positive_ranks.depth),
        (1 - p) * np.power(p, positive_ranks.rank - 1.0),
    )


def graded_rank_biased_precision(
    rankings: RankedGrades, *, p: float = 0.8, max_grade: float = 0
) -> PerQuery:
    """gRBP(p): as RBP with gain grade / max_grade. Range [0, 1].

    max_grade 0 stands for the largest grade among all labels given. Equals trec_eval 10's rbp
    (there p = .9).
    """
    refuse_large_grades(rankings, max_grade or np.inf)
    top = max_grade or float(rankings.label_grade.max(initial=0)) or 1.0
    gain = np.maximum(rankings.grade, 0) / top
    return total_by_query(
        rankings.query, len(rankings.depth), gain * (1 - p) * np.power(p, rankings.rank - 1.0)
    )


def rbp_residual(rankings: RankedGrades, *, p: float = 0.8) -> PerQuery:
    """RBPres(p): the most that unjudged targets, and all below the ranking's end, could add to RBP.

    Range [0, 1].
    (1 - p) * sum of p**(rank - 1) over unjudged targets, plus p**n; a negative grade is not a
    judgment. trec_eval 10's rbp_resid leaves the tail p**n out where everything retrieved is
    judged; here it never is.
    """
    is_judged = rankings.grade >= 0
    weight = (1 - p) * np.power(p, rankings.rank[is_judged] - 1.0)
    return 1 - total_by_query(rankings.query[is_judged], len(rankings.depth), weight)
