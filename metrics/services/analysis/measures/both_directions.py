"""Systems in both directions over the query sets of one name."""

from annotate.models import Direction
from metrics.charts.analyses.measures.both_directions import SystemTable, both_directions_result
from metrics.charts.results import AnalysisResult
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs, nouns_of
from metrics.services.analysis.measures.means import missing_notes, sample_notes
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
    extents = []
    for part, direction, runs in zip(two, measured.measured, measured.runs, strict=True):
        nouns = nouns_of(part)
        extents.append(nouns.extent)
        notes += [*nouns.notes, *sample_notes(part.measures, direction.kinds)]
        notes += missing_notes(runs, direction.n_missing, nouns.queries)
    table = SystemTable(
        rows=measured.rows,
        names=[measure.name for measure in measured.measures],
        smaller_is_better=[measure.entry.smaller_is_better for measure in measured.measures],
        n_queries=measured.n_queries,
        extent=" and ".join(extents),
        notes=list(dict.fromkeys(notes)),
    )
    return both_directions_result(table)
