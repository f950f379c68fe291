"""Pairs resolved by how reliable each annotator proves to be, where a collection's policy asks for it."""

import logging

import numpy as np
from django.core.cache import cache

from annotate.models import Collection, Policy, Seat
from annotate.services.modelling import Modelled, write_model_grades
from metrics.core.consensus import dawid_skene
from metrics.core.counts import annotations
from metrics.services.labels import table

log = logging.getLogger(__name__)

WAIT = 10  # seconds in which labels are gathered for one reckoning


def due(*, collection: Collection) -> bool:
    """Whether to reckon anew after labels changed: a policy asks for it, and nobody else has just been told to."""
    asked = Policy.objects.filter(collection=collection, rule=Policy.Rule.MODEL).exists()
    return asked and bool(cache.add(f"model-soon-{collection.pk}", 1, timeout=WAIT))


def resolve_by_model(*, collection: Collection) -> int:
    """Reckon every labelled pair's most probable grade from all counting labels; returns how many resolutions changed.

    Safe to run at any time and twice: the same labels give the same grades, and what has not changed is not written.
    """
    counting = Seat.objects.filter(collection=collection, purpose__in=Seat.COUNTING, state=Seat.State.DONE)
    rows = table(counting.order_by("judgment_id").values_list("pair", "annotator", "judgment__level__grade"), 3)
    pair, annotator, grade = rows.T
    domain = np.array(sorted(collection.levels.values_list("grade", flat=True)))
    labels = annotations(pair, annotator, grade, domain=domain)
    found = dawid_skene(labels)
    if not found.converged:
        log.warning("The model of %s did not settle in %s rounds.", collection.slug, found.n_iterations)
    n_labels = np.unique(pair, return_counts=True)[1]
    grades = labels.values[found.value]
    answers = map(Modelled, labels.units.tolist(), grades.tolist(), n_labels.tolist())
    return write_model_grades(collection=collection, answers=list(answers))
