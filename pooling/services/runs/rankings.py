"""Stored rankings as arrays."""

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.models import Collection, Item, QuerySet, QuerySetItem
from annotate.services.storage.number_arrays import sent_elements
from pooling.core.likeness.rankings import Rankings, ranks
from pooling.core.strategies.selections import RankedPairs, truncate
from pooling.models import Run

_TOPS = """
    SELECT ranking.source_id, cardinality(ranking.targets[1:%(depth)s]),
           array_send(ranking.targets[1:%(depth)s]),
           CASE WHEN %(with_scores)s THEN array_send(ranking.scores[1:%(depth)s]::float8[]) END
    FROM pooling_ranking ranking
    WHERE ranking.run_id = %(run)s AND cardinality(ranking.targets) > 0
      AND (%(query_set)s::bigint IS NULL OR ranking.source_id IN (
        SELECT member.item_id FROM annotate_querysetitem member
        WHERE member.query_set_id = %(query_set)s AND member.part = 'source'))
    ORDER BY ranking.source_id
"""
_TO_THE_END = 2**31 - 1


def load_top(
    *,
    run: Run,
    depth: int,
    query_set: QuerySet | None = None,
    leave_out: NDArray[np.int64],
    with_scores: bool = False,
) -> RankedPairs:
    """A run's first `depth` targets for each source item, as rows of item keys by source.

    query_set : only these source items; where it has a gallery, only its members are ranked
    leave_out : items that are not judged (see `left_out_keys`); targets below one of them move up,
        whereas an unknown target keeps its rank
    with_scores : with the scores that ordered the run; of a run ordered by ranks, the reversed rank
    """
    members = (
        query_set.members.filter(part=QuerySetItem.Part.GALLERY).values_list("item", flat=True)
        if query_set is not None
        else None
    )
    gallery = np.array(members, dtype=np.int64) if members else None
    reach = depth if not len(leave_out) and gallery is None else _TO_THE_END
    by_score = with_scores and run.score_type != Run.ScoreType.RANK
    parameters = {
        "run": run.pk,
        "depth": reach,
        "query_set": query_set.pk if query_set else None,
        "with_scores": by_score,
    }
    with connection.cursor() as cursor:
        cursor.execute(_TOPS, parameters)
        rows = cursor.fetchall()
    source = np.repeat([row[0] for row in rows], [row[1] for row in rows]).astype(np.int64)
    target = sent_elements((row[2] for row in rows), np.int64)
    score: NDArray[np.float64] | None = None
    if by_score:
        score = sent_elements((row[3] for row in rows), np.float64)
    if len(leave_out) or gallery is not None:
        is_kept = ~(np.isin(source, leave_out) | np.isin(target, leave_out))
        is_kept &= True if gallery is None else np.isin(target, gallery)
        source, target = source[is_kept], target[is_kept]
        score = None if score is None else score[is_kept]
    _, lengths = np.unique(source, return_counts=True)
    starts = np.append(0, np.cumsum(lengths))
    return truncate(
        RankedPairs(source, target, ranks(Rankings(starts, target)), score, starts), depth
    )


def excluded_keys(*, collection_id: int) -> list[int]:
    """Keys of the items that a lead left out; rankings hold them, as they may be taken back in."""
    items = Item.objects.filter(collection=collection_id, excluded_at__isnull=False)
    return list(items.order_by("pk").values_list("pk", flat=True))


def left_out_keys(*, collection: Collection) -> NDArray[np.int64]:
    """Keys of items that are not judged: excluded, or of another split than test."""
    items = Item.objects.filter(collection=collection).left_out()
    return np.array(items.values_list("pk", flat=True), dtype=np.int64)
