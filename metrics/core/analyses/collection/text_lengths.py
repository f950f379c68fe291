"""Rank correlations of the length of a text with its similarity to training texts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.rank_correlations import (
    RankCorrelation,
    kendall_with_interval,
    spearman_with_interval,
)


class LengthCorrelations(NamedTuple):
    """The rank correlations of a length with the similarity; unit : "words" or "characters"."""

    unit: str
    spearman: RankCorrelation
    kendall: RankCorrelation


def similarity_by_length(
    similarity: NDArray[np.float64],
    n_words: NDArray[np.int64],
    n_characters: NDArray[np.int64],
    *,
    groups: Groups,
) -> list[LengthCorrelations]:
    """Correlate the (Q,) similarity of texts to training texts with their lengths.

    In words and in characters, with intervals by the groups of the Q queries. FIRE (Rodriguez et
    al. 2022), Table 7, whose two numbers for characters differ in sign (-.479 and .334).
    """
    return [
        LengthCorrelations(
            unit,
            spearman_with_interval(length, similarity, groups=groups),
            kendall_with_interval(length, similarity, groups=groups),
        )
        for unit, length in (("words", n_words), ("characters", n_characters))
    ]
