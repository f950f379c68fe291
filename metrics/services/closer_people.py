"""Each person's labels beside the others': agreement, times, golds over time, level use, effect on alpha, flags."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core import flags
from metrics.core.breakdowns import by_annotator
from metrics.core.counts import annotations
from metrics.core.intervals import wilson
from metrics.services.label_rows import GOLD, LABEL, Ids, Labels

Value = dict[str, Any]
N_STEPS = 12  # points of a person's curves
MIN_A_STEP = 10  # labels or golds of a point


class Beside(NamedTuple):
    """What others said on the pair of each label.

    equal, n_others : (N,) other people's labels of the pair that equal it, and all of them
    shares : (N, V) the share of each level among those others; 0 where there are none
    """

    equal: Ids
    n_others: Ids
    shares: NDArray[np.float64]


class Scheme(NamedTuple):
    """The levels: their grades ascending and names, which are positive, and how values are compared."""

    domain: Ids
    names: list[str]
    positive_from: int
    measurement: str


def people(labels: Labels, scheme: Scheme) -> list[Value]:
    """Everybody with a label that counts or a gold answered, by key."""
    given = labels.where(labels.kind == LABEL)
    golds = labels.where((labels.kind == GOLD) & (labels.truth >= 0))
    beside = _beside(given, scheme.domain)
    effects = {one.annotator: one for one in by_annotator(
        annotations(given.pair, given.annotator, given.grade, domain=scheme.domain), level=scheme.measurement
    )}  # fmt: skip
    told = []
    for who in np.union1d(given.annotator, golds.annotator).tolist():
        mine = np.flatnonzero(given.annotator == who)
        row = _person(given, mine, beside, scheme) | _golds(golds.where(golds.annotator == who), scheme)
        effect = effects.get(who)
        row |= {
            "annotator": who,
            "alpha_without": effect.alpha_without.value if effect else None,
            "drag": effect.drag if effect else None,
        }
        told.append(row)
    return told


def _beside(given: Labels, domain: Ids) -> Beside:
    pairs, unit = np.unique(given.pair, return_inverse=True)
    place = np.searchsorted(domain, given.grade)
    table = np.bincount(unit * len(domain) + place, minlength=len(pairs) * len(domain)).reshape(len(pairs), len(domain))
    others = table[unit]
    others[np.arange(len(unit)), place] -= 1
    n_others = others.sum(axis=1)
    return Beside(others[np.arange(len(unit)), place], n_others, others / np.maximum(n_others, 1)[:, None])


def _person(given: Labels, mine: Ids, beside: Beside, scheme: Scheme) -> Value:
    place = np.searchsorted(scheme.domain, given.grade[mine])
    n_levels = len(scheme.domain)
    shared = beside.n_others[mine] > 0
    own = np.bincount(place[shared], minlength=n_levels).tolist()
    others = (beside.shares[mine][shared].mean(axis=0) if shared.any() else np.zeros(n_levels)).tolist()
    halves = _halves(beside.equal[mine][shared], beside.n_others[mine][shared])
    times = given.active_ms[mine]
    median, others_median = _median(times), _median(np.delete(given.active_ms, mine))
    raised = (
        flags.too_fast(median, others_median, int(np.count_nonzero(times >= 0))),
        flags.one_level(own, others, scheme.names),
        flags.drifting(*halves),
    )
    return {
        "n_labels": len(mine),
        "levels": np.bincount(place, minlength=n_levels).tolist(),
        "shared_levels": own,
        "others": others,
        "n_shared": int(np.count_nonzero(shared)),
        "seconds": None if median is None else median / 1000,
        "others_seconds": None if others_median is None else others_median / 1000,
        "steps": [_step(given, rows, beside) for rows in _chunks(mine)],
        "flags": [flag._asdict() for flag in raised if flag],
    }


def _halves(equal: Ids, n_others: Ids) -> tuple[tuple[int, int], tuple[int, int]]:
    """Comparisons that agree, and all, in the first and in the second half of the shared labels."""
    middle = len(equal) // 2
    sums = [(int(equal[part].sum()), int(n_others[part].sum())) for part in (slice(middle), slice(middle, None))]
    return sums[0], sums[1]


def _step(given: Labels, rows: Ids, beside: Beside) -> Value:
    """One point: labels until the moment of the last one."""
    n_equal, n_shared = int(beside.equal[rows].sum()), int(beside.n_others[rows].sum())
    median = _median(given.active_ms[rows])
    return {
        "at": int(given.at[rows[-1]]),
        "n": len(rows),
        "seconds": None if median is None else median / 1000,
        **_share(n_equal, n_shared),
    }


def _golds(golds: Labels, scheme: Scheme) -> Value:
    """Golds in the order of time; right is the right side of the threshold."""
    right = (golds.grade >= scheme.positive_from) == (golds.truth >= scheme.positive_from)
    steps = [
        {"at": int(golds.at[rows[-1]]), **_share(int(right[rows].sum()), len(rows))}
        for rows in _chunks(np.arange(len(right)))
    ]
    return {"gold": _share(int(right.sum()), len(right)), "gold_steps": steps}


def _share(hits: int, n: int) -> Value:
    low, high = wilson(hits, n)
    return {"hits": hits, "of": n, "share": hits / n if n else None, "low": low, "high": high}


def _chunks(rows: Ids) -> Iterator[Ids]:
    """Equal parts in order: twelve at most, of ten or more each; fewer rows than that are one part."""
    if len(rows):
        yield from np.array_split(rows, max(1, min(N_STEPS, len(rows) // MIN_A_STEP)))


def _median(times: Ids) -> float | None:
    known = times[times >= 0]
    return float(np.median(known)) if len(known) else None
