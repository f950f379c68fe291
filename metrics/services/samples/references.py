"""The labels of a sampled reference set with their strata, the input of xinfAP."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Direction, ReferenceLabel, ReferenceSet, Undrawn
from annotate.services.collection.reference_qrels import UNDRAWN
from annotate.services.storage.number_arrays import table
from metrics.services.scores.labels import ends


class SampledLabels(NamedTuple):
    """Labels and pooled targets without one, ordered by source and target.

    source, target : (L,) item keys; grade : (L,), negative where the target was pooled, but not
        drawn for judging
    stratum : (L,) from 0
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    grade: NDArray[np.int64]
    stratum: NDArray[np.int64]


def sampled_labels(*, reference_set: ReferenceSet, direction: Direction) -> SampledLabels:
    """Read the labels of a reference set that was loaded with strata.

    Labels without a stratum are left out.
    """
    pair = ends(direction)
    labels = ReferenceLabel.objects.filter(reference_set=reference_set, stratum__isnull=False)
    label_rows = table(labels.values_list(*pair, "grade", "stratum"), 4)
    undrawn = table(
        Undrawn.objects.filter(reference_set=reference_set).values_list(*pair, "stratum"), 3
    )
    undrawn = np.insert(undrawn, 2, UNDRAWN, axis=1)
    rows = np.concatenate([label_rows, undrawn])
    return SampledLabels(*rows[np.lexsort((rows[:, 1], rows[:, 0]))].T)
