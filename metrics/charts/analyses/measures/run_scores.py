"""Averages of runs by several measures or label sources, as charts and tables take them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from metrics.core.analyses.measures.run_orders import RunMean
from metrics.core.statistics.rounding import rounding_of_sums, with_ties

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
        """(S, M) averages, larger better, those of a column that are equal as ties; NaN for none.

        The order in which a sum is made up leaves its trace in the last digits.
        """
        values = [
            [np.nan if mean.value is None else mean.value for mean in row] for row in self.means
        ]
        signs = np.where(self.smaller_is_better, -1, 1)
        averages = np.array(values).reshape(-1, len(self.columns)) * signs
        ties = [with_ties(column, within=rounding_of_sums(column)) for column in averages.T]
        return np.array(ties).reshape(averages.T.shape).T

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """(S,) mask of the runs that have an average by each column."""
        return np.asarray(np.isfinite(self.scores).all(axis=1))

    @property
    def incomplete_notes(self) -> list[str]:
        """A sentence on the runs that lack an average, and so have no ranks; empty without."""
        rows = zip(self.runs, self.is_complete, strict=True)
        names = [run for run, is_complete in rows if not is_complete]
        return [f"Without ranks, as they lack an average: {', '.join(names)}."] if names else []

    @property
    def n_runs(self) -> str:
        """The number of runs in words."""
        return counted(len(self.runs), "run")

    @property
    def whole_extent(self) -> str:
        """The runs and the queries in words."""
        return f"{self.n_runs} and {self.extent}" if self.extent else self.n_runs
