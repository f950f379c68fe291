"""What a pool favours, kept as a snapshot: computed in the background when somebody looks and the last one is old."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from django.core.cache import cache
from django.db.models.functions import Now
from django.utils import timezone
from numpy.typing import NDArray

from annotate.services.background import progress
from metrics.core import favour, measures, stopping
from metrics.core.bias import bias_of_size
from metrics.models import Snapshot
from metrics.services.leaderboard_measuring import group_facts
from metrics.services.moments import one_moment
from metrics.services.pool_sample import inferred
from metrics.services.pool_study import Side, Study, brought, gather, labelled, ranked_of
from pooling.core.replaying import curves
from pooling.core.selections import Pairs
from pooling.models import Pool
from pooling.services import strata

MEASURES = measures.parse("nDCG@10 AP mAP@R")
AGE = timedelta(seconds=60)  # a snapshot older than this is looked at again
STEPS = (100, 300, 1_000, 3_000, 10_000)  # labels back
N_A_SIZE = 10  # subsets drawn for each size
BUDGET = 2_000_000_000  # labels looked at over all subsets: some minutes
MAX_POINTS = 60  # of a curve
MAX_SWAPS = 5  # named for each step
Matrix = NDArray[np.float64]


class Masks(NamedTuple):
    """Which labels of people count: all but what only a run brought, by run; those a subset brought; older ones.

    without : (S, L); subsets and parts : which subset and its (L,) mask; steps and older : how many labels back, (L,)
    """

    without: NDArray[np.bool_]
    subsets: list[favour.Subset]
    parts: list[NDArray[np.bool_]]
    steps: list[int]
    older: list[NDArray[np.bool_]]


class Scored(NamedTuple):
    """Scores of all S runs: `full` and `without` (M, S), `parts` (M, subsets, S), `older` (M, steps, S), means over the
    Q queries; `values` (M, S, Q) with all labels."""

    full: Matrix
    without: Matrix
    parts: Matrix
    older: Matrix
    values: Matrix


def kind_of(pool: Pool) -> str:
    """The name of a pool's snapshot."""
    return f"favour-{pool.pk}"


def job_of(pool: Pool) -> progress.Job:
    """The background work on it."""
    return progress.Job("favour", pool.pk)


def snapshot_of(*, pool: Pool) -> Snapshot | None:
    """The last numbers there are."""
    return Snapshot.objects.filter(collection=pool.collection_id, kind=kind_of(pool)).first()


def should_ask(*, pool: Pool, last: Snapshot | None) -> bool:
    """Whether whoever looks should have the numbers computed again: they are old and nobody asked within a minute."""
    is_fresh = last is not None and last.computed_at > timezone.now() - AGE
    return not is_fresh and bool(cache.add(kind_of(pool), 1, timeout=AGE.total_seconds()))


def study_pool(*, pool: Pool) -> bool:
    """Compute what an opened pool favours and keep it; False where nothing has changed since. Safe to run twice."""
    strata.freeze(pool=pool)
    with one_moment():
        study = gather(pool=pool)
        last = snapshot_of(pool=pool)
        if last is not None and last.inputs_sha256 == study.inputs_sha256:
            Snapshot.objects.filter(pk=last.pk).update(computed_at=Now())
            return False
        value = _value(study)
        fields = {"value": value, "n_judgments": len(study.given.judgment), "inputs_sha256": study.inputs_sha256}
        Snapshot.objects.update_or_create(
            collection_id=pool.collection_id, kind=kind_of(pool), defaults={**fields, "computed_at": Now()}
        )
    progress.forget(job=job_of(pool))
    return True


def _value(study: Study) -> dict[str, Any]:
    n_runs, done = sum(len(side.runs) for side in study.sides), 0
    sides = []
    for side in study.sides:
        # One generator a direction, from the inputs alone: the same labels give the same numbers.
        rng = np.random.default_rng([int(study.inputs_sha256[:16], 16), len(sides)])
        begun = done

        def tell(n: int, begun: int = begun) -> None:
            progress.advance(job=job_of(study.pool), done=begun + n, total=n_runs, unit="runs")

        sides.append(_side(study, side, rng, tell))
        done += len(side.runs)
    return {
        "depth": study.depth,
        "measures": [measure.name for measure in MEASURES],
        "threshold": study.pool.collection.positive_from,
        "label_source": study.label_source.key,
        "n_labels": len(study.given.judgment),
        "directions": sides,
    }


def _side(study: Study, side: Side, rng: np.random.Generator, tell: Callable[[int], None]) -> dict[str, Any]:
    threshold, bring = study.pool.collection.positive_from, brought(side)
    masks = _masks(study, side, bring, rng)
    scored = _scored(side, masks, threshold, tell)
    people = ~np.isnan(side.known.people)
    positive = people & (side.known.people >= threshold)
    return {
        "direction": str(side.direction),
        "n_queries": len(side.sources),
        "groups": group_facts(collection=study.pool.collection, scope=side.scope),
        "n_labelled": int(np.count_nonzero(people & bring.any(axis=0))),
        "n_positive": int(np.count_nonzero(positive & bring.any(axis=0))),
        "runs": _runs(side, bring & people, positive, scored),
        "bias": {m.name: _bias(masks.subsets, scored.parts[i], scored.full[i]) for i, m in enumerate(MEASURES)},
        "curves": list(_curves(side, positive, rng)),
        "sample": inferred(pool=study.pool, side=side),
        "is_sample": study.pool.strategy == strata.SAMPLED,
        "stop": {measure.name: _stop(side, masks, scored, i, rng) for i, measure in enumerate(MEASURES)},
    }


def _masks(study: Study, side: Side, bring: NDArray[np.bool_], rng: np.random.Generator) -> Masks:
    nobody = ~bring.any(axis=0)
    n_labels, n_runs, n_given = len(nobody), len(side.runs), len(study.given.judgment)
    n_a_size = int(np.clip(BUDGET // max(1, n_labels * n_runs * 10), 1, N_A_SIZE))
    chosen = favour.subsets(n_runs, n_a_size=n_a_size, rng=rng)
    steps = [step for step in STEPS if step < n_given]
    # A pair's label is older when it was first judged before the last `step` labels; other pools' labels always are.
    older = [(side.first < n_given - step) | (side.first == n_given) for step in steps]
    parts = [nobody | bring[each.members].any(axis=0) for each in chosen]
    return Masks(~favour.unique_to(bring), chosen, parts, steps, older)


def _scored(side: Side, masks: Masks, threshold: float, tell: Callable[[int], None]) -> Scored:
    """Every run under every mask; one run's rankings are held at a time."""
    every = np.ones(len(side.known.query), dtype=bool)
    shape = (len(MEASURES), len(side.runs), len(side.sources))
    values = np.zeros(shape)
    without, parts, older = np.zeros(shape[:2]), [], []
    for s, run in enumerate(side.runs):
        ranked = ranked_of(side, run, side.known.as_labels())

        def means(keeps: Sequence[NDArray[np.bool_]]) -> Matrix:
            values = (favour.values_under(ranked, side.known, keep, MEASURES, threshold) for keep in keeps)  # noqa: B023
            found = [side.groups.mean(each.T) for each in values]
            return np.array(found).reshape(len(keeps), len(MEASURES))

        values[:, s] = favour.values_under(ranked, side.known, every, MEASURES, threshold)
        without[:, s] = means([masks.without[s]])[0]
        parts.append(means(masks.parts))
        older.append(means(masks.older))
        tell(s + 1)
    moved = [np.array(each).transpose(2, 1, 0) for each in (parts, older)]
    return Scored(side.groups.mean(values.transpose(2, 0, 1)), without, *moved, values)


def _runs(side: Side, said: NDArray[np.bool_], positive: NDArray[np.bool_], scored: Scored) -> list[dict[str, Any]]:
    """One row a run; said : (S, L) labels of people that it showed the pool."""
    unique = favour.unique_to(said)
    return [
        {
            "run": run.pk,
            "n_brought": len(side.tops[s].source),
            "n_judged": int(np.count_nonzero(said[s])),
            "n_unique": int(np.count_nonzero(unique[s])),
            "n_unique_positive": int(np.count_nonzero(unique[s] & positive)),
            "scores": {
                measure.name: {
                    "score": float(scored.full[m, s]),
                    "without": float(scored.without[m, s]),
                    "rank": _rank(scored.full[m], s, scored.full[m, s]),
                    "rank_without": _rank(scored.full[m], s, scored.without[m, s]),
                }
                for m, measure in enumerate(MEASURES)
            },
        }
        for s, run in enumerate(side.runs)
    ]


def _rank(scores: Matrix, own: int, score: float) -> int:
    """Place among the others' scores with all labels, 1 = best."""
    return 1 + int(np.count_nonzero(np.delete(scores, own) > score))


def _bias(subsets: list[favour.Subset], parts: Matrix, full: Matrix) -> list[dict[str, Any]]:
    moved = np.abs(parts - full)
    rows = []
    for size in dict.fromkeys(each.size for each in subsets):
        of_size = [i for i, each in enumerate(subsets) if each.size == size]
        told = bias_of_size(size, moved[of_size], np.array([subsets[i].members for i in of_size]))
        outside = None if np.isnan(told.non_self_bias) else told.non_self_bias
        rows.append({"size": size, "n_subsets": len(of_size), "bias": told.bias, "self": told.self_bias,
                     "non_self": outside})  # fmt: skip
    return rows


def _curves(side: Side, positive: NDArray[np.bool_], rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    good = Pairs(side.sources[side.known.query[positive]], side.known.doc[positive])
    for curve in curves([labelled(side, top) for top in side.tops], good, rng=rng):
        n = len(curve.spent)
        at = np.unique(np.linspace(0, n - 1, min(n, MAX_POINTS)).round().astype(int)) if n else []
        yield {
            "name": curve.name,
            "is_live": curve.is_live,
            "points": [[int(curve.spent[i]), int(curve.found[i])] for i in at],
        }


def _stop(side: Side, masks: Masks, scored: Scored, m: int, rng: np.random.Generator) -> dict[str, Any]:
    keys = [run.pk for run in side.runs]
    steps = []
    for step, mask, older in zip(masks.steps, masks.older, scored.older[m], strict=True):
        swaps = stopping.swapped(older, scored.full[m])
        named = [[keys[a], keys[b]] for a, b in swaps[:MAX_SWAPS]]
        steps.append({"n": step, "n_pairs": int(np.count_nonzero(~mask)), "n_swaps": len(swaps), "swaps": named})
    sure = stopping.neighbours(scored.values[m], groups=side.groups, rng=rng)
    return {
        "steps": steps,
        "neighbours": [{"better": keys[row.better], "worse": keys[row.worse], "share": row.share} for row in sure],
    }
