"""Pairs of which people have not said the last word: disputed, or waiting."""

import numpy as np

from annotate.models import Resolution
from annotate.services.storage.number_arrays import table
from metrics.core.labels.label_sources import Grades, sorted_grades
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from metrics.services.scores.propagation import without_pairs


def open_pairs(inputs: DirectionInputs) -> Grades:
    """The pairs of the scope that are disputed or wait for a label or a lead, each of grade 0.

    A propagated grade that one of them takes goes over that.
    """
    source, target = labels.ends(inputs.scope.direction)
    rows = Resolution.objects.filter(collection=inputs.collection, grade=None)
    pairs = table(rows.values_list(f"pair__{source}", f"pair__{target}"), 2)
    grades = labels.within(sorted_grades(np.insert(pairs, 2, 0, axis=1)), inputs.scope)
    return without_pairs(grades, inputs.labels.whole)
