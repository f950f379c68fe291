"""Systems with a run in each direction, and their averages, from the runs of one direction."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from annotate.core.phrases import counted
from annotate.models import Collection, Direction
from metrics.charts.analyses.measures.both_directions import SystemRow
from metrics.core.analyses.measures.both_directions import SystemMeans, system_means
from metrics.core.measures.measures import Measure
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import name_of, runs_of
from metrics.services.analysis.measures.means import (
    MOST_NAMED,
    MeasuredRuns,
    measured_runs,
)
from metrics.services.leaderboard.choice_values import DirectionInputs
from pooling.models import Run

OTHER = {Direction.FORWARD: Direction.REVERSE, Direction.REVERSE: Direction.FORWARD}


class SystemRuns(NamedTuple):
    """The two runs of a system; name : of the system, with the chosen run's where it has others."""

    name: str
    forward: Run
    reverse: Run


def in_other_direction(request: AnalysisRequest) -> AnalysisRequest:
    """The same request of the other direction, whose query set has the same name."""
    spec = replace(request.spec, direction=OTHER[Direction(request.spec.direction)])
    return request._replace(spec=spec)


def partners_of(*, collection: Collection, runs: Sequence[Run]) -> dict[int, list[Run]]:
    """The runs of the other direction that have the system and team of each run, by its key.

    One query at most. A hidden run is a partner of hidden runs of the same person alone, since
    who may choose those may see it.
    """
    systems = {run.system for run in runs if run.system}
    # no query for an empty set
    candidates = Run.objects.in_use().filter(collection=collection, system__in=systems)
    by_system: dict[tuple[str, str, str], list[Run]] = {}
    for run in candidates.order_by("name", "pk"):
        by_system.setdefault((run.system, run.team, run.direction), []).append(run)
    return {
        run.pk: [
            partner
            for partner in by_system.get(
                (run.system, run.team, OTHER[Direction(run.direction)]), []
            )
            if not partner.is_hidden
            or (run.is_hidden and partner.uploaded_by_id == run.uploaded_by_id)
        ]
        for run in runs
    }


def system_runs(request: AnalysisRequest) -> tuple[list[SystemRuns], list[str]]:
    """Pair the chosen runs with those of the other direction; notes tell which have no partner.

    Raises NotDefined where none has one.
    """
    runs = runs_of(request, least=1)
    partners = partners_of(collection=request.collection, runs=runs)
    pairs, without, ambiguous = [], [], []
    for run in runs:
        if len(partners[run.pk]) > 1:
            ambiguous.append(run)
        elif not partners[run.pk]:
            without.append(run)
        else:
            namesakes = [other for other in runs if other.system == run.system]
            name = run.system if len(namesakes) == 1 else f"{run.system}: {name_of(run)}"
            two = {run.direction: run, partners[run.pk][0].direction: partners[run.pk][0]}
            pairs.append(SystemRuns(name, two[Direction.FORWARD], two[Direction.REVERSE]))
    notes = []
    if without:
        notes.append(
            "Left out, as no run of the other direction has their system and team: "
            f"{_listed(without)}."
        )
    if ambiguous:
        notes.append(
            "Left out, as several runs of the other direction have their system and team: "
            f"{_listed(ambiguous)}."
        )
    if not pairs:
        raise NotDefined(
            "It takes a run in each direction with the same system and team, as the page of a run "
            f"has them. {' '.join(notes)}"
        )
    return pairs, notes


def _listed(runs: Sequence[Run]) -> str:
    names = ", ".join(name_of(run) for run in runs[:MOST_NAMED])
    n_more = len(runs) - MOST_NAMED
    return f"{names} and {counted(n_more, 'more run')}" if n_more > 0 else names


class MeasuredSystems(NamedTuple):
    """Averages of systems by the measures that are defined in both directions.

    rows : one a system
    inputs, runs, measured : of the two directions, each run once
    """

    rows: list[SystemRow[SystemMeans]]
    measures: list[Measure]
    inputs: tuple[DirectionInputs, DirectionInputs]
    runs: tuple[list[Run], list[Run]]
    measured: tuple[MeasuredRuns, MeasuredRuns]

    @property
    def n_queries(self) -> tuple[int, int]:
        """The number of queries of each direction."""
        forward, reverse = self.inputs
        return len(forward.scope.sources), len(reverse.scope.sources)


def measured_systems(
    pairs: Sequence[SystemRuns], forward: DirectionInputs, reverse: DirectionInputs
) -> MeasuredSystems:
    """Measure the systems in both directions.

    Raises NotDefined where no measure is defined, since a sample did not draw what it counts.
    """
    # systems may share a run
    forward_runs = list(dict.fromkeys(pair.forward for pair in pairs))
    reverse_runs = list(dict.fromkeys(pair.reverse for pair in pairs))
    measured = measured_runs(forward, forward_runs), measured_runs(reverse, reverse_runs)
    numbers = [
        number
        for number in range(len(forward.measures))
        if all(direction.kinds[number].is_estimable for direction in measured)
    ]
    measures = [forward.measures[number] for number in numbers]
    if not measures:
        raise NotDefined(
            "These measures count as irrelevant what a sample did not draw: choose P@k, RBP, AP or "
            "nDCG, which are estimated."
        )
    rows = []
    for pair in pairs:
        means = system_means(
            [measure.name for measure in measures],
            [measured[0].means[number][forward_runs.index(pair.forward)] for number in numbers],
            [measured[1].means[number][reverse_runs.index(pair.reverse)] for number in numbers],
        )
        rows.append(SystemRow(pair.name, name_of(pair.forward), name_of(pair.reverse), means))
    return MeasuredSystems(
        rows, measures, (forward, reverse), (forward_runs, reverse_runs), measured
    )
