"""Pairs, labels and agreement by pool, from the database."""

from typing import NamedTuple

import numpy as np

from annotate.core.phrases import counted
from annotate.models import Collection, Direction, Resolution, Round
from annotate.services.storage.number_arrays import Numbers, copied_columns
from annotate.statements import text_list
from metrics.charts.analyses.labels.by_pool import EVERYTHING, OUTSIDE, by_pool_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.by_pool import (
    PairOutcome,
    PairOutcomes,
    PoolMembers,
    RoundLabels,
    labels_by_pool,
)
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.labels.label_columns import CountingLabels, counting_labels
from metrics.services.numbers.inputs import resampling_unit
from metrics.services.scores.labels import n_propagated
from metrics.services.scores.propagation import propagation_sentence
from metrics.services.scores.query_groups import facts_of, groups_of

_STATUS = Resolution.Status
_PAIRS = f"""
    SELECT pair.id::bigint, pair.query_id::bigint, coalesce(resolution.grade, -1)::bigint, CASE
        WHEN resolution.grade IS NOT NULL THEN {PairOutcome.GRADED:d}
        WHEN resolution.status = '{_STATUS.DISPUTED}' THEN {PairOutcome.DISPUTED:d}
        WHEN resolution.status = '{_STATUS.ESCALATED}' THEN {PairOutcome.ESCALATED:d}
        WHEN resolution.status = '{_STATUS.WAITING}' THEN {PairOutcome.WAITING:d}
        ELSE {PairOutcome.UNLABELLED:d} END::bigint
    FROM annotate_pair pair LEFT JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
    WHERE pair.collection_id = %s
"""  # noqa: S608 - own words
_MEMBERS = f"""
    SELECT round_pair.round_id::bigint, round_pair.pair_id::bigint
    FROM annotate_roundpair round_pair JOIN annotate_round round ON round.id = round_pair.round_id
    WHERE round.collection_id = %s AND round.kind IN {text_list(Round.FOR_LABELS)}
        AND round_pair.dropped_at IS NULL
"""  # noqa: S608 - own words


class _Pools(NamedTuple):
    """The pairs that a pool holds or people labelled, but for excluded ones, and their pools.

    pair : (P,) ascending keys; query, outcome, grade : (P,); n_shared : pairs of several pools
    """

    pair: Numbers
    query: Numbers
    outcome: Numbers
    grade: Numbers
    members: list[PoolMembers]
    n_shared: int


def by_pool(request: AnalysisRequest) -> AnalysisResult:
    """Pairs, their grades, labels and agreement of each pool and import, and of the collection."""
    collection = request.collection
    labels = counting_labels(collection=collection)
    columns = labels.columns
    pools = _pools(collection, labels)
    queries, position = np.unique(pools.query, return_inverse=True)
    groups = groups_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    facts = facts_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    programs = [pk for pk, annotator in labels.annotators.items() if annotator.is_program]
    levels = collection.levels.order_by("grade").values_list("grade", flat=True)
    rows = labels_by_pool(
        pools.members,
        PairOutcomes(pools.outcome, pools.grade, groups.of_query[position]),
        RoundLabels(
            pair=np.searchsorted(pools.pair, columns.pair),
            grade=columns.grade,
            round=columns.round,
            is_planned=columns.is_planned,
            is_by_program=np.isin(columns.annotator, programs),
        ),
        threshold=request.spec.scores.threshold,
        domain=np.array(levels, dtype=np.int64),
        level=collection.measurement,
    )
    notes = labels.notes
    if pools.n_shared:
        verb = "is" if pools.n_shared == 1 else "are"
        notes.append(
            f"{counted(pools.n_shared, 'pair')} {verb} of several pools: counted in each, and once "
            "in the collection."
        )
    if n := n_propagated(collection=collection):
        notes.append(f"{propagation_sentence(n)} Here only labels of the pair itself count.")
    notes += [note for note in (facts.choice, facts.caution) if note]
    return by_pool_result(
        rows,
        threshold=request.spec.scores.threshold,
        level=collection.measurement,
        groups=resampling_unit(facts),
        notes=notes,
    )


def _pools(collection: Collection, labels: CountingLabels) -> _Pools:
    """Read the pools and their pairs; three queries."""
    pairs = copied_columns(_PAIRS, ("pair", "query", "grade", "outcome"), [collection.pk])
    members = copied_columns(_MEMBERS, ("round", "pair"), [collection.pk])
    order = np.argsort(pairs["pair"])
    pairs = {name: values[order] for name, values in pairs.items()}
    n_pools = np.bincount(np.searchsorted(pairs["pair"], members["pair"]), minlength=len(order))
    counts = pairs["outcome"] != PairOutcome.UNLABELLED
    counts[np.searchsorted(pairs["pair"], labels.columns.pair)] = True
    counts = (counts | (n_pools > 0)) & ~np.isin(pairs["pair"], labels.excluded_pairs)
    pairs = {name: values[counts] for name, values in pairs.items()}
    n_pools = n_pools[counts]
    is_member = ~np.isin(members["pair"], labels.excluded_pairs)
    round_, position = (
        members["round"][is_member],
        np.searchsorted(pairs["pair"], members["pair"][is_member]),
    )
    order = np.argsort(round_, kind="stable")
    round_, position = round_[order], position[order]
    rounds = Round.objects.filter(collection=collection, kind__in=Round.FOR_LABELS)
    parts = []
    for pk, kind, name, pool in rounds.order_by("pk").values_list(
        "pk", "kind", "name", "pool__name"
    ):
        first, end = np.searchsorted(round_, [pk, pk + 1])
        parts.append(PoolMembers(pool or name, kind, pk, position[first:end]))
    if (n_pools == 0).any():
        parts.append(PoolMembers(OUTSIDE, "", None, np.flatnonzero(n_pools == 0)))
    parts.append(PoolMembers(EVERYTHING, "", None, np.arange(len(n_pools))))
    return _Pools(
        pairs["pair"],
        pairs["query"],
        pairs["outcome"],
        pairs["grade"],
        parts,
        int(np.count_nonzero(n_pools > 1)),
    )
