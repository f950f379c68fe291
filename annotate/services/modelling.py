"""Grades that a model of the annotators found, written as the resolutions of pairs whose policy asks for it."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from annotate.models import Collection, Pair, Policy, Resolution
from annotate.services import seating


class Modelled(NamedTuple):
    """What the model makes of one pair: its grade, and how many labels it had seen of the pair."""

    pair: int
    grade: int
    n_labels: int


@transaction.atomic
def write_model_grades(*, collection: Collection, answers: Sequence[Modelled]) -> int:
    """Resolve pairs by the model; returns how many resolutions changed.

    A pair keeps what it has where its policy has another rule, where it is escalated or adjudicated, and where labels
    came or went since the model looked. `reconcile_pairs` keeps these grades until then, and takes the majority after.
    """
    n_changed = 0
    for start in range(0, len(answers), seating.CHUNK):
        chunk = {answer.pair: answer for answer in answers[start : start + seating.CHUNK]}
        changed = _write(collection, chunk)
        n_changed += len(changed)
        if changed:
            seating.note_changes(collection_id=collection.pk, pair_ids=changed)
    return n_changed


def _write(collection: Collection, answers: dict[int, Modelled]) -> list[int]:
    """The pairs whose resolution changed."""
    pairs = Pair.objects.filter(collection=collection, pk__in=answers).order_by("pk")
    planned = seating.plan(pairs=list(pairs.select_for_update(no_key=True))).resolutions
    changed = [row for row in planned if _follows(row, answers[row.pair_id])]
    for row in changed:
        row.status, row.grade = Resolution.Status.MODEL, answers[row.pair_id].grade
    Resolution.objects.bulk_update(changed, ["status", "grade"], batch_size=seating.CHUNK)
    return [row.pair_id for row in changed]


def _follows(row: Resolution, answer: Modelled) -> bool:
    """Whether a resolution is to become the model's, and is not yet."""
    by_people = (Resolution.Status.ESCALATED, Resolution.Status.ADJUDICATED)
    if row.policy.rule != Policy.Rule.MODEL or row.status in by_people:
        return False
    return row.n_labels == answer.n_labels and (row.status, row.grade) != (Resolution.Status.MODEL, answer.grade)
