"""Pairs that runs brought to the pools of a collection, and the labels of each pair by origin."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from annotate.models import Collection, Direction
from annotate.services.collection.duplicates import originals_of
from annotate.services.storage.number_arrays import copied_columns
from metrics.core.labels.label_sources import Grades, LabelSource, People, no_grades
from metrics.core.measures.alignment import RankedGrades
from metrics.core.pools.partial_labels import LabelsByOrigin, labels_by_origin
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    people_parts_of,
    runs_of,
    source_grades,
)
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores.labels import Ids, ends
from metrics.services.scores.propagation import mask_of
from pooling.core.strategies.selections import Layout, Pairs, is_in
from pooling.core.strategies.strategies import depth_of
from pooling.models import Pool, Run
from pooling.services.runs.rankings import left_out_keys, load_top

_POOL_PAIRS = """
    SELECT pool_pair.pool_id::bigint, pair.query_id::bigint, pair.document_id::bigint
    FROM pooling_poolpair pool_pair JOIN annotate_pair pair ON pair.id = pool_pair.pair_id
    JOIN pooling_pool pool ON pool.id = pool_pair.pool_id
    WHERE pool.collection_id = %s AND pool.opened_at IS NOT NULL
"""


class OpenedPools(NamedTuple):
    """The opened pools of runs of a direction, in order, and the runs in use of each by its key."""

    pools: list[Pool]
    members: dict[int, list[Run]]

    @property
    def runs(self) -> list[Run]:
        """The runs in use of any of them, by key, hidden ones too."""
        runs = {run.pk: run for of_pool in self.members.values() for run in of_pool}
        return [runs[pk] for pk in sorted(runs)]


class PoolRanks(NamedTuple):
    """The ranks in a run of those pairs that a pool has.

    pool : its number, from 1; rows : (n,) of the pairs; rank : (n,) 0 where the pool cannot have
        taken the pair from the run
    """

    pool: int
    run: Run
    rows: NDArray[np.int64]
    rank: NDArray[np.int64]


class BroughtLabels(NamedTuple):
    """The labels of a direction, and which runs brought their pairs to pools.

    runs : S runs in use of the opened pools, and the chosen ones; chosen_rows : rows of the latter
    is_pooled : (S,) whether a pool has it; teams : (S,) 0, 1, ...; no two runs without a team share
    ranks : (S, L) of each pair in each run that brought it, 0 elsewhere
    is_own : (L,) whether the pair itself has people's grade, not a copy's
    depths : of the pools of this direction, ascending
    """

    inputs: DirectionInputs
    runs: list[Run]
    chosen_rows: list[int]
    is_pooled: list[bool]
    teams: list[int]
    labels: LabelsByOrigin
    ranks: NDArray[np.int32]
    is_own: NDArray[np.bool_]
    depths: list[int]

    @property
    def is_brought(self) -> NDArray[np.bool_]:
        """(S, L) whether each run brought each pair."""
        return np.asarray(self.ranks > 0)

    @property
    def n_pooled(self) -> int:
        """The number of runs in use of the opened pools, chosen or not."""
        return sum(self.is_pooled)

    def kept_label_notes(self, rows: Sequence[int]) -> list[str]:
        """A sentence on pooled runs beside those of some rows, whose own labels always count."""
        n_more = self.n_pooled - len(rows)
        if not n_more:
            return []
        verb, pronoun = ("is", "it") if n_more == 1 else ("are", "they")
        return [
            f"{counted(n_more, 'more run')} {verb} pooled and not among these: labels that "
            f"{pronoun} brought and none of these did count throughout."
        ]

    def ranked(self, row: int) -> RankedGrades:
        """Rank the labelled targets of the queries in a run."""
        sources = self.inputs.scope.sources
        pairs = self.labels.as_labels()
        grades = Grades(sources[pairs.query], pairs.doc, pairs.grade.astype(np.int64))
        return ranked_tables(self.inputs, self.runs[row], [grades])[0]


def brought_labels(request: AnalysisRequest, *, least: int) -> BroughtLabels:
    """Read labels and their origin; raises NotDefined without people's labels, or without pools.

    least : chosen runs; a run that holds a duplicate brought the pair of its original
    """
    inputs = direction_inputs(request)
    runs = runs_of(request, least=least)
    source = LabelSource.parse(inputs.spec.label_source)
    if not source.has_people:
        raise NotDefined(
            "These labels are a reference's, which no run brought: choose people's labels."
        )
    parts = people_parts_of(inputs)
    people = parts.whole
    if not len(people.grade):
        raise NotDefined("People have given no pair of these queries a grade yet.")
    reference = source_grades(inputs, source.reference) if source.reference else no_grades()
    labels = labels_by_origin(people, reference, inputs.scope.sources)
    if source.people == People.UNION:  # the larger of the two
        has_people = ~np.isnan(labels.people)
        larger = np.fmax(labels.people, labels.reference)
        labels = labels._replace(people=np.where(has_people, larger, np.nan))
    direction = inputs.scope.direction
    pool_set = opened_pools(collection=request.collection, direction=direction)
    if not pool_set.pools:
        raise NotDefined("No pool of runs of this direction has been opened yet.")
    pairs = Grades(
        inputs.scope.sources[labels.query], labels.doc, np.zeros(len(labels.doc), dtype=np.int64)
    )
    pooled_runs = {run.pk: run for run in pool_set.runs}
    rows = sorted({**pooled_runs, **{run.pk: run for run in runs}}.values(), key=lambda run: run.pk)
    names = [run.team or f"\0{run.pk}" for run in rows]
    return BroughtLabels(
        inputs=inputs,
        runs=rows,
        chosen_rows=[rows.index(run) for run in runs],
        is_pooled=[run.pk in pooled_runs for run in rows],
        teams=np.unique(names, return_inverse=True)[1].tolist(),
        labels=labels,
        ranks=_ranks(request, pool_set, rows, pairs),
        is_own=mask_of(pairs, parts.own),
        depths=sorted({depth_of(pool.strategy, pool.parameters) for pool in pool_set.pools}),
    )


def opened_pools(*, collection: Collection, direction: Direction) -> OpenedPools:
    """Read the opened pools of runs of a direction; a query, and one for each pool."""
    rows = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    rows = rows.filter(runs__direction=direction).select_related("query_set")
    pools = list(rows.order_by("pk").distinct())
    members = {pool.pk: list(pool.runs.in_use().filter(direction=direction)) for pool in pools}
    return OpenedPools(pools, members)


def pool_ranks(
    *, collection: Collection, direction: Direction, pool_set: OpenedPools, pairs: Grades
) -> Iterator[PoolRanks]:
    """Rank the pairs of each pool in each of its runs; two queries, then one for each of those.

    A run that holds a duplicate brought the pair of its original.
    """
    originals = originals_of(collection=collection)
    left_out = left_out_keys(collection=collection)
    pool_pairs = copied_columns(_POOL_PAIRS, ("pool", "query", "document"), [collection.pk])
    source_name, target_name = ends(direction)
    source, target = originals.of(pairs.source), originals.of(pairs.target)
    for number, pool in enumerate(pool_set.pools, start=1):
        of_pool = pool_pairs["pool"] == pool.pk
        own_pairs = Pairs(
            originals.of(pool_pairs[source_name][of_pool]),
            originals.of(pool_pairs[target_name][of_pool]),
        )
        rows = np.flatnonzero(is_in(source, target, own_pairs))
        depth = depth_of(pool.strategy, pool.parameters)
        for run in pool_set.members[pool.pk]:
            top = load_top(run=run, depth=depth, query_set=pool.query_set, leave_out=left_out)
            run_pairs = Pairs(originals.of(top.source), originals.of(top.target))
            rank = _ranks_in(Pairs(source[rows], target[rows]), run_pairs, top.rank)
            yield PoolRanks(number, run, rows, rank)


def _ranks(
    request: AnalysisRequest, pool_set: OpenedPools, runs: list[Run], pairs: Grades
) -> NDArray[np.int32]:
    """(S, L) best rank of a pair in a run, so high that a pool which holds it took it from there.

    0 where there is none.
    """
    row_of = {run.pk: row for row, run in enumerate(runs)}
    ranks = np.zeros((len(runs), len(pairs.source)), dtype=np.int32)
    of_pools = pool_ranks(
        collection=request.collection,
        direction=Direction(request.spec.direction),
        pool_set=pool_set,
        pairs=pairs,
    )
    for number, run, rows, rank in of_pools:
        before = ranks[row_of[run.pk], rows]
        is_better = (rank > 0) & ((before == 0) | (rank < before))
        ranks[row_of[run.pk], rows] = np.where(is_better, rank, before)
        request.report_progress(number, len(pool_set.pools), "pools")
    return ranks


def _ranks_in(pairs: Pairs, run_pairs: Pairs, rank: Ids) -> Ids:
    """(M,) the best rank of each pair among N others, 0 for none; rank : (N,)."""
    if not len(rank):
        return np.zeros(len(pairs.source), dtype=np.int64)
    layout = Layout([pairs.source, run_pairs.source], [pairs.target, run_pairs.target])
    codes = layout.codes(*run_pairs)
    order = np.lexsort((rank, codes))
    pair_codes = layout.codes(*pairs)
    position = np.minimum(np.searchsorted(codes[order], pair_codes), len(order) - 1)
    return np.where(codes[order][position] == pair_codes, rank[order][position], 0)
