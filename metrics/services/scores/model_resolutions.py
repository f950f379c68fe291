"""Resolutions by a model of the annotators' reliability, where a policy has that rule."""

import logging

import numpy as np
from django.core.cache import cache

from annotate.models import Collection, CountingJudgment, Policy
from annotate.services.seating.model_grades import ModelGrade, write_model_grades
from annotate.services.storage.number_arrays import table
from metrics.core.agreement.consensus import dawid_skene
from metrics.core.agreement.counts import annotations

log = logging.getLogger(__name__)

GATHERING_SECONDS = 10  # for which labels are gathered before one computation


def is_due(*, collection: Collection) -> bool:
    """True if grades are to be computed again after labels changed.

    A policy has the rule, and no computation was just enqueued.
    """
    is_requested = Policy.objects.filter(collection=collection, rule=Policy.Rule.MODEL).exists()
    return is_requested and bool(
        cache.add(f"model-soon-{collection.pk}", 1, timeout=GATHERING_SECONDS)
    )


def resolve_by_model(*, collection: Collection) -> int:
    """Compute every labelled pair's most probable grade from all counting labels.

    Returns how many resolutions changed. Safe to run at any time and twice: the same labels give
    the same grades, and unchanged ones are not written.
    """
    judgments = CountingJudgment.objects.labels().filter(collection=collection)
    rows = judgments.order_by("judgment").values_list("pair", "annotator", "grade")
    pair, annotator, grade = table(rows, 3).T
    domain = np.array(sorted(collection.levels.values_list("grade", flat=True)))
    labels = annotations(pair, annotator, grade, domain=domain)
    model = dawid_skene(labels)
    if not model.converged:
        log.warning(
            "The model of %s did not settle in %s rounds.", collection.slug, model.n_iterations
        )
    n_labels = np.unique(pair, return_counts=True)[1]
    grades = labels.values[model.value]
    answers = map(ModelGrade, labels.units.tolist(), grades.tolist(), n_labels.tolist())
    return write_model_grades(collection=collection, model_grades=list(answers))
