"""Agreement of each two annotators, from the database."""

import numpy as np

from annotate.models import Collection
from metrics.charts.analyses.labels.person_pairs import person_pairs_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.person_pairs import AnnotatorLabels, agreement_by_person
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.labels.label_columns import (
    annotators_of,
    excluded_pairs,
    exclusion_notes,
    label_columns,
    n_by_origin,
    origin_notes,
)


def by_person(request: AnalysisRequest) -> AnalysisResult:
    """Equal grades and kappas of each two annotators who labelled the same pairs."""
    collection = request.collection
    excluded = excluded_pairs(collection=collection)
    all_labels = label_columns(collection=collection)
    labels = all_labels.where(~np.isin(all_labels.pair, excluded))
    keys, annotator = np.unique(labels.annotator, return_inverse=True)
    if not len(keys):
        raise NotDefined(
            "No pair has a label yet that counts: open a pool and judge, or load judgments."
        )
    if len(keys) == 1:
        raise NotDefined("All labels are of one annotator: it takes two on the same pairs.")
    levels = collection.levels.order_by("grade").values_list("grade", flat=True)
    pairs = agreement_by_person(
        AnnotatorLabels(
            pair=np.unique(labels.pair, return_inverse=True)[1].ravel(),
            annotator=annotator.ravel(),
            grade=labels.grade,
            is_planned=labels.is_planned,
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
    annotators = annotators_of(collection=collection)
    people = [annotators[key] for key in keys.tolist()]
    notes = [
        *exclusion_notes(len(excluded), len(all_labels.pair) - len(labels.pair)),
        *origin_notes(n_by_origin(labels, annotators)),
    ]
    return person_pairs_result(
        pairs,
        names=[person.label for person in people],
        is_program=np.array([person.is_program for person in people]),
        notes=notes,
    )
