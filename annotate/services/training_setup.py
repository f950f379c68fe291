"""What leads set up: what the training asks, its pairs, and when it is switched on and off."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotate.core import ordering
from annotate.core.formats import FormatError, Problems, shown
from annotate.core.training_files import TrainingLine, read_training
from annotate.models import (
    Annotator,
    Batch,
    ClockTimestamp,
    Collection,
    Gold,
    Item,
    Pair,
    Round,
    RoundPair,
    Seat,
    Side,
    Training,
    TrainingDecision,
    TrainingPair,
    User,
)
from annotate.services.pairing import ensure_pairs
from annotate.services.seating import lock_annotator
from annotate.services.training import break_off, put_down
from annotate.services.training_gate import in_training
from annotate.services.training_standing import active_pairs, newest_quiz, training_of

JUDGED_BEFORE = "Had judged before the training was switched on."


class BadTraining(Exception):
    """The training cannot be as it was asked for; nothing was changed. The message says why."""


class BadPairs(Exception):
    """Pairs that cannot be added; none was. The message names each fault, a line each."""


class PairSpec(NamedTuple):
    """A training pair as somebody describes it, by the ids of its items."""

    query: str
    document: str
    grade: int
    why: str = ""
    anchor: str = ""


@transaction.atomic
def change_training(*, collection: Collection, **changes: Any) -> Training:
    """Set what the training asks. Tries under way keep the mark they began with.

    Switched on, whoever has judged already is exempt, and others give back the pairs they hold; switched off, tries
    under way are broken off. Raises BadTraining.
    """
    _lock_people(collection)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    training = training_of(collection=collection)
    was_on = training.is_on
    for name, value in changes.items():
        setattr(training, name, value)
    _require_sense(training)
    training.save()
    if training.is_on and not was_on:
        _exempt_who_judged(collection)
        _put_all_down(collection)
    if was_on and not training.is_on:
        _break_all_off(collection)
    return training


@transaction.atomic
def add_pairs(*, collection: Collection, specs: Sequence[PairSpec], by: User | None) -> int:
    """Train on these pairs from the next try on; one that is there gets the new grade and words. Returns how many.

    Raises BadPairs.
    """
    grades = set(collection.levels.values_list("grade", flat=True))
    faults = [f'Grade {spec.grade} of pair "{spec.query}", "{spec.document}" is not in the scheme.'
              for spec in specs if spec.grade not in grades]  # fmt: skip
    queries = _ids(collection, Side.QUERY, {spec.query for spec in specs})
    documents = _ids(collection, Side.DOCUMENT, {spec.document for spec in specs})
    faults += [f"There is no query {shown(spec.query)}." for spec in specs if spec.query not in queries]
    faults += [f"There is no document {shown(spec.document)}." for spec in specs if spec.document not in documents]
    if faults:
        raise BadPairs("\n".join(dict.fromkeys(faults)))
    last = {(queries[spec.query], documents[spec.document]): spec for spec in specs}  # of doubles the last one
    keys = np.array(sorted(last), dtype=np.int64).reshape(-1, 2)
    pairs = ensure_pairs(collection=collection, query=keys[:, 0], document=keys[:, 1]).keys.tolist()
    _write(dict(zip(pairs, (last[tuple(key)] for key in keys.tolist()), strict=True)), by)
    return len(pairs)


def add_file(*, collection: Collection, content: bytes, name: str, anchors: dict[str, str], by: User | None) -> int:
    """Train on the pairs of a CSV or TSV file, all of them or none. Returns how many.

    anchors : the guidelines' headings, by what a file may call them. Raises BadPairs.
    """
    grades = set(collection.levels.values_list("grade", flat=True))
    problems = Problems()
    try:
        lines = read_training(content, name, grades=grades, problems=problems)
    except FormatError as error:
        raise BadPairs(str(error)) from error
    _find_strangers(collection, lines, name, problems)
    if problems:
        raise BadPairs(str(problems))
    specs = [
        PairSpec(
            line.query, line.document, line.grade, line.why, anchors.get(line.paragraph.casefold(), line.paragraph)
        )
        for line in lines
    ]
    return add_pairs(collection=collection, specs=specs, by=by)


@transaction.atomic
def add_golds(*, collection: Collection, n_positive: int, n_negative: int, by: User | None) -> int:
    """Train on some of the golds, so many relevant and so many not, with their explanations. Returns how many.

    Who is trained on a gold is never checked by it. Fewer than asked for where there are no more.
    """
    taken = TrainingPair.objects.filter(pair=OuterRef("pair"), retired_at=None)
    golds = Gold.objects.filter(~Exists(taken), collection=collection, retired_at=None)
    key = bytes(collection.key)
    chosen: list[Gold] = []
    for is_positive, n in ((True, n_positive), (False, n_negative)):
        side = sorted(golds.filter(is_positive=is_positive), key=lambda gold: ordering.keyed_hash(key, gold.pair_id))
        chosen += side[:n]
    _write({gold.pair_id: PairSpec("", "", gold.grade, gold.explanation[:2000]) for gold in chosen}, by)
    return len(chosen)


@transaction.atomic
def retire_pair(*, pair: TrainingPair) -> None:
    """Train on this pair no more; tries under way keep it. The last one of a training that is on stays."""
    training = training_of(collection=pair.pair.collection)
    others = active_pairs(collection=pair.pair.collection).exclude(pk=pair.pk)
    if training.is_on and not others.exists() and newest_quiz(collection=pair.pair.collection) is None:
        raise BadTraining("It is the only pair of a training that is on; add another one or switch the training off.")
    TrainingPair.objects.filter(pk=pair.pk, retired_at=None).update(retired_at=ClockTimestamp())


def pairs_in_pools(*, collection: Collection) -> int:
    """How many training pairs an open pool wants labels of: nobody who is trained on them will be asked."""
    wanted = RoundPair.objects.filter(
        pair=OuterRef("pair"), dropped_at=None, round__kind=Round.Kind.POOL, round__state__in=Round.WANTING
    )
    return active_pairs(collection=collection).filter(Exists(wanted)).count()


def listed_pairs(*, collection: Collection) -> QuerySet[TrainingPair]:
    """The training pairs with what they show, newest first; three queries."""
    pairs = active_pairs(collection=collection).select_related("pair__query", "pair__document")
    return pairs.prefetch_related("pair__query__parts", "pair__document__parts").order_by("-at", "-pk")


def _require_sense(training: Training) -> None:
    try:
        training.full_clean()
    except ValidationError as error:
        raise BadTraining(" ".join(error.messages)) from error
    collection = training.collection
    by_rank = training.measure == Training.Measure.SPEARMAN
    if by_rank and collection.measurement == Collection.Measurement.NOMINAL:
        raise BadTraining("Spearman's correlation needs ordered levels; these are nominal. Choose accuracy.")
    if not training.is_on:
        return
    grades = set(active_pairs(collection=collection).values_list("grade", flat=True))
    if not grades and newest_quiz(collection=collection) is None:
        raise BadTraining("There is nothing to train on yet: write a quiz or add pairs, then switch the training on.")
    if by_rank and len(grades) == 1:
        raise BadTraining("Spearman's correlation is not defined where all right grades are equal; add other pairs.")


def _exempt_who_judged(collection: Collection) -> None:
    judged = Seat.objects.filter(annotator=OuterRef("pk"), purpose__in=Seat.COUNTING, state=Seat.State.DONE)
    people = Annotator.objects.filter(Exists(judged), collection=collection, origin=Annotator.Origin.PERSON)
    TrainingDecision.objects.bulk_create(
        TrainingDecision(annotator=annotator, kind=TrainingDecision.Kind.EXEMPTED, reason=JUDGED_BEFORE)
        for annotator in people.filter(training_decisions=None)
    )


def _lock_people(collection: Collection) -> None:
    """Let claims and answers under way end, and later ones see what is changed; before the collection, as they do."""
    people = Annotator.objects.filter(collection=collection, origin=Annotator.Origin.PERSON)
    for key in people.order_by("pk").values_list("pk", flat=True):
        lock_annotator(key)


def _put_all_down(collection: Collection) -> None:
    """Whoever is to be trained first gives back the pairs she holds, as somebody who is sent back does."""
    batches = Batch.objects.filter(annotator=OuterRef("pk"), finished_at=None)
    people = Annotator.objects.filter(in_training(), Exists(batches), collection=collection)
    people = people.filter(origin=Annotator.Origin.PERSON).order_by("pk")
    held = Seat.objects.filter(annotator__in=people, state=Seat.State.HELD).values("pair")
    # the pairs of all of them in one order, and not one person's after the other's: other services lock many, too
    list(Pair.objects.filter(pk__in=held).order_by("pk").select_for_update(no_key=True).values_list("pk"))
    for annotator in people:
        put_down(annotator=annotator)


def _break_all_off(collection: Collection) -> None:
    for annotator in Annotator.objects.filter(
        collection=collection, training_tries__isnull=False, training_tries__finished_at=None
    ).order_by("pk"):
        break_off(annotator=annotator)


def _find_strangers(collection: Collection, lines: Iterable[TrainingLine], name: str, problems: Problems) -> None:
    rows = list(lines)
    queries = _ids(collection, Side.QUERY, {row.query for row in rows})
    documents = _ids(collection, Side.DOCUMENT, {row.document for row in rows})
    for row in rows:
        if row.query not in queries:
            problems.add(FormatError(name, row.line, "query", f"there is no query {shown(row.query)}."))
        if row.document not in documents:
            problems.add(FormatError(name, row.line, "document", f"there is no document {shown(row.document)}."))


def _ids(collection: Collection, side: Side, wanted: set[str]) -> dict[str, int]:
    found = Item.objects.filter(collection=collection, side=side, excluded_at=None, external_id__in=wanted)
    return dict(found.values_list("external_id", "pk"))


def _write(specs: dict[int, PairSpec], by: User | None) -> None:
    TrainingPair.objects.bulk_create(
        (
            TrainingPair(pair_id=pair, grade=spec.grade, why=spec.why, anchor=spec.anchor, by=by)
            for pair, spec in specs.items()
        ),
        update_conflicts=True,
        unique_fields=["pair"],
        update_fields=["grade", "why", "anchor", "by", "retired_at"],
    )
