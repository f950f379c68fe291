"""The order of the runs of a file by its measures."""

from contextlib import suppress

import numpy as np

from metrics.charts.analyses.measures.correlations import correlations_result
from metrics.charts.analyses.measures.run_orders import rank_changes_result, scatter_result
from metrics.charts.analyses.measures.run_scores import RunScores
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.measures.run_orders import RunMean
from metrics.core.files.score_headings import names_measures
from metrics.core.files.scores import ScoreTable
from metrics.core.measures.measures import UnknownMeasure, parse_one
from metrics.core.statistics.intervals import NO_INTERVAL
from metrics.score_files.requests import FileRequest, NotDefined


def correlations_of_file(request: FileRequest) -> AnalysisResult:
    """The rank correlation of every two columns of a file over its runs."""
    return correlations_result(scores_of_file(request.table, n_measures=None))


def scatter_of_file(request: FileRequest) -> AnalysisResult:
    """The runs of a file by its first column against its second."""
    return scatter_result(scores_of_file(request.table, n_measures=2))


def changes_of_file(request: FileRequest) -> AnalysisResult:
    """The rank of each run of a file by each column."""
    return rank_changes_result(scores_of_file(request.table, n_measures=None), of="measures")


def scores_of_file(table: ScoreTable, *, n_measures: int | None) -> RunScores:
    """The scores of a file of runs by measures, a row a run.

    Raises NotDefined for fewer than two, and where the first column says that rows are queries or
    measures.
    n_measures : of the first columns; None for all
    A column is taken as better when smaller if it has the name of such a measure.
    """
    form = "a row for each run, which its first column names, and a column for each measure"
    if table.has_queries:
        raise NotDefined(
            f"The file has rows of “{table.row_head}”, which are topics, and this takes averages: "
            f"{form}. Average over the rows first, or take an analysis of topics by runs, such "
            "as differences."
        )
    if names_measures(table.row_head):
        raise NotDefined(
            f"The file has rows of “{table.row_head}”, and this takes {form}: turn the table round."
        )
    names = table.runs[:n_measures]
    if len(table.queries) < 2 or len(names) < 2:
        raise NotDefined(f"It takes two runs and two measures: {form}.")
    smaller_names = []
    for name in names:
        with suppress(UnknownMeasure):
            smaller_names += [name] * parse_one(name).entry.smaller_is_better
    notes = ["Every column is taken as better when larger."]
    if smaller_names:
        notes = [f"Taken as better when smaller: {', '.join(smaller_names)}."]
    if len(names) < len(table.runs):
        notes.append(f"Of the first {len(names)} of {len(table.runs)} columns.")
    means = [
        [RunMean(value if np.isfinite(value) else None, NO_INTERVAL) for value in row]
        for row in table.values[:, : len(names)].tolist()
    ]
    is_smaller = [name in smaller_names for name in names]
    return RunScores(table.queries, names, names, means, is_smaller, "", notes)
