"""Ranks at which runs return labelled pairs, exactly as scores rank them."""

from collections.abc import Sequence

from metrics.core.labels.label_sources import Grades
from metrics.core.measures.alignment import RankedGrades, join_parts
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores.measuring import CHUNK, labels_by_position
from metrics.services.scores.ranks import matrix_of, ranked_grades
from pooling.models import Run


def ranked_tables(
    inputs: DirectionInputs, run: Run, tables: Sequence[Grades]
) -> list[RankedGrades]:
    """Join a run with tables of pairs, whose rows `RankedGrades.label` names.

    tables : within the scope of the inputs, which has at least one query
    """
    matrix, sources = matrix_of(run), inputs.scope.sources
    parts = []
    for start in range(0, len(sources), CHUNK):
        chunk = sources[start : start + CHUNK]
        pairs = [labels_by_position(grades, chunk) for grades in tables]
        parts.append(
            ranked_grades(run=run, matrix=matrix, scope=inputs.scope, sources=chunk, tables=pairs)
        )
    return [join_parts(of_table) for of_table in zip(*parts, strict=True)]
