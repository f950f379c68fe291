"""Each person's agreement with herself, on pairs given to her again after she had labelled them.

A repeat counts here and nowhere else: not for resolutions, nor for the collection's alpha, nor for
golds.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from metrics.core.agreement.agreement import N_REPLICATES
from metrics.core.agreement.self_agreement import RepeatedPairs, stability

Value = dict[str, Any]
NO_REPEAT = "no pair came back yet"


def self_agreement(repeats: list[list[int]], *, measurement: str) -> Value:
    """Numbers of repeated pairs, and of those with the same label again, and alpha.

    Alpha is of the first labels against the second.
    repeats : first grade, second grade, group of the pair's query, how many pairs; ascending
    """
    counts = tuple((first, second, group, n) for first, second, group, n in repeats)
    return dict(_cached_agreement(counts, measurement))


@lru_cache(maxsize=2_048)  # when one person judges, a refresh computes all people again
def _cached_agreement(repeats: tuple[tuple[int, int, int, int], ...], measurement: str) -> Value:
    # Levels that nobody used change no distance, on no level of measurement.
    domain = sorted({grade for first, second, _, _ in repeats for grade in (first, second)})
    index_of = {grade: index for index, grade in enumerate(domain)}
    table = np.zeros((len(domain), len(domain)), dtype=np.int64)
    for first, second, _, n in repeats:
        table[index_of[first], index_of[second]] += n
    in_groups = [
        RepeatedPairs(index_of[first], index_of[second], group, n)
        for first, second, group, n in repeats
    ]
    equal, alpha = stability(
        table, domain, level=measurement, n_replicates=N_REPLICATES, grouped_pairs=in_groups
    )
    n_equal = int(np.trace(table))
    return {
        "n": equal.n,
        "n_equal": n_equal,
        "interval": [equal.low, equal.high] if equal.n else [None, None],
        "alpha": alpha.value,
        "low": alpha.low,
        "high": alpha.high,
        "reason": alpha.reason if equal.n else NO_REPEAT,
        "measurement": measurement,
    }
