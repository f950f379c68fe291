"""Grades by a model of the annotators, written as resolutions of pairs whose policy asks for it."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from annotate.models import Collection, Pair, Policy, Resolution
from annotate.services import seating


class ModelGrade(NamedTuple):
    """The model's grade of one pair, and the number of labels of the pair it had seen."""

    pair: int
    grade: int
    n_labels: int


@transaction.atomic
def write_model_grades(*, collection: Collection, model_grades: Sequence[ModelGrade]) -> int:
    """Resolve pairs by the model; returns how many resolutions changed.

    A pair keeps its resolution if its policy has another rule, if it is escalated or adjudicated,
    and if its labels have changed since the model ran. `reconcile_pairs` keeps the model's grades
    until labels change, and then takes the majority.
    """
    n_changed = 0
    for start in range(0, len(model_grades), seating.CHUNK):
        grade_by_pair = {
            model_grade.pair: model_grade
            for model_grade in model_grades[start : start + seating.CHUNK]
        }
        changed_pairs = _write(collection, grade_by_pair)
        n_changed += len(changed_pairs)
        if changed_pairs:
            seating.note_changes(collection_id=collection.pk, pair_ids=changed_pairs)
    return n_changed


def _write(collection: Collection, grade_by_pair: dict[int, ModelGrade]) -> list[int]:
    """Write the grades of one chunk; returns the pairs whose resolution changed."""
    pairs = Pair.objects.filter(collection=collection, pk__in=grade_by_pair).order_by("pk")
    resolutions = seating.plan(pairs=list(pairs.select_for_update(no_key=True))).resolutions
    changed_pairs = [
        resolution
        for resolution in resolutions
        if _is_due(resolution, grade_by_pair[resolution.pair_id])
    ]
    for resolution in changed_pairs:
        resolution.status, resolution.grade = (
            Resolution.Status.MODEL,
            grade_by_pair[resolution.pair_id].grade,
        )
    Resolution.objects.bulk_update(changed_pairs, ["status", "grade"], batch_size=seating.CHUNK)
    return [resolution.pair_id for resolution in changed_pairs]


def _is_due(resolution: Resolution, model_grade: ModelGrade) -> bool:
    """True if a resolution is to become the model's, and is not yet."""
    by_people = (Resolution.Status.ESCALATED, Resolution.Status.ADJUDICATED)
    if resolution.policy.rule != Policy.Rule.MODEL or resolution.status in by_people:
        return False
    return resolution.n_labels == model_grade.n_labels and (
        resolution.status,
        resolution.grade,
    ) != (Resolution.Status.MODEL, model_grade.grade)
