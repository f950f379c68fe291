"""Scores of runs topic by topic with their nouns, for the sentences of analyses of systems."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from metrics.core.statistics.rounding import rounding, with_ties

FEWEST_UNITS = 30


class TopicTable(NamedTuple):
    """Scores of S runs on T topics, none missing, with the names and nouns of both.

    values : (T, S) as the measure has them; topics, runs : names
    measure : its name, "" where it has none; smaller_is_better : of it
    noun : of the topics in the plural; extent : how many of them; notes : on what is left out
    unit : noun of what is drawn as a whole, the topics or their groups; n_units : how many
    means : (S,) of the runs, with the weights of a sample
    """

    values: NDArray[np.float64]
    topics: list[str]
    runs: list[str]
    measure: str
    smaller_is_better: bool
    noun: str
    extent: str
    notes: list[str]
    unit: str
    n_units: int
    means: NDArray[np.float64]

    @property
    def are_too_few(self) -> bool:
        """True if a headline tells no chance and no interval."""
        return self.n_units < FEWEST_UNITS

    @property
    def score(self) -> str:
        """The measure, or that it is a score."""
        return self.measure or "score"

    @property
    def whole_extent(self) -> str:
        """The numbers of runs and of topics in words."""
        return f"{counted(len(self.runs), 'run')} and {self.extent}"

    @property
    def are_shares(self) -> bool:
        """True if larger is better and all scores lie from 0 to 1."""
        lowest, highest = self.values.min(), self.values.max()
        return bool(not self.smaller_is_better and lowest >= 0 and highest <= 1)

    @property
    def best_first(self) -> NDArray[np.int64]:
        """(S,) numbers of the runs by their means, the best first."""
        sign = 1 if self.smaller_is_better else -1
        means = with_ties(sign * self.means, within=rounding(self.values))
        return np.argsort(means, kind="stable")
