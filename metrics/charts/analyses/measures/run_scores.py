"""Averages of runs by several measures or label sources, as charts and tables take them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from metrics.core.analyses.measures.run_orders import RunMean

MOST_LINES = 20  # runs with a line or a name of their own


class RunScores(NamedTuple):
    """Averages of S runs by M columns: measures, or label sources.

    keys : (M,) names of the columns in files
    means : a list for each run; smaller_is_better : (M,)
    extent : the queries in words, "" where they are not known; notes : sentences beside it
    """

    runs: list[str]
    columns: list[str]
    keys: list[str]
    means: list[list[RunMean]]
    smaller_is_better: list[bool]
    extent: str
    notes: list[str]

    @property
    def scores(self) -> NDArray[np.float64]:
        """(S, M) averages, larger better; NaN where there is none."""
        values = [
            [np.nan if mean.value is None else mean.value for mean in row] for row in self.means
        ]
        return np.array(values).reshape(len(self.runs), -1) * np.where(
            self.smaller_is_better, -1, 1
        )

    @property
    def n_runs(self) -> str:
        """The number of runs in words."""
        return counted(len(self.runs), "run")

    @property
    def whole_extent(self) -> str:
        """The runs and the queries in words."""
        return f"{self.n_runs} and {self.extent}" if self.extent else self.n_runs
