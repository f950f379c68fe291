"""Coefficients of agreement, and alpha as labels came, from the database."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Seat
from annotate.services.storage.number_arrays import Numbers, copied_columns
from metrics.charts.analyses.labels.arrivals import arrivals_result
from metrics.charts.analyses.labels.coefficients import AgreementScheme, coefficients_result
from metrics.charts.results import AnalysisResult
from metrics.core.agreement.counts import CodedLabels, annotations, keep_labels
from metrics.core.analyses.labels.arrivals import alpha_as_labels_came
from metrics.core.analyses.labels.coefficients import (
    agreement_coefficients,
    gold_shares,
)
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.labels.label_columns import (
    CountingLabels,
    counting_labels,
    grouped_pairs,
)
from metrics.services.numbers.inputs import resampling_unit
from metrics.services.scores.labels import n_propagated
from metrics.services.scores.propagation import propagation_sentence

_GOLDS = f"""
    SELECT answer.pair_id::bigint, answer.annotator_id::bigint, answer.grade::bigint,
           gold.grade::bigint
    FROM annotate_countingjudgment answer
    JOIN annotate_gold gold ON gold.pair_id = answer.pair_id AND gold.retired_at IS NULL
    WHERE answer.collection_id = %s AND answer.purpose = '{Seat.Purpose.GOLD}'
"""  # noqa: S608 - own words


class _GroupedLabels(NamedTuple):
    """The labels that count, in the order in which they came, and the groups of their pairs.

    labels : N; is_planned : (N,); group_of_pair : (U,) of labels.units
    drawn_units : what intervals draw, in the plural; notes : on what is left out, and on groups
    """

    labels: CodedLabels
    is_planned: NDArray[np.bool_]
    group_of_pair: Numbers
    drawn_units: str
    notes: list[str]
    excluded_pairs: Numbers


def coefficients(request: AnalysisRequest) -> AnalysisResult:
    """Alpha, kappas and per cents of planned labels, of all and by their number; golds."""
    collection = request.collection
    study = _grouped_labels(collection)
    threshold = request.spec.scores.threshold
    answers = copied_columns(_GOLDS, ("pair", "annotator", "grade", "truth"), [collection.pk])
    counts = ~np.isin(answers["pair"], study.excluded_pairs)
    is_right = (answers["grade"] >= threshold) == (answers["truth"] >= threshold)
    return coefficients_result(
        agreement_coefficients(
            study.labels, study.is_planned, study.group_of_pair, level=collection.measurement
        ),
        gold_shares(answers["annotator"][counts], is_right[counts]),
        AgreementScheme(
            collection.measurement, threshold, study.drawn_units, collection.alpha_marks
        ),
        n_labels=len(study.labels.unit),
        n_planned=int(np.count_nonzero(study.is_planned)),
        notes=study.notes,
    )


def as_labels_came(request: AnalysisRequest) -> AnalysisResult:
    """Alpha of the first labels that came, of planned ones and of all."""
    study = _grouped_labels(request.collection)
    planned = keep_labels(study.labels, np.flatnonzero(study.is_planned))
    level, groups = request.collection.measurement, study.group_of_pair
    curves = (
        alpha_as_labels_came(planned, groups, level=level),
        alpha_as_labels_came(study.labels, groups, level=level, has_intervals=False),
    )
    if not any(point.alpha is not None for curve in curves for point in curve):
        raise NotDefined(
            "Alpha is not defined yet: all labels of pairs with two have the same grade."
        )
    return arrivals_result(
        *curves,
        level=level,
        drawn_units=study.drawn_units,
        notes=study.notes,
    )


def _grouped_labels(collection: Collection) -> _GroupedLabels:
    """Read the labels by arrival; raises NotDefined without a pair with two labels."""
    label_table: CountingLabels = counting_labels(collection=collection)
    columns = label_table.columns
    order = np.argsort(columns.judgment)
    levels = collection.levels.order_by("grade").values_list("grade", flat=True)
    labels = annotations(
        columns.pair[order],
        columns.annotator[order],
        columns.grade[order],
        domain=np.array(levels, dtype=np.int64),
    )
    if len(labels.units) == len(labels.unit):
        raise NotDefined("No pair has labels of two annotators yet: agreement takes two on a pair.")
    groups = grouped_pairs(labels.units, collection=collection)
    notes = label_table.notes
    if n := n_propagated(collection=collection):
        notes.append(f"{propagation_sentence(n)} Here only labels of the pair itself count.")
    return _GroupedLabels(
        labels,
        columns.is_planned[order],
        groups.of_pair,
        resampling_unit(groups.facts),
        [*notes, *groups.notes],
        label_table.excluded_pairs,
    )
