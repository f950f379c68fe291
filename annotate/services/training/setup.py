"""The setup of trainings by leads: their rules and pairs, and switching them on and off."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotate.core.consequences import require_unchanged
from annotate.core.files.formats import FormatError, Problems, quoted
from annotate.core.labels import keyed_choices
from annotate.core.training.files import TrainingLine, read_training
from annotate.models import (
    Annotator,
    Batch,
    ClockTimestamp,
    Collection,
    CountingJudgment,
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
from annotate.services.collection.lifecycle.archive import lock_unarchived
from annotate.services.judging.training_gate import in_training
from annotate.services.seating import lock_annotator
from annotate.services.seating.pair_creation import ensure_pairs
from annotate.services.training.status import active_pairs, newest_quiz, training_of
from annotate.services.training.tries import break_off, give_back_pairs

JUDGED_BEFORE = "Had judged before the training was switched on."


class BadTraining(Exception):
    """The training cannot be set up so; nothing was changed. The message says why."""


class BadPairs(Exception):
    """Pairs that cannot be added; none was. The message names each fault, a line each."""


class PairSpec(NamedTuple):
    """A training pair described by the ids of its items."""

    query: str
    document: str
    grade: int
    why: str = ""
    anchor: str = ""


@transaction.atomic
def change_training(*, collection: Collection, **changes: Any) -> Training:
    """Change the rules of the training. Tries under way keep the mark they began with.

    Switched on, annotators who have judged already are exempt, and others give back the pairs they
    hold; switched off, tries under way are broken off. Raises BadTraining,
    CollectionArchived.
    """
    # all people, before the collection, as claims and answers do: these then wait
    people = Annotator.objects.filter(collection=collection, origin=Annotator.Origin.PERSON)
    for key in people.order_by("pk").values_list("pk", flat=True):
        lock_annotator(key)
    lock_unarchived(collection_id=collection.pk)
    training = training_of(collection=collection)
    was_on = training.is_on
    for name, value in changes.items():
        setattr(training, name, value)
    _validate(training)
    training.save()
    if training.is_on and not was_on:
        _exempt_experienced(collection)
        _give_back_all_pairs(collection)
    if was_on and not training.is_on:
        for annotator in Annotator.objects.filter(
            collection=collection, training_tries__isnull=False, training_tries__finished_at=None
        ).order_by("pk"):
            break_off(annotator=annotator)
    return training


@transaction.atomic
def add_pairs(*, collection: Collection, specs: Sequence[PairSpec], by: User | None) -> int:
    """Train on these pairs from the next try on; a known pair gets the new grade. Returns how many.

    Raises BadPairs, CollectionArchived.
    """
    lock_unarchived(collection_id=collection.pk)
    grades = set(collection.levels.values_list("grade", flat=True))
    faults = [
        f'Grade {spec.grade} of pair "{spec.query}", "{spec.document}" is not in the scheme.'
        for spec in specs
        if spec.grade not in grades
    ]
    queries = _ids(collection, Side.QUERY, {spec.query for spec in specs})
    documents = _ids(collection, Side.DOCUMENT, {spec.document for spec in specs})
    faults += [
        f"There is no query {quoted(spec.query)}." for spec in specs if spec.query not in queries
    ]
    faults += [
        f"There is no document {quoted(spec.document)}."
        for spec in specs
        if spec.document not in documents
    ]
    if faults:
        raise BadPairs("\n".join(dict.fromkeys(faults)))
    # of repeated pairs the last one
    spec_by_key = {(queries[spec.query], documents[spec.document]): spec for spec in specs}
    keys = np.array(sorted(spec_by_key), dtype=np.int64).reshape(-1, 2)
    pairs = ensure_pairs(collection=collection, query=keys[:, 0], document=keys[:, 1]).keys.tolist()
    new_specs = (spec_by_key[query, document] for query, document in keys.tolist())
    _write(dict(zip(pairs, new_specs, strict=True)), by)
    return len(pairs)


def add_file(
    *, collection: Collection, content: bytes, name: str, anchors: dict[str, str], by: User | None
) -> int:
    """Train on the pairs of a CSV or TSV file, all of them or none. Returns how many.

    anchors : the guidelines' headings, by what a file may call them.

    Raises BadPairs, CollectionArchived.
    """
    grades = set(collection.levels.values_list("grade", flat=True))
    problems = Problems()
    try:
        lines = read_training(content, name, grades=grades, problems=problems)
    except FormatError as error:
        raise BadPairs(str(error)) from error
    _report_unknown_items(collection, lines, name, problems)
    if problems:
        raise BadPairs(str(problems))
    specs = [
        PairSpec(
            line.query,
            line.document,
            line.grade,
            line.why,
            anchors.get(line.paragraph.casefold(), line.paragraph),
        )
        for line in lines
    ]
    return add_pairs(collection=collection, specs=specs, by=by)


@transaction.atomic
def add_golds(*, collection: Collection, n_positive: int, n_negative: int, by: User | None) -> int:
    """Train on some of the golds, so many relevant and so many not. Returns how many.

    They keep their explanations. Nobody trained on a gold is checked by it. Fewer are added if
    there are no more. Raises CollectionArchived.
    """
    lock_unarchived(collection_id=collection.pk)
    active_pair = TrainingPair.objects.filter(pair=OuterRef("pair"), retired_at=None)
    golds = Gold.objects.filter(~Exists(active_pair), collection=collection, retired_at=None)
    key = bytes(collection.key)
    new_golds: list[Gold] = []
    for is_positive, n in ((True, n_positive), (False, n_negative)):
        candidates = sorted(
            golds.filter(is_positive=is_positive),
            key=lambda gold: keyed_choices.keyed_hash(key, gold.pair_id),
        )
        new_golds += candidates[:n]
    _write(
        {gold.pair_id: PairSpec("", "", gold.grade, gold.explanation[:2000]) for gold in new_golds},
        by,
    )
    return len(new_golds)


@transaction.atomic
def retire_pair(*, pair: TrainingPair) -> bool:
    """Train on this pair no more; tries under way keep it. True unless that had been done before.

    Raises BadTraining for the last pair.
    """
    training = training_of(collection=pair.pair.collection)
    other_pairs = active_pairs(collection=pair.pair.collection).exclude(pk=pair.pk)
    if (
        training.is_on
        and not other_pairs.exists()
        and newest_quiz(collection=pair.pair.collection) is None
    ):
        raise BadTraining(
            "It is the only pair of a training that is on; "
            "add another one or switch the training off."
        )
    active_pair = TrainingPair.objects.filter(pk=pair.pk, retired_at=None)
    is_new = active_pair.update(retired_at=ClockTimestamp()) > 0
    pair.refresh_from_db(fields=["retired_at"])
    return is_new


@transaction.atomic
def bring_back_pair(*, pair: TrainingPair, done_at: datetime | None = None) -> bool:
    """Train on a pair again that was taken out; True unless that had been done before.

    Raises BadTraining where the scheme has lost its grade, CollectionArchived, ActChanged.

    done_at : moment at which it was taken out, None for any
    """
    lock_unarchived(collection_id=pair.pair.collection_id)
    if not pair.pair.collection.levels.filter(grade=pair.grade).exists():
        raise BadTraining(
            f"The scheme has no grade {pair.grade} any more; add the pair with another one."
        )
    since = TrainingPair.objects.select_for_update(no_key=True).get(pk=pair.pk).retired_at
    if since is not None:
        require_unchanged(since, done_at=done_at)
        TrainingPair.objects.filter(pk=pair.pk).update(retired_at=None)
    pair.refresh_from_db(fields=["retired_at"])
    return since is not None


def pairs_in_pools(*, collection: Collection) -> int:
    """Return how many training pairs open pools want labels of; no trainee is asked for them."""
    open_round_pairs = RoundPair.objects.filter(
        pair=OuterRef("pair"),
        dropped_at=None,
        round__kind=Round.Kind.POOL,
        round__state__in=Round.WANTING,
    )
    return active_pairs(collection=collection).filter(Exists(open_round_pairs)).count()


def listed_pairs(*, collection: Collection) -> QuerySet[TrainingPair]:
    """Return the training pairs with their items, newest first; three queries."""
    pairs = active_pairs(collection=collection).select_related("pair__query", "pair__document")
    return pairs.prefetch_related("pair__query__parts", "pair__document__parts").order_by(
        "-at", "-pk"
    )


def _validate(training: Training) -> None:
    try:
        training.full_clean()
    except ValidationError as error:
        raise BadTraining(" ".join(error.messages)) from error
    collection = training.collection
    by_rank = training.measure == Training.Measure.SPEARMAN
    if by_rank and collection.measurement == Collection.Measurement.NOMINAL:
        raise BadTraining(
            "Spearman's correlation needs ordered levels; these are nominal. Choose accuracy."
        )
    if not training.is_on:
        return
    grades = set(active_pairs(collection=collection).values_list("grade", flat=True))
    if not grades and newest_quiz(collection=collection) is None:
        raise BadTraining(
            "There is nothing to train on yet: "
            "write a quiz or add pairs, then switch the training on."
        )
    if by_rank and len(grades) == 1:
        raise BadTraining(
            "Spearman's correlation is not defined where all right grades are equal; "
            "add other pairs."
        )


def _exempt_experienced(collection: Collection) -> None:
    labels = CountingJudgment.objects.labels().filter(annotator=OuterRef("pk"))
    people = Annotator.objects.filter(
        Exists(labels), collection=collection, origin=Annotator.Origin.PERSON
    )
    TrainingDecision.objects.bulk_create(
        TrainingDecision(
            annotator=annotator, kind=TrainingDecision.Kind.EXEMPTED, reason=JUDGED_BEFORE
        )
        for annotator in people.filter(training_decisions=None)
    )


def _give_back_all_pairs(collection: Collection) -> None:
    """Take the held pairs of annotators who must be trained, as of one who is sent back."""
    batches = Batch.objects.filter(annotator=OuterRef("pk"), finished_at=None)
    people = Annotator.objects.filter(in_training(), Exists(batches), collection=collection)
    people = people.filter(origin=Annotator.Origin.PERSON).order_by("pk")
    held_pairs = Seat.objects.filter(annotator__in=people, state=Seat.State.HELD).values("pair")
    # all their pairs in one order, not person by person: other services lock many pairs, too
    list(
        Pair.objects.filter(pk__in=held_pairs)
        .order_by("pk")
        .select_for_update(no_key=True)
        .values_list("pk")
    )
    for annotator in people:
        give_back_pairs(annotator=annotator)


def _report_unknown_items(
    collection: Collection, lines: Iterable[TrainingLine], name: str, problems: Problems
) -> None:
    rows = list(lines)
    queries = _ids(collection, Side.QUERY, {row.query for row in rows})
    documents = _ids(collection, Side.DOCUMENT, {row.document for row in rows})
    for row in rows:
        if row.query not in queries:
            problems.add(
                FormatError(name, row.line, "query", f"there is no query {quoted(row.query)}.")
            )
        if row.document not in documents:
            problems.add(
                FormatError(
                    name, row.line, "document", f"there is no document {quoted(row.document)}."
                )
            )


def _ids(collection: Collection, side: Side, external_ids: set[str]) -> dict[str, int]:
    items = Item.objects.filter(
        collection=collection, side=side, excluded_at=None, external_id__in=external_ids
    )
    return dict(items.values_list("external_id", "pk"))


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
