"""Previews of pools: their pairs and their cost, before they are opened."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil, isnan
from typing import Any, NamedTuple, Self

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from annotate.core.number_sets import distinct
from annotate.models import Collection, Direction, Policy, QuerySet
from annotate.services.policy.costs import golds_a_batch, pace
from pooling.core.likeness.likeness import Likeness, likeness
from pooling.core.strategies.selections import Layout
from pooling.models import Run
from pooling.services.pools.label_counts import label_counts
from pooling.services.pools.opening import newest_policy
from pooling.services.pools.pair_choice import PairChoice, as_pairs, choose_pairs

OVERLAP_DEPTH = 10
RBO_P = 0.9
ADDS_DEPTH = 10


class RunShare(NamedTuple):
    """Share of one run in a pool: its pairs, those no other run holds, those nobody has judged.

    n_unknown : results as deep as the strategy looks whose target the collection lacks; they are no
        pairs
    """

    pk: int
    name: str
    n_pairs: int
    n_unique: int
    n_new: int
    n_unknown: int = 0
    doubts: str = ""  # about the run's file


class DirectionLikeness(NamedTuple):
    """The runs of one direction, and the likeness of each two of them."""

    direction: str
    names: list[str]
    likeness: Likeness


class PoolPreview(NamedTuple):
    """A pool and its price.

    n_pairs = n_new + n_waiting + n_judged: nobody has asked about them, another open pool asks,
    people have answered
    n_queries : queries with any pair
    n_labels : wanted with planned doubles, beyond those that open pools ask for, without third
        labels on disagreement; n_golds : checks handed out among them
    n_further : of n_labels, those of pairs that an open pool asks about with fewer labels;
        n_further_pairs : these pairs
    hours : of people, at `seconds` a judgment; is_measured : whether that is this collection's
        median
    cost : hours at the rate asked for, None without one; currency : its name
    at : when this was counted
    n_unknown : results, each once, that are not counted since the collection lacks their targets
    policy_version : of the policy that the price is of
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
    likenesses: list[DirectionLikeness]
    at: datetime
    n_unknown: int = 0
    n_further: int = 0
    n_further_pairs: int = 0
    policy_version: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the preview as JSON, undefined likenesses as null."""
        return {
            **self._asdict(),
            "shares": [list(share) for share in self.shares],
            "likenesses": [
                [
                    direction_likeness.direction,
                    direction_likeness.names,
                    [
                        # None for what is undefined
                        [[None if isnan(cell) else cell for cell in row] for row in matrix.tolist()]
                        for matrix in direction_likeness.likeness
                    ],
                ]
                for direction_likeness in self.likenesses
            ],
            "at": self.at.isoformat(),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the preview that `as_json` wrote."""
        likenesses = [
            DirectionLikeness(
                direction,
                names,
                Likeness(
                    np.array(n_sources, dtype=np.int64),
                    *(np.array(rows, dtype=np.float64) for rows in means),
                ),
            )
            for direction, names, (n_sources, *means) in fields["likenesses"]
        ]
        shares = [RunShare(*columns) for columns in fields["shares"]]
        at = datetime.fromisoformat(fields["at"])
        return cls(**{**fields, "shares": shares, "likenesses": likenesses, "at": at})


def preview(
    *,
    collection: Collection,
    strategy: str,
    parameters: Mapping[str, object],
    runs: Sequence[Run],
    query_set: QuerySet | None = None,
    seed: int = 0,
) -> PoolPreview:
    """Preview the pairs of a pool and its cost at the collection's present policy and pace.

    Raises PoolError.
    """
    choice = choose_pairs(
        collection=collection,
        strategy=strategy,
        parameters=parameters,
        runs=runs,
        query_set=query_set,
        seed=seed,
    ).without_repeats()
    counts = label_counts(collection=collection, query=choice.query, document=choice.document)
    policy = newest_policy(collection)
    n_missing = counts.n_missing(policy=policy, key=bytes(collection.key))
    n_labels = _rounded(n_missing.sum())
    seconds, is_measured = pace(collection=collection)
    n_golds = _n_golds(collection, policy, n_labels)
    hours = (n_labels + n_golds) * seconds / 3600
    rate = parameters.get("rate")
    return PoolPreview(
        n_pairs=len(choice.query),
        n_new=int(np.count_nonzero(counts.is_untouched & ~counts.is_waiting)),
        n_waiting=int(np.count_nonzero(counts.is_untouched & counts.is_waiting)),
        n_judged=int(np.count_nonzero(counts.n_labels)),
        n_queries=len(distinct(choice.query)),
        n_labels=n_labels,
        n_golds=n_golds,
        seconds=seconds,
        is_measured=is_measured,
        hours=hours,
        cost=hours * float(str(rate)) if rate else None,
        currency=str(parameters.get("currency") or "EUR"),
        shares=_shares(choice, counts.is_untouched),
        likenesses=_likenesses(choice),
        at=timezone.now(),
        n_unknown=_n_unknown(choice),
        n_further=_rounded(n_missing[counts.is_waiting].sum()),
        n_further_pairs=int(np.count_nonzero(n_missing[counts.is_waiting])),
        policy_version=policy.version,
    )


def added_by(*, run: Run, depth: int = ADDS_DEPTH) -> PoolPreview:
    """Preview the cost of judging a run down to a depth.

    Raises PoolError for a run that is not in use.
    """
    return preview(
        collection=run.collection, strategy="depth-k", parameters={"depth": depth}, runs=[run]
    )


def _rounded(number: float) -> int:
    return int(np.floor(round(number, 6) + 0.5))  # a sum of expectations may miss its half


def _n_golds(collection: Collection, policy: Policy, n_labels: int) -> int:
    return ceil(n_labels / policy.batch_candidates) * golds_a_batch(
        collection=collection, policy=policy
    )


def _shares(choice: PairChoice, is_new: NDArray[np.bool_]) -> list[RunShare]:
    run_pairs = [
        choice.asked_pairs(as_pairs(run, top))
        for run, top in zip(choice.runs, choice.tops, strict=True)
    ]
    layout = Layout(
        [choice.query, *(pairs.source for pairs in run_pairs)],
        [choice.document, *(pairs.target for pairs in run_pairs)],
    )
    pool = layout.codes(choice.query, choice.document)  # ascending, as the pairs are
    positions: list[NDArray[np.int64]] = []  # of each run, in the pool's pairs
    for pairs in run_pairs:
        codes = layout.codes(*pairs)
        position = np.searchsorted(pool, codes)
        own = position[np.append(pool, -1)[position] == codes]
        positions.append(distinct(own) if choice.originals else own)
    n_runs_with_pair = np.bincount(
        np.concatenate([*positions, np.empty(0, np.int64)]), minlength=len(pool)
    )
    unknown = [int(np.count_nonzero(top.target < 0)) for top in choice.tops]
    return [
        RunShare(
            run.pk,
            run.name,
            len(own),
            int((n_runs_with_pair[own] == 1).sum()),
            int(is_new[own].sum()),
            n_unknown,
            run.doubts_text,
        )
        for run, own, n_unknown in zip(choice.runs, positions, unknown, strict=True)
    ]


def _n_unknown(choice: PairChoice) -> int:
    """Number of distinct pairs of a source and an unknown target, as deep as the strategy looks."""
    n = 0
    for direction in Direction:
        tops = [
            top
            for run, top in zip(choice.runs, choice.tops, strict=True)
            if run.direction == direction
        ]
        unknown_pairs = [(top.source[top.target < 0], top.target[top.target < 0]) for top in tops]
        if unknown_pairs:
            source, target = (
                np.concatenate(columns) for columns in zip(*unknown_pairs, strict=True)
            )
            n += np.unique(np.stack([source, target]), axis=1).shape[1]
    return n


def _likenesses(choice: PairChoice) -> list[DirectionLikeness]:
    """The likeness of the runs of each direction that has two or more."""
    return [
        _direction_likeness(choice, direction)
        for direction in Direction
        if sum(run.direction == direction for run in choice.runs) > 1
    ]


def _direction_likeness(choice: PairChoice, direction: Direction) -> DirectionLikeness:
    own = [
        (run, top)
        for run, top in zip(choice.runs, choice.tops, strict=True)
        if run.direction == direction
    ]
    own.sort(key=lambda run_and_top: run_and_top[0].name)
    matrices = likeness([top for _, top in own], k=OVERLAP_DEPTH, p=RBO_P)
    return DirectionLikeness(direction, [run.name for run, _ in own], matrices)
