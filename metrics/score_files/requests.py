"""A request for an analysis of a file, and the answer that there is nothing to show."""

from collections.abc import Callable
from typing import NamedTuple

from metrics.core.files.scores import ScoreTable
from metrics.score_files.plan_numbers import NO_NUMBERS, PlanNumbers

ReportProgress = Callable[[int, int, str], None]  # units done, of how many, their noun


def ignore_progress(n_done: int, total: int, unit: str) -> None:
    """Report nothing: of files, which are computed while their sender waits."""


class NotDefined(Exception):
    """There is nothing to show yet, or not for these choices; the message says what is missing."""


class FileRequest(NamedTuple):
    """A request for an analysis of the scores of a file.

    table : its rows are runs and its columns measures, or its rows topics and its columns runs
    method : a test of differences; treatment : of topics that a run misses
    plan : numbers of the planner
    """

    table: ScoreTable
    method: str
    treatment: str
    plan: PlanNumbers = NO_NUMBERS
