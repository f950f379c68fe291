"""Annotators judged by one another's labels, from the database."""

import numpy as np

from annotate.models import Direction
from annotate.services.storage.number_arrays import copied_columns
from metrics.charts.analyses.pool.people import people_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.people import BinaryLabels, people_as_systems
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.labels.label_columns import counting_labels
from metrics.services.scores.query_groups import facts_of, groups_of

_PAIRS = "SELECT id::bigint, query_id::bigint FROM annotate_pair WHERE collection_id = %s"


def people_by_people(request: AnalysisRequest) -> AnalysisResult:
    """Precision and recall of each annotator by the others' planned labels of the same pairs."""
    collection, threshold = request.collection, request.spec.scores.threshold
    labels = counting_labels(collection=collection)
    columns, is_planned = labels.columns, labels.columns.is_planned
    keys, annotator = np.unique(columns.annotator[is_planned], return_inverse=True)
    pairs, pair = np.unique(columns.pair[is_planned], return_inverse=True)
    if len(pair) == len(pairs):
        raise NotDefined(
            "No pair has planned labels of two annotators yet: let the policy double a share of a "
            "pool's pairs, or want two labels of each."
        )
    pair_columns = copied_columns(_PAIRS, ("pair", "query"), [collection.pk])
    order = np.argsort(pair_columns["pair"])
    query_of_pair = pair_columns["query"][order][
        np.searchsorted(pair_columns["pair"][order], pairs)
    ]
    queries, query = np.unique(query_of_pair, return_inverse=True)
    facts = facts_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    people = people_as_systems(
        BinaryLabels(
            pair=pair.ravel(),
            annotator=annotator.ravel(),
            is_positive=columns.grade[is_planned] >= threshold,
            query=query.ravel(),
        ),
        n_annotators=len(keys),
        groups=groups_of(collection=collection, direction=Direction.FORWARD, sources=queries),
    )
    return people_result(
        people,
        names=[labels.annotators[key].label for key in keys.tolist()],
        threshold=threshold,
        notes=[*labels.notes, *(note for note in (facts.choice, facts.caution) if note)],
    )
