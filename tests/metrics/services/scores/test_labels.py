"""Labels as arrays: which grade stands, in which direction, for which query set."""

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import (
    Direction,
    Item,
    Pair,
    QuerySet,
    QuerySetItem,
    ReferenceLabel,
    ReferenceSet,
    Resolution,
)
from metrics.core.labels.label_sources import LabelSource
from metrics.services.numbers import inputs as number_inputs
from metrics.services.numbers import tallies
from metrics.services.scores import labels
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Two queries, three documents; pairs judged 2, 0 and disputed; a reference that differs."""
    study = cast.collection(grades=3)
    queries, documents = cast.items(study, "query", 2), cast.items(study, "document", 3)
    resolutions = {(0, 0): ("single", 2), (0, 1): ("majority", 0), (1, 2): ("disputed", None)}
    for (q, d), (status, grade) in resolutions.items():
        pair = Pair.objects.create(collection=study, query=queries[q], document=documents[d])
        Resolution.objects.create(
            pair=pair,
            collection=study,
            status=status,
            grade=grade,
            n_labels=1,
            policy=cast.policy(study),
        )
    study.reference = ReferenceSet.objects.create(collection=study, name="original")
    for q, d, grade in ((0, 1, 1), (1, 2, 1), (1, 0, 1)):
        ReferenceLabel.objects.create(
            reference_set=study.reference, query=queries[q], document=documents[d], grade=grade
        )
    study.query_items, study.document_items = queries, documents
    return study


def grades_of(study, source, direction=Direction.FORWARD, **more):
    grades = labels.labels_of(
        collection=study, direction=direction, label_source=LabelSource.parse(source), **more
    )
    names = dict(Item.objects.filter(collection=study).values_list("pk", "external_id"))
    return {(names[s], names[t]): g for s, t, g in zip(*(c.tolist() for c in grades), strict=True)}


def test_people_over_reference_keeps_the_references_grade_of_a_disputed_pair(study):
    assert grades_of(study, "over:original") == {
        ("q0", "d0"): 2,
        ("q0", "d1"): 0,
        ("q1", "d2"): 1,
        ("q1", "d0"): 1,
    }


def test_people_alone_have_no_grade_for_a_disputed_pair(study):
    assert grades_of(study, "only") == {("q0", "d0"): 2, ("q0", "d1"): 0}


def test_the_reverse_direction_shares_the_pairs(study):
    assert grades_of(study, "union:original", Direction.REVERSE) == {
        ("d0", "q0"): 2,
        ("d1", "q0"): 1,
        ("d2", "q1"): 1,
        ("d0", "q1"): 1,
    }


def test_labels_of_some_sources_are_those_of_all_sources_cut_down(study):
    query = study.query_items[1]
    assert grades_of(study, "over:original", sources=[query.pk]) == {
        ("q1", "d2"): 1,
        ("q1", "d0"): 1,
    }


def test_conflicts_count_pairs_that_both_graded_by_side_of_the_threshold(study):
    tallies.update_tallies(collection=study, pairs=None)
    (row,) = number_inputs.conflicts(study, tallies.read_tallies(collection=study))["references"]
    assert (row["n_both"], row["n_equal"], row["n_false_positives"], row["n_unchecked"]) == (
        1,
        0,
        1,
        2,
    )
    study.positive_from = 2
    (row,) = number_inputs.conflicts(study, tallies.read_tallies(collection=study))["references"]
    assert (row["n_both"], row["n_false_positives"], row["n_false_negatives"]) == (1, 0, 0)


def test_a_query_set_leaves_out_excluded_items_and_targets_beyond_its_gallery(study):
    everything = QuerySet.objects.create(collection=study, name="fold", direction=Direction.FORWARD)
    for item in study.query_items:
        QuerySetItem.objects.create(query_set=everything, item=item)
    for item in study.document_items[:2]:
        QuerySetItem.objects.create(query_set=everything, item=item, part="gallery")
    Item.objects.filter(pk__in=[study.query_items[1].pk, study.document_items[1].pk]).update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    scope = labels.scope_of(query_set=everything)
    assert scope.sources.tolist() == [study.query_items[0].pk]
    targets = np.array([item.pk for item in study.document_items])
    assert scope.counts(targets).tolist() == [True, False, False]
    source = LabelSource.parse("union:original")
    grades = labels.labels_of(collection=study, direction=Direction.FORWARD, label_source=source)
    assert labels.within(grades, scope).grade.tolist() == [2]


def test_reading_labels_takes_three_queries_however_many(study, django_assert_num_queries):
    with django_assert_num_queries(3):
        said_source = labels.labels_of(
            collection=study,
            direction=Direction.FORWARD,
            label_source=LabelSource.parse("union:original"),
        )
    assert len(said_source.grade) == 4
