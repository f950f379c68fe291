"""The runs' rankings for one query, and its scores in each run."""

import struct
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from django.db.models import BinaryField
from django.db.models.functions import Substr

from annotate.core.figures import sum_text
from annotate.models import Collection, Item, QuerySet, QuerySetItem
from metrics.core.measures.alignment import LabelledPairs
from metrics.explorer_state import ExplorerState
from metrics.models import Score
from metrics.services.scores.labels import scope_of
from metrics.services.scores.ranks import matrix_grades, matrix_of
from pooling.models import Ranking, Run

FLOAT64 = struct.Struct("<d")


class QueryScore(NamedTuple):
    """One measure of one run on the query, in per cent.

    reference_only : None where there is no reference
    """

    score: float
    reference_only: float | None

    @property
    def text(self) -> str:
        """A (B + C) as on the leaderboard, or A alone; rounded so that printed numbers add up."""
        return sum_text(self.score, self.reference_only)


class QueryRanking(NamedTuple):
    """One run's targets for the query, those that count, best first.

    targets : None where the run does not hold the query
    """

    run: Run
    targets: list[int] | None
    ranks: dict[int, int]

    def rank(self, target: int) -> int | None:
        """The rank of a target, from 1; None where it has none."""
        return self.ranks.get(target)


def rankings_of(*, query_set: QuerySet, source: Item, runs: list[Run]) -> list[QueryRanking]:
    """The runs' rankings, without targets that no score counts.

    Four database queries, however many runs.
    """
    rows = Ranking.objects.filter(run__in=runs, source=source).values_list("run", "targets")
    targets_of: dict[int, list[int]] = dict(rows)
    left_out = _left_out(
        query_set, {target for targets in targets_of.values() for target in targets}
    )
    rankings = []
    for run in runs:
        targets = targets_of.get(run.pk)
        kept_targets = (
            None if targets is None else [target for target in targets if target not in left_out]
        )
        rankings.append(
            QueryRanking(
                run,
                kept_targets,
                {target: rank for rank, target in enumerate(kept_targets or [], start=1)},
            )
        )
    return rankings


def with_matrix_ranks(
    rankings: list[QueryRanking], *, query_set: QuerySet, source: Item, targets: list[int]
) -> list[QueryRanking]:
    """The rankings, with ranks of targets also beyond the depth that a matrix's ranking stores.

    targets : those to rank
    """
    matrices = [matrix_of(ranking.run) for ranking in rankings]
    if not any(matrices):
        return rankings
    scope, unit_grades = scope_of(query_set=query_set), np.ones(len(targets), dtype=np.int64)
    pairs = LabelledPairs(0 * unit_grades, np.array(targets, dtype=np.int64), unit_grades)
    sources = np.array([source.pk])
    with_ranks = []
    for ranking, matrix in zip(rankings, matrices, strict=True):
        if matrix is None:
            with_ranks.append(ranking)
            continue
        (grades,) = matrix_grades(matrix=matrix, scope=scope, sources=sources, tables=[pairs])
        ranks = {
            targets[row]: rank
            for row, rank in zip(grades.label.tolist(), grades.rank.tolist(), strict=True)
        }
        with_ranks.append(ranking._replace(ranks=ranking.ranks | ranks))
    return with_ranks


def counting_targets(*, query_set: QuerySet, targets: Iterable[int]) -> list[int]:
    """The targets that scores count, in the order given."""
    ordered_targets = list(targets)
    left_out = _left_out(query_set, set(ordered_targets))
    return [target for target in ordered_targets if target not in left_out]


def _left_out(query_set: QuerySet, targets: set[int]) -> set[int]:
    """The targets that are left out of evaluation or stand outside the query set's gallery."""
    excluded_targets = Item.objects.filter(pk__in=targets).left_out().values_list("pk", flat=True)
    gallery = QuerySetItem.objects.filter(query_set=query_set, part=QuerySetItem.Part.GALLERY)
    left_out = set(excluded_targets)
    if gallery.exists():
        left_out |= targets - set(gallery.filter(item__in=targets).values_list("item", flat=True))
    return left_out


def scores_of(
    *,
    collection: Collection,
    query_set: QuerySet,
    state: ExplorerState,
    query_index: int,
    n_queries: int,
) -> dict[int, dict[str, QueryScore]]:
    """Each run's stored values for the query at an index of the query set, by measure.

    One database query. Only the eight bytes of the query leave the database, not the values of all
    queries.
    """
    stored_value = Substr(
        "per_query", FLOAT64.size * query_index + 1, FLOAT64.size, output_field=BinaryField()
    )
    scores = Score.objects.filter(
        query_set=query_set,
        run__in=state.runs,
        n_queries=n_queries,
        threshold=collection.positive_from,
        label_source__in=state.label_source.with_reference,
    )
    values_by_key: dict[tuple[int, str, str], float] = {}
    for run, source, measure, value in scores.values_list(
        "run", "label_source", "measure", stored_value
    ):
        values_by_key[run, source, measure] = 100 * FLOAT64.unpack(value)[0]
    scores_by_run: dict[int, dict[str, QueryScore]] = {}
    reference = str(state.label_source.reference)
    for (run, source, measure), whole in values_by_key.items():
        if source == state.label_source.key:
            scores_by_run.setdefault(run, {})[measure] = QueryScore(
                whole, values_by_key.get((run, reference, measure))
            )
    return scores_by_run
