"""What a pool would hold and cost, before it is opened."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil
from typing import NamedTuple

import numpy as np
from django.db import connection
from django.utils import timezone
from numpy.typing import NDArray

from annotate.models import Collection, Direction, Gold, Policy, QuerySet
from pooling.core.likeness import Likeness, likeness
from pooling.core.selections import Layout
from pooling.models import Run
from pooling.services.choosing import Choice, as_pairs, choose_pairs

USUAL_SECONDS = 9.0  # for a judgment, until the collection has a median of its own
OVERLAP_DEPTH = 10
RBO_P = 0.9
ADDS_DEPTH = 10
_STANDING = """
    SELECT chosen.place - 1, coalesce(resolution.n_labels, 0), EXISTS (
        SELECT FROM annotate_roundpair wish JOIN annotate_round round ON round.id = wish.round_id
        WHERE wish.pair_id = pair.id AND wish.dropped_at IS NULL AND round.kind = 'pool'
          AND round.state IN ('opening', 'open'))
    FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS chosen(query, document, place)
    JOIN annotate_pair pair ON pair.query_id = chosen.query AND pair.document_id = chosen.document
    LEFT JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
"""
_MEDIAN = """
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY active_ms) FROM annotate_judgment
    WHERE collection_id = %s AND active_ms IS NOT NULL
"""


class RunShare(NamedTuple):
    """What one run brings to a pool: pairs it holds, those no other run holds, those nobody has judged.

    n_unknown : results as deep as the strategy looks whose target the collection lacks; they are no pairs
    """

    pk: int
    name: str
    n_pairs: int
    n_unique: int
    n_new: int
    n_unknown: int = 0
    doubts: str = ""  # what to think of before using the run


class Alike(NamedTuple):
    """The runs of one direction, and how alike each two of them are."""

    direction: str
    names: list[str]
    likeness: Likeness


class Preview(NamedTuple):
    """A pool and its price.

    n_pairs = n_new + n_waiting + n_judged: nobody has asked about them, another open pool asks, people have answered
    n_queries : queries with any pair
    n_labels : wanted with planned doubles, without third labels on disagreement; n_golds : checks handed out among them
    hours : of people, at `seconds` a judgment; is_measured : whether that is this collection's median
    cost : hours at the rate asked for, None without one; currency : its name
    at : when this was counted
    n_unknown : results, each once, that are not counted since the collection lacks their targets
    """

    n_pairs: int
    n_new: int
    n_waiting: int
    n_judged: int
    n_queries: int
    n_labels: int
    n_golds: int
    seconds: float
    is_measured: bool
    hours: float
    cost: float | None
    currency: str
    shares: list[RunShare]
    alike: list[Alike]
    at: datetime
    n_unknown: int = 0


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
    hours = (wanted + n_golds) * seconds / 3600
    rate = parameters.get("rate")
    return Preview(
        n_pairs=len(choice.query),
        n_new=int(np.count_nonzero((n_labels == 0) & ~is_waiting)),
        n_waiting=int(np.count_nonzero((n_labels == 0) & is_waiting)),
        n_judged=int(np.count_nonzero(n_labels)),
        n_queries=len(np.unique(choice.query)),
        n_labels=wanted,
        n_golds=n_golds,
        seconds=seconds,
        is_measured=is_measured,
        hours=hours,
        cost=hours * float(str(rate)) if rate else None,
        currency=str(parameters.get("currency") or "EUR"),
        shares=_shares(choice, n_labels == 0),
        alike=[_alike(choice, direction) for direction in Direction if _n_of(choice, direction) > 1],
        at=timezone.now(),
        n_unknown=_n_unknown(choice),
    )


def adds(*, run: Run, depth: int = ADDS_DEPTH) -> Preview:
    """What judging a run down to a depth would cost. Raises PoolError for a run that is not in use."""
    return preview(collection=run.collection, strategy="depth-k", parameters={"depth": depth}, runs=[run])


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
    held = [as_pairs(run, top) for run, top in zip(choice.runs, choice.tops, strict=True)]
    layout = Layout([choice.query, *(each.source for each in held)], [choice.document, *(each.target for each in held)])
    pool = layout.codes(choice.query, choice.document)  # ascending, as the pairs are
    found = [_found(pool, layout.codes(*each)) for each in held]
    by_how_many = np.bincount(np.concatenate([*found, np.empty(0, np.int64)]), minlength=len(pool))
    unknown = [int(np.count_nonzero(top.target < 0)) for top in choice.tops]
    return [
        RunShare(
            run.pk, run.name, len(here), int((by_how_many[here] == 1).sum()), int(is_new[here].sum()), n_unknown,
            run.doubts_text,
        )
        for run, here, n_unknown in zip(choice.runs, found, unknown, strict=True)
    ]


def _n_unknown(choice: Choice) -> int:
    """Source and unknown target, each two once, as deep as the strategy looks."""
    n = 0
    for direction in Direction:
        tops = [top for run, top in zip(choice.runs, choice.tops, strict=True) if run.direction == direction]
        lacking = [(top.source[top.target < 0], top.target[top.target < 0]) for top in tops]
        if lacking:
            source, target = (np.concatenate(columns) for columns in zip(*lacking, strict=True))
            n += np.unique(np.stack([source, target]), axis=1).shape[1]
    return n


def _found(known: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the wanted values that are known stand; known : ascending."""
    at = np.searchsorted(known, wanted)
    return at[np.append(known, -1)[at] == wanted]


def _n_of(choice: Choice, direction: Direction) -> int:
    return sum(run.direction == direction for run in choice.runs)


def _alike(choice: Choice, direction: Direction) -> Alike:
    own = [(run, top) for run, top in zip(choice.runs, choice.tops, strict=True) if run.direction == direction]
    own.sort(key=lambda both: both[0].name)
    matrices = likeness([top for _, top in own], k=OVERLAP_DEPTH, p=RBO_P)
    return Alike(direction, [run.name for run, _ in own], matrices)
