"""Propagated grades: a pair of a duplicate takes its original's, in scores and nowhere else."""

import numpy as np
import pytest

from annotate.models import Direction, Duplicate, Item, Pair, Resolution
from annotate.services import seating
from annotate.services.review import exclusions
from annotate.services.review.duplicate_marks import (
    DuplicateGroup,
    mark_duplicates,
    unmark_duplicates,
)
from metrics.models import Score, Snapshot
from metrics.services.numbers import refresh
from metrics.services.scores import labels
from tests import cast
from tests.metrics import studies
from tests.pooling import factories
from tests.pooling.answering import answer_pair

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def item(collection, external_id):
    return Item.objects.get(collection=collection, external_id=external_id)


def mark(collection, original, *ids):
    group = DuplicateGroup(item(collection, original), [item(collection, name) for name in ids])
    mark_duplicates(collection=collection, groups=[group], by=None)


def give(collection, grades, *, is_complete=True):
    """Give pairs grades, by the ids of query and document; None is a dispute."""
    for (query, document), grade in grades.items():
        pair = Pair.objects.create(
            collection=collection,
            query=item(collection, query),
            document=item(collection, document),
        )
        Resolution.objects.create(
            pair=pair,
            collection=collection,
            status="disputed" if grade is None else "single",
            grade=grade,
            n_labels=1,
            is_complete=is_complete,
            policy=cast.policy(collection),
        )


def named(collection, grades):
    names = dict(Item.objects.filter(collection=collection).values_list("pk", "external_id"))
    rows = zip(*(column.tolist() for column in grades), strict=True)
    return {(names[source], names[target]): grade for source, target, grade in rows}


def parts_of(collection, direction=Direction.FORWARD, **only):
    parts = labels.people_parts(collection=collection, direction=direction, **only)
    assert named(collection, parts.whole) == named(collection, parts.own) | named(
        collection, parts.propagated
    )
    return named(collection, parts.own), named(collection, parts.propagated)


@pytest.fixture
def collection():
    return cast.collection(grades=3, n_queries=4, n_documents=4)


def test_pairs_of_duplicates_take_the_grades_of_their_originals(collection):
    give(collection, {("q0", "d0"): 2, ("q0", "d1"): 0, ("q1", "d0"): 1, ("q3", "d3"): 1})
    mark(collection, "q0", "q2")
    mark(collection, "d0", "d2")
    own, propagated = parts_of(collection)
    assert own == {("q0", "d0"): 2, ("q0", "d1"): 0, ("q1", "d0"): 1, ("q3", "d3"): 1}
    assert propagated == {
        ("q0", "d2"): 2,
        ("q2", "d0"): 2,
        ("q2", "d2"): 2,
        ("q2", "d1"): 0,
        ("q1", "d2"): 1,
    }
    _, reverse = parts_of(collection, Direction.REVERSE)
    assert reverse == {(document, query): grade for (query, document), grade in propagated.items()}


def test_labels_of_a_duplicate_itself_stand_and_go_nowhere_else(collection):
    give(collection, {("q0", "d0"): 2, ("q2", "d0"): 0, ("q0", "d1"): 1, ("q2", "d1"): None})
    give(collection, {("q2", "d3"): 2})
    mark(collection, "q0", "q2", "q3")
    _, propagated = parts_of(collection)
    assert propagated == {("q3", "d0"): 2, ("q3", "d1"): 1}


def test_labels_that_are_not_complete_give_way_to_the_grade_of_the_original(collection):
    give(collection, {("q0", "d0"): 2, ("q0", "d2"): None})
    give(collection, {("q2", "d0"): 0, ("q2", "d1"): 1, ("q2", "d2"): 1}, is_complete=False)
    mark(collection, "q0", "q2")
    own, propagated = parts_of(collection)
    assert propagated == {("q2", "d0"): 2}
    assert own == {("q0", "d0"): 2, ("q2", "d1"): 1, ("q2", "d2"): 1}


def test_grades_of_some_sources_are_those_of_all_within_them(collection):
    give(collection, {("q0", "d0"): 2, ("q1", "d1"): 1})
    mark(collection, "q0", "q2")
    mark(collection, "d1", "d2")
    own, propagated = parts_of(collection, sources=[item(collection, "q2").pk])
    assert (own, propagated) == ({}, {("q2", "d0"): 2})
    own, propagated = parts_of(collection, sources=[item(collection, "q1").pk])
    assert (own, propagated) == ({("q1", "d1"): 1}, {("q1", "d2"): 1})


def test_what_a_lead_excluded_takes_and_gives_nothing(collection):
    give(collection, {("q0", "d0"): 2, ("q1", "d0"): 1, ("q2", "d3"): 1})
    mark(collection, "d0", "d1", "d2")
    lead = cast.member(collection, "lead")
    pair = Pair.objects.create(
        collection=collection, query=item(collection, "q0"), document=item(collection, "d1")
    )
    exclusions.exclude_pair(pair=pair, by=lead, reason="odd")
    exclusions.exclude_item(item=item(collection, "d2"), by=lead, reason="broken")
    assert parts_of(collection)[1] == {("q1", "d1"): 1}
    exclusions.exclude_item(item=item(collection, "d0"), by=lead, reason="broken")
    assert parts_of(collection)[1] == {}


def test_a_pair_that_a_sample_could_have_drawn_takes_no_grade():
    collection = factories.collection(n_queries=2, n_documents=12)
    run = factories.run(collection, "A", {0: list(range(9)), 1: [1]})
    pool = factories.opened(collection, [run], strategy="stratified", top=1, depth=9, share=0.25)
    in_strata = {("q0", f"d{number}") for number in range(9)} | {("q1", "d1")}
    drawn = factories.external_ids(pool.pool_pairs)
    assert drawn < in_strata
    answer_pair(collection, "q0", "d0", grade=1)
    mark(collection, "d0", *(f"d{number}" for number in range(1, 12)))
    assert parts_of(collection)[1] == {("q0", f"d{number}"): 1 for number in range(9, 12)}


def test_a_drawn_pair_of_unknown_strata_takes_no_grade():
    collection = factories.collection(n_queries=2, n_documents=12)
    runs = [
        factories.run(collection, "A", {0: list(range(9))}),
        factories.run(collection, "B", {0: [0]}, direction="reverse"),
    ]
    pool = factories.opened(collection, runs, strategy="stratified", top=1, depth=9, share=0.5)
    drawn = factories.external_ids(pool.pool_pairs)
    answer_pair(collection, "q0", "d0", grade=1)
    mark(collection, "d0", *(f"d{number}" for number in range(1, 12)))
    propagated = set(parts_of(collection)[1])
    assert propagated and not propagated & drawn


def scores_of(collection):
    rows = Score.objects.filter(run__collection=collection)
    columns = ("run", "query_set", "label_source", "measure")
    return {
        tuple(key): np.frombuffer(values, dtype="<f8").tolist()
        for *key, values in rows.values_list(*columns, "per_query")
    }


def test_marks_and_later_labels_reach_the_scores_as_a_whole_computation_finds_them():
    study = studies.judged_study(n=6)
    before = scores_of(study)
    sources = dict(study.items.values_list("external_id", "pk"))
    mark(study, "q0", "q5")
    mark(study, "d0", "d8")
    refresh.refresh(collection=study)
    with_marks = scores_of(study)
    assert with_marks != before
    studies.judge(cast.annotator(study), n=12, seed=3)
    refresh.refresh(collection=study)
    after = scores_of(study)
    assert after != with_marks
    refresh.rebuild(collection=study)
    assert scores_of(study) == after
    unmark_duplicates(
        collection=study,
        items=Item.objects.filter(pk__in=[sources["q5"], sources["d8"]]),
        by=None,
    )
    refresh.refresh(collection=study)
    whole = scores_of(study)
    assert whole != after
    refresh.rebuild(collection=study)
    assert scores_of(study) == whole


def test_a_label_of_an_original_alone_reaches_the_scores_of_its_duplicate():
    study = studies.study()
    mark(study, "q0", "q5")
    refresh.refresh(collection=study)
    before = scores_of(study)
    pair = study.pairs.get(query=item(study, "q0"), document=item(study, "d1"))
    Resolution.objects.create(
        pair=pair,
        collection=study,
        status="single",
        grade=2,
        n_labels=1,
        policy=cast.policy(study),
    )
    seating.note_changes(collection_id=study.pk, pair_ids=[pair.pk])
    refresh.refresh(collection=study)
    after = scores_of(study)
    changed_queries = {
        number
        for key, values in after.items()
        for number, value in enumerate(values)
        if len(values) == 6 and repr(value) != repr(before[key][number])
    }
    assert changed_queries == {0, 5}
    refresh.rebuild(collection=study)
    assert scores_of(study) == after


def test_agreement_people_and_counts_know_nothing_of_propagated_grades():
    study = studies.judged_study(seeds=(0, 1))
    numbers = dict(Snapshot.objects.filter(collection=study).values_list("kind", "value"))
    assert numbers["agreement"] and numbers["people"]
    for number in (1, 2, 3):
        Duplicate.objects.create(
            item=item(study, f"q{number}"),
            original=item(study, "q0"),
            collection=study,
            side="query",
        )
    seating.note_changes(collection_id=study.pk, pair_ids=[None])
    refresh.refresh(collection=study)
    assert dict(Snapshot.objects.filter(collection=study).values_list("kind", "value")) == numbers
