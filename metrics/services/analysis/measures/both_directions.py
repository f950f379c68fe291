"""Systems in both directions over the query sets of one name."""

from annotate.models import Direction
from metrics.charts.analyses.measures.both_directions import SystemTable, both_directions_result
from metrics.charts.results import AnalysisResult
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs
from metrics.services.analysis.measures.system_runs import (
    in_other_direction,
    measured_systems,
    system_runs,
)


def both_directions(request: AnalysisRequest) -> AnalysisResult:
    """Each system's averages in both directions, and their means."""
    inputs = direction_inputs(request)
    pairs, notes = system_runs(request)
    other_inputs = direction_inputs(in_other_direction(request))
    is_forward = request.spec.direction == Direction.FORWARD
    two = (inputs, other_inputs) if is_forward else (other_inputs, inputs)
    measured = measured_systems(pairs, *two)
    table = SystemTable(
        rows=measured.rows,
        names=[measure.name for measure in measured.measures],
        smaller_is_better=[measure.entry.smaller_is_better for measure in measured.measures],
        n_queries=(len(two[0].scope.sources), len(two[1].scope.sources)),
        extent=measured.extent,
        notes=[*notes, *measured.notes],
    )
    return both_directions_result(table)
