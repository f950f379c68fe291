"""Agreement of each two annotators, from the database."""

import numpy as np

from annotate.models import Collection
from metrics.charts.analyses.labels.person_pairs import person_pairs_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.person_pairs import AnnotatorLabels, agreement_by_person
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.labels.label_columns import counting_labels, grouped_pairs
from metrics.services.numbers.inputs import resampling_unit


def by_person(request: AnalysisRequest) -> AnalysisResult:
    """Equal grades and kappas of each two annotators who labelled the same pairs."""
    collection = request.collection
    labels = counting_labels(collection=collection)
    columns = labels.columns
    keys, annotator = np.unique(columns.annotator, return_inverse=True)
    if len(keys) == 1:
        raise NotDefined("All labels are of one annotator: it takes two on the same pairs.")
    pair_keys, pair = np.unique(columns.pair, return_inverse=True)
    groups = grouped_pairs(pair_keys, collection=collection)
    levels = collection.levels.order_by("grade").values_list("grade", flat=True)
    pairs = agreement_by_person(
        AnnotatorLabels(
            pair=pair.ravel(),
            annotator=annotator.ravel(),
            grade=columns.grade,
            is_planned=columns.is_planned,
            group=groups.of_pair[pair.ravel()],
        ),
        n_annotators=len(keys),
        domain=np.array(levels, dtype=np.int64),
        has_order=collection.measurement != Collection.Measurement.NOMINAL,
    )
    if not len(pairs.n):
        raise NotDefined(
            "No pair has labels of two annotators yet: let the policy double a share of a pool's "
            "pairs, or want two labels of each."
        )
    people = [labels.annotators[key] for key in keys.tolist()]
    return person_pairs_result(
        pairs,
        names=[person.label for person in people],
        is_program=np.array([person.is_program for person in people]),
        groups=resampling_unit(groups.facts),
        notes=[*labels.notes, *groups.notes],
    )
