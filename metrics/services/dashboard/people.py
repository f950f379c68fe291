"""Each person's labels beside the others'.

Agreement and whether it drifts, times, golds over time, level use, and effect on alpha.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.breakdowns import by_annotator
from metrics.core.agreement.counts import annotations
from metrics.core.agreement.drift import drift
from metrics.core.statistics.intervals import wilson
from metrics.services.dashboard.label_rows import GOLD, LABEL, Ids, LabelRows

Value = dict[str, Any]
N_STEPS = 12  # points of a person's curves
MIN_PER_STEP = 10  # labels or golds of a point


class OthersLabels(NamedTuple):
    """Other people's labels on the pair of each label.

    n_equal, n_others : (N,) other people's labels of the pair that equal it, and all of them
    shares : (N, V) the share of each level among those others; 0 where there are none
    """

    n_equal: Ids
    n_others: Ids
    shares: NDArray[np.float64]


class Scheme(NamedTuple):
    """The levels: grades ascending, which are positive, and how values are compared."""

    domain: Ids
    positive_from: int
    measurement: str


def people(labels: LabelRows, scheme: Scheme) -> list[Value]:
    """A row for each annotator with a label that counts or an answered gold, by key."""
    label_rows = labels.where(labels.kind == LABEL)
    golds = labels.where((labels.kind == GOLD) & (labels.truth >= 0))
    others_labels = _others_labels(label_rows, scheme.domain)
    effects = {
        influence.annotator: influence
        for influence in by_annotator(
            annotations(
                label_rows.pair, label_rows.annotator, label_rows.grade, domain=scheme.domain
            ),
            level=scheme.measurement,
        )
    }
    rows: list[Value] = []
    for annotator in np.union1d(label_rows.annotator, golds.annotator).tolist():
        own_rows = np.flatnonzero(label_rows.annotator == annotator)
        own_golds = golds.where(golds.annotator == annotator)
        # in the order of time; right is the right side of the threshold
        is_positive = own_golds.grade >= scheme.positive_from
        is_right = is_positive == (own_golds.truth >= scheme.positive_from)
        gold_steps = [
            {"at": int(own_golds.at[part[-1]]), **_share(int(is_right[part].sum()), len(part))}
            for part in _chunks(np.arange(len(is_right)))
        ]
        effect = effects.get(annotator)
        rows.append(
            {
                **_person(label_rows, own_rows, others_labels, scheme),
                "gold": _share(int(is_right.sum()), len(is_right)),
                "gold_steps": gold_steps,
                "annotator": annotator,
                "alpha_without": effect.alpha_without.value if effect else None,
                "drag": effect.drag if effect else None,
            }
        )
    return rows


def _others_labels(labels: LabelRows, domain: Ids) -> OthersLabels:
    pairs, unit = np.unique(labels.pair, return_inverse=True)
    level_index = np.searchsorted(domain, labels.grade)
    table = np.bincount(
        unit * len(domain) + level_index, minlength=len(pairs) * len(domain)
    ).reshape(len(pairs), len(domain))
    others_counts = table[unit]
    others_counts[np.arange(len(unit)), level_index] -= 1
    n_others = others_counts.sum(axis=1)
    return OthersLabels(
        others_counts[np.arange(len(unit)), level_index],
        n_others,
        others_counts / np.maximum(n_others, 1)[:, None],
    )


def _person(labels: LabelRows, own_rows: Ids, others_labels: OthersLabels, scheme: Scheme) -> Value:
    level_index = np.searchsorted(scheme.domain, labels.grade[own_rows])
    n_levels = len(scheme.domain)
    is_shared = others_labels.n_others[own_rows] > 0
    own = np.bincount(level_index[is_shared], minlength=n_levels).tolist()
    others_levels = (
        others_labels.shares[own_rows][is_shared].mean(axis=0)
        if is_shared.any()
        else np.zeros(n_levels)
    ).tolist()
    n_equal = others_labels.n_equal[own_rows][is_shared]
    n_others = others_labels.n_others[own_rows][is_shared]
    middle = len(n_equal) // 2
    # equal and all comparisons, of the first half of the shared labels and of the second
    halves = [
        (int(n_equal[half].sum()), int(n_others[half].sum()))
        for half in (slice(middle), slice(middle, None))
    ]
    times = labels.active_ms[own_rows]
    median, others_median = _median(times), _median(np.delete(labels.active_ms, own_rows))
    return {
        "n_labels": len(own_rows),
        "levels": np.bincount(level_index, minlength=n_levels).tolist(),
        "shared_levels": own,
        "others": others_levels,
        "n_shared": int(np.count_nonzero(is_shared)),
        "seconds": None if median is None else median / 1000,
        "others_seconds": None if others_median is None else others_median / 1000,
        "steps": [_step(labels, rows, others_labels) for rows in _chunks(own_rows)],
        "drift": drift(*halves),
    }


def _step(labels: LabelRows, rows: Ids, others_labels: OthersLabels) -> Value:
    """One point of a curve: some consecutive labels, dated by the last one."""
    n_equal = int(others_labels.n_equal[rows].sum())
    n_shared = int(others_labels.n_others[rows].sum())
    median = _median(labels.active_ms[rows])
    return {
        "at": int(labels.at[rows[-1]]),
        "n": len(rows),
        "seconds": None if median is None else median / 1000,
        **_share(n_equal, n_shared),
    }


def _share(hits: int, n: int) -> Value:
    low, high = wilson(hits, n)
    return {"hits": hits, "of": n, "share": hits / n if n else None, "low": low, "high": high}


def _chunks(rows: Ids) -> Iterator[Ids]:
    """Equal parts in order: twelve at most, of ten or more each; fewer rows are one part."""
    if len(rows):
        yield from np.array_split(rows, max(1, min(N_STEPS, len(rows) // MIN_PER_STEP)))


def _median(times: Ids) -> float | None:
    known_times = times[times >= 0]
    return float(np.median(known_times)) if len(known_times) else None
