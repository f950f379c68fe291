"""Pace and hours of the judging, and a forecast for the seats that are left."""

from typing import Any

import numpy as np

from metrics.core.statistics.pace import mean_of, pace
from metrics.services.dashboard.label_rows import LABEL, LabelRows

Value = dict[str, Any]
DAY = 86_400_000


def forecast(labels: LabelRows, *, import_rounds: set[int], n_left: int) -> Value:
    """Pace and hours of the judging, so far and to come.

    import_rounds : rounds of imports, whose labels were not made here
    n_left : seats for labels without one; disagreements and withdrawals still add to them

    Pace: labels a day with labels (UTC) over the newest 14 such days, the newest one, still under
    way, left out; the range is that of `metrics.core.statistics.pace`. Working days left: seats
    left over that rate and over its ends. Hours: active time of every answer (labels, golds,
    training, repeats, adjudications) that has one; hours left: seats left times the mean active
    time of a label, with that mean's 95 % interval, golds among them not counted.
    """
    own_labels = labels.where(~np.isin(labels.round, sorted(import_rounds)))
    is_label = own_labels.kind == LABEL
    days, counts = np.unique(own_labels.at[is_label] // DAY, return_counts=True)
    has_time = own_labels.active_ms >= 0
    labels_a_day = pace(counts[:-1].tolist())
    mean_hours = mean_of(own_labels.active_ms[is_label & has_time] / 3_600_000)
    return {
        "days": [[int(day * DAY), int(n)] for day, n in zip(days, counts, strict=True)],
        "pace": None if labels_a_day is None else labels_a_day._asdict(),
        "n_left": n_left,
        "spent": float(own_labels.active_ms[has_time].sum() / 3_600_000),
        "n_timed": int(np.count_nonzero(has_time)),
        "n_untimed": int(np.count_nonzero(~has_time)),
        "hours_a_label": None if mean_hours is None else mean_hours._asdict(),
    }
