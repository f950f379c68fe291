"""What a pool would hold and cost, before it is opened."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection, Gold, Policy, QuerySet
from pooling.core import overlap
from pooling.core.strategies import RankedPairs
from pooling.models import Run
from pooling.services.choosing import Choice, as_pairs, choose_pairs, pair_codes
from pooling.services.rankings import as_rankings

USUAL_SECONDS = 9.0  # for a judgment, until the collection has a median of its own
OVERLAP_DEPTH = 10
RBO_P = 0.9
_STANDING = """
    SELECT chosen.place - 1, coalesce(resolution.n_labels, 0), EXISTS (
        SELECT FROM annotate_roundpair wish JOIN annotate_round round ON round.id = wish.round_id
        WHERE wish.pair_id = pair.id AND round.state = 'open' AND round.kind = 'pool')
    FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS chosen(query, document, place)
    JOIN annotate_pair pair ON pair.query_id = chosen.query AND pair.document_id = chosen.document
    LEFT JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
"""
_MEDIAN = """
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY active_ms) FROM annotate_judgment
    WHERE collection_id = %s AND active_ms IS NOT NULL
"""


class RunShare(NamedTuple):
    """What one run brings to a pool: pairs it holds, those no other run holds, those nobody has judged."""

    run: Run
    n_pairs: int
    n_unique: int
    n_new: int


class Likeness(NamedTuple):
    """How alike two runs of one direction are, as means over the source items both answer.

    overlap : share of the first 10 both hold; rbo : extrapolated, p = .9; tau : Kendall's, over shared targets
    first_in_second, second_in_first : mean rank the one gives the other's top target
    """

    first: Run
    second: Run
    n_sources: int
    overlap: float
    rbo: float
    tau: float
    first_in_second: float
    second_in_first: float


class Preview(NamedTuple):
    """A pool and its price.

    n_pairs = n_new + n_waiting + n_judged: nobody has asked about them, another open pool asks, people have answered
    n_labels : wanted with planned doubles, without third labels on disagreement; n_golds : checks handed out among them
    hours : of people, at `seconds` a judgment; is_measured : whether that is this collection's median
    """

    n_pairs: int
    n_new: int
    n_waiting: int
    n_judged: int
    n_sources: int
    n_labels: int
    n_golds: int
    seconds: float
    is_measured: bool
    hours: float
    shares: list[RunShare]
    likenesses: list[Likeness]


def preview(
    *, collection: Collection, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run],
    query_set: QuerySet | None = None, seed: int = 0,
) -> Preview:  # fmt: skip
    """What such a pool would hold and cost at the collection's present policy and pace. Raises PoolError."""
    choice = choose_pairs(collection=collection, strategy=strategy, parameters=parameters, runs=runs,
                          query_set=query_set, seed=seed)  # fmt: skip
    n_labels, is_waiting = _standing(choice)
    policy = Policy.objects.filter(collection=collection).latest("version")
    wanted = _wanted(n_labels[~is_waiting], policy)
    seconds, is_measured = pace(collection=collection)
    n_golds = _n_golds(collection, policy, wanted)
    return Preview(
        n_pairs=len(choice.query),
        n_new=int(np.count_nonzero((n_labels == 0) & ~is_waiting)),
        n_waiting=int(np.count_nonzero((n_labels == 0) & is_waiting)),
        n_judged=int(np.count_nonzero(n_labels)),
        n_sources=len(np.unique(choice.query)),
        n_labels=wanted,
        n_golds=n_golds,
        seconds=seconds,
        is_measured=is_measured,
        hours=(wanted + n_golds) * seconds / 3600,
        shares=_shares(choice, n_labels == 0),
        likenesses=_likenesses(choice),
    )


def pace(*, collection: Collection) -> tuple[float, bool]:
    """Seconds a judgment takes here, the median, and whether it was measured."""
    with connection.cursor() as cursor:
        cursor.execute(_MEDIAN, [collection.pk])
        median = cursor.fetchone()[0]
    return (median / 1000, True) if median else (USUAL_SECONDS, False)


def _standing(choice: Choice) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(M,) labels each pair has, and whether an open pool asks about it already."""
    n_labels = np.zeros(len(choice.query), dtype=np.int64)
    is_waiting = np.zeros(len(choice.query), dtype=bool)
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, [choice.query.tolist(), choice.document.tolist()])
        for place, count, waiting in cursor:
            n_labels[place], is_waiting[place] = count, waiting
    return n_labels, is_waiting


def _wanted(n_labels: NDArray[np.int64], policy: Policy) -> int:
    """Labels still to give: planned doubles fall on judged and new pairs alike."""
    single = np.maximum(0, policy.labels_per_pair - n_labels).sum()
    doubled = np.maximum(0, policy.labels_per_pair + 1 - n_labels).sum()
    share = float(policy.double_share)
    return int(np.floor((1 - share) * single + share * doubled + 0.5))


def _n_golds(collection: Collection, policy: Policy, n_labels: int) -> int:
    available = collection.reference_sets.exists() or Gold.objects.filter(collection=collection).exists()
    a_batch = policy.gold_positives + policy.gold_negatives
    return ceil(n_labels / policy.batch_candidates) * a_batch if available else 0


def _shares(choice: Choice, is_new: NDArray[np.bool_]) -> list[RunShare]:
    width = int(max(choice.document.max(initial=0), *(_largest(top.target, top.source) for top in choice.tops))) + 1
    pool = pair_codes(choice.query, choice.document, width=width)
    held = [
        np.isin(pool, pair_codes(*as_pairs(run, top), width=width))
        for run, top in zip(choice.runs, choice.tops, strict=True)
    ]
    by_how_many = np.sum(held, axis=0)
    return [
        RunShare(run, int(here.sum()), int((here & (by_how_many == 1)).sum()), int((here & is_new).sum()))
        for run, here in zip(choice.runs, held, strict=True)
    ]


def _largest(*columns: NDArray[np.int64]) -> int:
    return max(int(column.max(initial=0)) for column in columns)


def _likenesses(choice: Choice) -> list[Likeness]:
    both = combinations(zip(choice.runs, choice.tops, strict=True), 2)
    return [_likeness(*one, *other) for one, other in both if one[0].direction == other[0].direction]


def _likeness(first: Run, first_top: RankedPairs, second: Run, second_top: RankedPairs) -> Likeness:
    one, other = as_rankings([first_top, second_top])
    return Likeness(
        first=first,
        second=second,
        n_sources=len(one.indptr) - 1,
        overlap=_mean(overlap.overlap(one, other, k=OVERLAP_DEPTH)),
        rbo=_mean(overlap.rank_biased_overlap(one, other, p=RBO_P).ext),
        tau=_mean(overlap.kendall(one, other)),
        first_in_second=_mean(overlap.rank_of_favourite(one, other)),
        second_in_first=_mean(overlap.rank_of_favourite(other, one)),
    )


def _mean(values: NDArray[np.float64]) -> float:
    """Mean over the source items where it is defined; NaN where it is nowhere."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
