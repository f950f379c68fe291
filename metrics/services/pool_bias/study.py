"""Bias of a pool towards its runs: a kept value, computed when a viewer meets an old one."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Kept
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry
from metrics.core.comparisons import stopping
from metrics.core.measures import measures
from metrics.core.measures.alignment import RankedGrades
from metrics.core.pools import partial_labels
from metrics.core.pools.bias import bias_of_size
from metrics.services.leaderboard.facts import group_facts
from metrics.services.pool_bias.inputs import (
    DirectionStudy,
    PoolStudy,
    contributions,
    gather,
    labelled_rows,
    ranked_of,
)
from metrics.services.pool_bias.sample import estimate_runs
from pooling.core.strategies.selections import Pairs
from pooling.core.strategies.strategy_curves import curves
from pooling.models import Pool
from pooling.services.pools import strata

MEASURES = measures.parse("nDCG@10 AP mAP@R")
KIND = "pool-bias"
MAX_AGE = timedelta(seconds=60)  # whoever views an older value has it computed again
LOOK_BACKS = (50, 100, 300, 1_000, 3_000, 10_000)  # numbers of last labels left out
SUBSETS_PER_SIZE = 10  # subsets drawn for each size
LABEL_BUDGET = 2_000_000_000  # labels look at over all subsets: some minutes
MAX_POINTS = 60  # of a curve
MAX_SWAPS = 5  # named for each step
ScoreArray = NDArray[np.float64]


class LabelMasks(NamedTuple):
    """Masks of people's labels that count: S runs, L labels.

    without_own : (S, L) without the labels that only this run brought
    subsets, by_subset : subsets of the runs, and the (L,) mask of the labels that each brought
    look_backs, older : numbers of last labels left out, and the (L,) mask of the labels before them
    """

    without_own: NDArray[np.bool_]
    subsets: list[partial_labels.Subset]
    by_subset: list[NDArray[np.bool_]]
    look_backs: list[int]
    older: list[NDArray[np.bool_]]


class MaskedScores(NamedTuple):
    """Scores of all S runs on M measures under the masks, means over the Q queries.

    all_labels, without_own : (M, S); by_subset : (M, subsets, S); older : (M, steps, S)
    values : (M, S, Q) of each query, with all labels
    """

    all_labels: ScoreArray
    without_own: ScoreArray
    by_subset: ScoreArray
    older: ScoreArray
    values: ScoreArray


def inquiry_of(*, pool: Pool) -> Inquiry:
    """The inquiry whose value is the bias of this pool."""
    return Inquiry(pool.collection, KIND, str(pool.pk))


def _pool_of(inquiry: Inquiry) -> Pool | None:
    """The pool; None if it was deleted."""
    pools = Pool.objects.filter(pk=int(inquiry.key), collection=inquiry.collection)
    return pools.select_related("collection", "query_set").first()


def _freeze_strata(inquiry: Inquiry) -> None:
    if (pool := _pool_of(inquiry)) is not None:
        strata.freeze(pool=pool)


@kept.keeps(KIND, prepare=_freeze_strata, fresh_for=MAX_AGE, request_lasts=MAX_AGE)
def study_pool(inquiry: Inquiry, row: Kept | None) -> Computed | None:
    """Compute the bias of an opened pool, unless nothing has changed or it was deleted."""
    if (pool := _pool_of(inquiry)) is None:
        return None
    study = gather(pool=pool)
    if row is not None and row.digest == study.inputs_sha256:
        return None
    return Computed(_value(study), study.inputs_sha256)


def _value(study: PoolStudy) -> dict[str, Any]:
    n_runs, n_runs_done = sum(len(direction.runs) for direction in study.directions), 0
    directions: list[dict[str, Any]] = []
    for direction in study.directions:
        # One generator a direction, from the inputs alone: the same labels give the same numbers.
        rng = np.random.default_rng([int(study.inputs_sha256[:16], 16), len(directions)])
        n_runs_before = n_runs_done

        def report_progress(n: int, n_runs_before: int = n_runs_before) -> None:
            progress.advance(
                job=inquiry_of(pool=study.pool).job,
                n_done=n_runs_before + n,
                total=n_runs,
                unit="runs",
            )

        directions.append(_direction_value(study, direction, rng, report_progress))
        n_runs_done += len(direction.runs)
    return {
        "depth": study.depth,
        "measures": [measure.name for measure in MEASURES],
        "threshold": study.pool.collection.positive_from,
        "label_source": study.label_source.key,
        "n_labels": len(study.judgments.judgment),
        "directions": directions,
    }


def _direction_value(
    study: PoolStudy,
    direction: DirectionStudy,
    rng: np.random.Generator,
    report_progress: Callable[[int], None],
) -> dict[str, Any]:
    threshold, is_brought = study.pool.collection.positive_from, contributions(direction)
    masks = _masks(study, direction, is_brought, rng)
    scores = _masked_scores(direction, masks, threshold, report_progress)
    has_people_grade = ~np.isnan(direction.labels.people)
    positive = has_people_grade & (direction.labels.people >= threshold)
    return {
        "direction": str(direction.direction),
        "n_queries": len(direction.sources),
        "groups": group_facts(collection=study.pool.collection, scope=direction.scope),
        "n_labelled": int(np.count_nonzero(has_people_grade & is_brought.any(axis=0))),
        "n_positive": int(np.count_nonzero(positive & is_brought.any(axis=0))),
        "runs": _runs(direction, is_brought & has_people_grade, positive, scores),
        "bias": {
            m.name: _bias(masks.subsets, scores.by_subset[i], scores.all_labels[i])
            for i, m in enumerate(MEASURES)
        },
        "curves": list(_curves(direction, positive, rng)),
        "sample": estimate_runs(pool=study.pool, study=direction),
        "is_sample": study.pool.strategy == strata.SAMPLED,
        "stop": {
            measure.name: _stopping_value(direction, masks, scores, i, rng)
            for i, measure in enumerate(MEASURES)
        },
    }


def _masks(
    study: PoolStudy,
    direction: DirectionStudy,
    is_brought: NDArray[np.bool_],
    rng: np.random.Generator,
) -> LabelMasks:
    brought_by_none = np.asarray(~is_brought.any(axis=0))
    n_labels, n_runs = len(brought_by_none), len(direction.runs)
    n_judgments = len(study.judgments.judgment)
    n_a_size = int(np.clip(LABEL_BUDGET // max(1, n_labels * n_runs * 10), 1, SUBSETS_PER_SIZE))
    subsets = partial_labels.subsets(n_runs, n_a_size=n_a_size, rng=rng)
    look_backs = [step for step in LOOK_BACKS if step < n_judgments]
    # A pair's label is older when it was first judged before the last `step` labels; other pools'
    # labels always are.
    older = [
        (direction.first_judgment < n_judgments - step) | (direction.first_judgment == n_judgments)
        for step in look_backs
    ]
    by_subset = [
        np.asarray(brought_by_none | is_brought[subset.members].any(axis=0)) for subset in subsets
    ]
    return LabelMasks(
        ~partial_labels.unique_contributions(is_brought), subsets, by_subset, look_backs, older
    )


def _masked_scores(
    direction: DirectionStudy,
    masks: LabelMasks,
    threshold: float,
    report_progress: Callable[[int], None],
) -> MaskedScores:
    """Scores of every run under every mask; only one run's rankings are in memory at a time."""
    all_labels = np.ones(len(direction.labels.query), dtype=bool)
    shape = (len(MEASURES), len(direction.runs), len(direction.sources))
    values = np.zeros(shape)
    without_own, by_subset, older = np.zeros(shape[:2]), [], []
    for s, run in enumerate(direction.runs):
        rankings = ranked_of(direction, run, direction.labels.as_labels())
        means = partial(_means, direction, rankings, threshold)
        values[:, s] = partial_labels.values_with_labels(
            rankings, direction.labels, all_labels, MEASURES, threshold
        )
        without_own[:, s] = means([masks.without_own[s]])[0]
        by_subset.append(means(masks.by_subset))
        older.append(means(masks.older))
        report_progress(s + 1)
    return MaskedScores(
        all_labels=direction.groups.mean(values.transpose(2, 0, 1)),
        without_own=without_own,
        by_subset=np.array(by_subset).transpose(2, 1, 0),
        older=np.array(older).transpose(2, 1, 0),
        values=values,
    )


def _means(
    direction: DirectionStudy,
    rankings: RankedGrades,
    threshold: float,
    label_masks: Sequence[NDArray[np.bool_]],
) -> ScoreArray:
    """(masks, M) means of one run's scores, with the labels of each mask alone."""
    values = (
        partial_labels.values_with_labels(rankings, direction.labels, mask, MEASURES, threshold)
        for mask in label_masks
    )
    group_means = [direction.groups.mean(scores.T) for scores in values]
    return np.array(group_means).reshape(len(label_masks), len(MEASURES))


def _runs(
    direction: DirectionStudy,
    is_judged: NDArray[np.bool_],
    positive: NDArray[np.bool_],
    scores: MaskedScores,
) -> list[dict[str, Any]]:
    """One row a run.

    is_judged : (S, L) whether people labelled a pair that the run brought to the pool
    """
    unique = partial_labels.unique_contributions(is_judged)
    return [
        {
            "run": run.pk,
            "n_brought": len(direction.tops[s].source),
            "n_judged": int(np.count_nonzero(is_judged[s])),
            "n_unique": int(np.count_nonzero(unique[s])),
            "n_unique_positive": int(np.count_nonzero(unique[s] & positive)),
            "scores": {
                measure.name: {
                    "score": float(scores.all_labels[m, s]),
                    "without": float(scores.without_own[m, s]),
                    "rank": _rank(scores.all_labels[m], s, scores.all_labels[m, s]),
                    "rank_without": _rank(scores.all_labels[m], s, scores.without_own[m, s]),
                }
                for m, measure in enumerate(MEASURES)
            },
        }
        for s, run in enumerate(direction.runs)
    ]


def _rank(scores: ScoreArray, run_index: int, score: float) -> int:
    """Rank of a score among the other runs' scores with all labels, 1 = best."""
    return 1 + int(np.count_nonzero(np.delete(scores, run_index) > score))


def _bias(
    subsets: list[partial_labels.Subset], by_subset: ScoreArray, all_labels: ScoreArray
) -> list[dict[str, Any]]:
    distance = np.abs(by_subset - all_labels)
    rows = []
    for size in dict.fromkeys(subset.size for subset in subsets):
        same_size = [i for i, subset in enumerate(subsets) if subset.size == size]
        bias = bias_of_size(
            size, distance[same_size], np.array([subsets[i].members for i in same_size])
        )
        non_self = None if np.isnan(bias.non_self_bias) else bias.non_self_bias
        rows.append(
            {
                "size": size,
                "n_subsets": len(same_size),
                "bias": bias.bias,
                "self": bias.self_bias,
                "non_self": non_self,
            }
        )
    return rows


def _curves(
    direction: DirectionStudy, positive: NDArray[np.bool_], rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    positive_pairs = Pairs(
        direction.sources[direction.labels.query[positive]], direction.labels.doc[positive]
    )
    for curve in curves(
        [labelled_rows(direction, top) for top in direction.tops], positive_pairs, rng=rng
    ):
        n_spent = len(curve.n_judged)
        steps = np.linspace(0, n_spent - 1, min(n_spent, MAX_POINTS)).round().astype(int)
        yield {
            "name": curve.name,
            "is_live": curve.is_live,
            "points": [
                [int(curve.n_judged[i]), int(curve.n_positive[i])] for i in np.unique(steps)
            ],
        }


def _stopping_value(
    direction: DirectionStudy,
    masks: LabelMasks,
    scores: MaskedScores,
    measure_index: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    keys = [run.pk for run in direction.runs]
    steps = []
    for step, mask, older_scores in zip(
        masks.look_backs, masks.older, scores.older[measure_index], strict=True
    ):
        swaps = stopping.swapped_pairs(older_scores, scores.all_labels[measure_index])
        swapped_runs = [[keys[a], keys[b]] for a, b in swaps[:MAX_SWAPS]]
        steps.append(
            {
                "n": step,
                "n_pairs": int(np.count_nonzero(~mask)),
                "n_swaps": len(swaps),
                "swaps": swapped_runs,
            }
        )
    neighbours = stopping.neighbours(scores.values[measure_index], groups=direction.groups, rng=rng)
    return {
        "steps": steps,
        "neighbours": [
            {"better": keys[row.better], "worse": keys[row.worse], "share": row.share}
            for row in neighbours
        ],
    }
