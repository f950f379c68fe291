"""Pairs that came back to whoever had labelled them: each person's agreement with herself.

A repeat counts here and nowhere else: not for resolutions, nor for the collection's alpha, nor for golds.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from metrics.core.agreement import N_REPLICATES
from metrics.core.stability import Repeats, stability

Value = dict[str, Any]
NONE = "no pair came back yet"


def with_herself(repeats: list[list[int]], *, measurement: str) -> Value:
    """Pairs that came back, those with the same label again, and alpha of the first labels against the second.

    repeats : first grade, second grade, group of the pair's query, how many pairs; ascending
    """
    said = tuple((first, second, group, n) for first, second, group, n in repeats)
    return dict(_told(said, measurement))


@lru_cache(maxsize=2_048)  # a refresh asks of everybody again when one person has judged
def _told(repeats: tuple[tuple[int, int, int, int], ...], measurement: str) -> Value:
    # Levels that nobody used change no distance, on no level of measurement.
    domain = sorted({grade for first, second, _, _ in repeats for grade in (first, second)})
    place = {grade: index for index, grade in enumerate(domain)}
    table = np.zeros((len(domain), len(domain)), dtype=np.int64)
    for first, second, _, n in repeats:
        table[place[first], place[second]] += n
    in_groups = [Repeats(place[first], place[second], group, n) for first, second, group, n in repeats]
    equal, alpha = stability(table, domain, level=measurement, n_replicates=N_REPLICATES, in_groups=in_groups)
    n_equal = int(np.trace(table))
    return {
        "n": equal.n,
        "n_equal": n_equal,
        "interval": [equal.low, equal.high] if equal.n else [None, None],
        "alpha": alpha.value,
        "low": alpha.low,
        "high": alpha.high,
        "reason": alpha.reason if equal.n else NONE,
        "measurement": measurement,
    }
