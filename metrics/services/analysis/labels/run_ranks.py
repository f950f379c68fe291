"""Ranks at which runs return labelled pairs, exactly as scores rank them."""

from collections.abc import Sequence

import numpy as np

from annotate.models import Resolution
from annotate.services.storage.number_arrays import table
from metrics.core.labels.label_sources import Grades, sorted_grades
from metrics.core.measures.alignment import RankedGrades, join_parts
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from metrics.services.scores.measuring import CHUNK, labels_by_position
from metrics.services.scores.propagation import without_pairs
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


def open_pairs(inputs: DirectionInputs) -> Grades:
    """The pairs of the scope that are disputed or wait for a label or a lead, each of grade 0.

    A propagated grade that one of them takes goes over that.
    """
    source, target = labels.ends(inputs.scope.direction)
    rows = Resolution.objects.filter(collection=inputs.collection, grade=None)
    pairs = table(rows.values_list(f"pair__{source}", f"pair__{target}"), 2)
    grades = labels.within(sorted_grades(np.insert(pairs, 2, 0, axis=1)), inputs.scope)
    return without_pairs(grades, inputs.labels.whole)
