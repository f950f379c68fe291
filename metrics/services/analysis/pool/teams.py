"""Teams of some of the pooled runs, where it takes two that are known to tell them apart."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.pool.own_labels import lone_runs_note
from metrics.services.analysis.inputs import names_of
from metrics.services.analysis.pool.brought import BroughtLabels


class PooledTeams(NamedTuple):
    """The T teams of S runs, a run without a team as one by itself; nothing where none is told.

    numbers : (S,) 0, 1, ... of the runs; names : (T,), each once; notes : sentences on them
    """

    numbers: list[int]
    names: list[str]
    notes: list[str]


def teams_of(brought: BroughtLabels, rows: Sequence[int]) -> PooledTeams:
    """The teams of the runs of these rows.

    Without numbers where fewer than two name themselves, or where each has one run.
    """
    runs = [brought.runs[row] for row in rows]
    team_names = {run.team for run in runs if run.team}
    order = list(dict.fromkeys(brought.teams[row] for row in rows))
    if len(team_names) < 2:
        return PooledTeams([], [], [])
    if len(order) == len(rows):
        return PooledTeams([], [], ["Each team has one of these runs: its pool is that run's."])
    numbers = [order.index(brought.teams[row]) for row in rows]
    names, lone_runs = [""] * len(order), []
    for number, run, name in zip(numbers, runs, names_of(runs), strict=True):
        if not run.team:
            lone_runs.append(name)
        names[number] = run.team or (f"{name} (a run)" if name in team_names else name)
    notes = [f"{counted(len(order), 'team')}, of these runs alone."]
    if lone_runs:
        notes.append(lone_runs_note(lone_runs))
    return PooledTeams(numbers, names, notes)
