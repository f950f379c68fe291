"""The loss of each pooled run without the labels of pairs that it alone brought (FIRE, Table 4).

The measure is average precision, which looks at all ranks; labels are people's over those of the
oldest reference set, the usual source of scores. Where people's label is taken away the
reference's comes back, as it existed before the pool. The numbers are those of the analysis
"unique-positives" by the same choices.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Direction, QuerySet
from metrics.core.labels.label_sources import Grades, no_grades, usual_source
from metrics.core.measures.measures import parse_one
from metrics.core.pools.partial_labels import LabelsByOrigin, labels_by_origin, values_with_labels
from metrics.core.releases.manifest import PoolBiasEntry
from metrics.services.analysis.pool.brought import OpenedPools, opened_pools, pool_ranks
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.leaderboard.choices.choices import METHODS, LeaderboardSpec
from metrics.services.scores import labels
from metrics.services.scores.propagation import mask_of

MEASURE = "AP"
NO_RUN, SEVERAL_RUNS = -1, -2


class SolePairs(NamedTuple):
    """The bias of pools towards their runs; `undefined` says why there are no entries, else ""."""

    entries: tuple[PoolBiasEntry, ...]
    undefined: str


def sole_pairs(
    *, collection: Collection, query_set: QuerySet, aliases: Mapping[int, str]
) -> SolePairs:
    """Score the pooled runs of a query set's direction with all labels, and without their own.

    aliases : by the key of every run of the collection that is not hidden
    Runs in use count, hidden ones too: no other run brought alone a pair that they brought. They
    have no entry. Rankings are read run by run, once for the run and once for each of its pools.
    """
    direction = Direction(query_set.direction)
    pool_set = opened_pools(collection=collection, direction=direction)
    if undefined := _why_no_runs(pool_set, direction):
        return SolePairs((), undefined)
    inputs = choice_values.direction_inputs(
        collection=collection, spec=_spec(collection, query_set, pool_set), query_set=query_set
    )
    if undefined := _why_no_labels(inputs):
        return SolePairs((), undefined)
    return SolePairs(_entries(inputs, pool_set, aliases), "")


def _why_no_runs(pool_set: OpenedPools, direction: Direction) -> str:
    if not pool_set.pools:
        return f"No pool of runs from {direction.sources} to {direction.targets} was opened."
    if len(pool_set.runs) < 2:
        return "It takes two pooled runs that are in use to tell what one of them alone brought."
    if all(run.is_hidden for run in pool_set.runs):
        return "No pooled run may be told of."
    return ""


def _why_no_labels(inputs: DirectionInputs) -> str:
    people = inputs.labels.people
    sources = inputs.scope.direction.sources
    if people is None or not len(people.whole.grade):
        return f"People gave no pair of these {sources} a grade."
    if inputs.undrawn:
        return (
            "Pairs that a sample left undrawn have no label, so the scores of runs without their "
            "own pairs need estimates that are not made here."
        )
    return ""


def _spec(collection: Collection, query_set: QuerySet, pool_set: OpenedPools) -> LeaderboardSpec:
    return LeaderboardSpec(
        measures=(MEASURE,),
        threshold=collection.positive_from,
        label_source=usual_source(labels.set_names(collection=collection)).key,
        people="",
        query_set=query_set.name,
        judged_only=False,
        words=(None, None),
        method=METHODS[0],
        runs=tuple(run.pk for run in pool_set.runs),
        kind="analysis",
    )


def _entries(
    inputs: DirectionInputs, pool_set: OpenedPools, aliases: Mapping[int, str]
) -> tuple[PoolBiasEntry, ...]:
    parts = inputs.labels.people
    assert parts is not None, "the label source has people"  # noqa: S101
    reference = inputs.labels.reference
    reference = no_grades() if reference is None else reference
    by_origin = labels_by_origin(parts.whole, reference, inputs.scope.sources)
    pairs = _pairs_of(inputs, by_origin)
    sole_run = _sole_runs(inputs, pool_set, pairs)
    threshold = inputs.spec.threshold
    is_positive = mask_of(pairs, parts.own) & (by_origin.people >= threshold)
    measure, weight = parse_one(MEASURE), inputs.groups.weight
    entries = []
    for run in pool_set.runs:
        if run.is_hidden:
            continue
        (rankings,) = ranked_tables(inputs, run, [pairs])
        is_own = (sole_run == run.pk) & ~np.isnan(by_origin.people)
        with_all, without_own = (
            measure.average(
                values_with_labels(rankings, by_origin, is_kept, [measure], threshold)[0],
                weight=weight,
            )
            for is_kept in (np.ones(len(is_own), dtype=bool), ~is_own)
        )
        entries.append(
            PoolBiasEntry(
                run=aliases[run.pk],
                direction=inputs.query_set.direction,
                query_set=inputs.query_set.name,
                measure=MEASURE,
                with_all=with_all,
                without_own=without_own,
                n_unique_positives=int(np.count_nonzero(is_own & is_positive)),
            )
        )
    return tuple(sorted(entries, key=lambda entry: entry.run))


def _pairs_of(inputs: DirectionInputs, by_origin: LabelsByOrigin) -> Grades:
    """The labelled pairs by the keys of their items."""
    grade = by_origin.as_labels().grade.astype(np.int64)
    return Grades(inputs.scope.sources[by_origin.query], by_origin.doc, grade)


def _sole_runs(inputs: DirectionInputs, pool_set: OpenedPools, pairs: Grades) -> NDArray[np.int64]:
    """(L,) key of the only run that brought each pair to a pool; below 0 for none and several.

    One number a pair, however many runs there are.
    """
    sole_run = np.full(len(pairs.source), NO_RUN)
    for _, run, rows, rank in pool_ranks(
        collection=inputs.collection,
        direction=inputs.scope.direction,
        pool_set=pool_set,
        pairs=pairs,
    ):
        own_rows = rows[rank > 0]
        before = sole_run[own_rows]
        is_new = (before == NO_RUN) | (before == run.pk)
        sole_run[own_rows] = np.where(is_new, run.pk, SEVERAL_RUNS)
    return sole_run
