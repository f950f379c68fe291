"""Systems in both directions over the query sets of one name."""

from collections.abc import Sequence

from annotate.models import Direction
from metrics.charts.analyses.measures.both_directions import SystemTable, both_directions_result
from metrics.charts.decision_notes import missed_text
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.measures.both_directions import SystemMeans
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs, no_positive_notes, nouns_of
from metrics.services.analysis.measures.means import missing_notes, sample_notes, undefined_notes
from metrics.services.analysis.measures.system_runs import (
    SystemRuns,
    in_other_direction,
    measured_systems,
    system_runs,
)
from metrics.services.leaderboard.choice_values import DirectionInputs


def both_directions(request: AnalysisRequest) -> AnalysisResult:
    """Each system's averages in both directions, and their means."""
    inputs = direction_inputs(request)
    pairs, notes = system_runs(request)
    return both_directions_result(system_table(request, inputs, pairs, notes))


def system_table(
    request: AnalysisRequest,
    inputs: DirectionInputs,
    pairs: Sequence[SystemRuns],
    notes: Sequence[str],
) -> SystemTable[SystemMeans]:
    """Average systems in both directions over the query sets of one name.

    inputs : of the direction of the request
    notes : sentences on the systems, to which those on queries, labels and runs are added
    Raises NotDefined without queries in the other direction, and where no average is defined.
    """
    other_inputs = direction_inputs(in_other_direction(request))
    is_forward = request.spec.direction == Direction.FORWARD
    two = (inputs, other_inputs) if is_forward else (other_inputs, inputs)
    measured = measured_systems(pairs, *two)
    extents, sentences, reasons = [], list(notes), []
    for part, direction, runs in zip(two, measured.measured, measured.runs, strict=True):
        nouns = nouns_of(part)
        extents.append(nouns.extent)
        sentences += [*nouns.notes, *sample_notes(part.measures, direction.kinds)]
        reasons += undefined_notes(runs, [(part, direction)], measured.measures)
        sentences += no_positive_notes([part], direction.defined(part.measures))
        sentences += missing_notes(
            runs,
            direction.n_missing,
            nouns.queries,
            outcome=f"count {missed_text(measured.measures)}",
        )
    table = SystemTable(
        rows=measured.rows,
        names=[measure.name for measure in measured.measures],
        smaller_is_better=[measure.entry.smaller_is_better for measure in measured.measures],
        n_queries=measured.n_queries,
        extent=" and ".join(extents),
        notes=list(dict.fromkeys([*reasons, *sentences])),
    )
    if table.is_blank:
        raise NotDefined(" ".join(reasons))
    return table
