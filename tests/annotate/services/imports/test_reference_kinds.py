"""Reference sets from lists of positives and from sampled pools: their sides, strata, export."""

import json

import numpy as np
import pytest

from annotate.models import Item, ReferenceLabel, ReferenceSet, Side, Undrawn
from annotate.services.collection.reference_qrels import qrels_lines
from annotate.services.collection.references import FileRejected, load_reference
from annotate.services.imports.items import load_collection
from metrics.core.measures.alignment import LabelledPairs, align
from metrics.core.measures.inferred_measures import stratified_inferred_ap
from metrics.services.samples.references import sampled_labels
from pooling.core.likeness.rankings import Rankings
from tests import cast
from tests.annotate.core.files.items.test_captions_and_topics import MSRVTT
from tests.annotate.core.files.samples import archive, file, zipped

pytestmark = pytest.mark.django_db
STRATIFIED = ("q0 0 d0 1 2", "q0 0 d1 1 0", "q0 0 d2 2 -1", "q1 0 d0 2 1", "q1 0 d2 2 -1")


@pytest.fixture
def collection():
    return cast.collection(grades=3, positive_from=2, n_queries=2, n_documents=3)


def load(collection, stream, name="original", **options):
    return load_reference(
        collection=collection, stream=stream, file_name="labels", name=name, **options
    )


def stored(name="original"):
    labels = ReferenceLabel.objects.filter(reference_set__name=name)
    return sorted(labels.values_list("query__external_id", "document__external_id", "grade"))


@pytest.mark.parametrize(
    "text", ['{"q0": ["d0", "d2"], "q1": ["d1"]}', '{"d0": ["q0"], "d2": ["q0"], "d1": ["q1"]}']
)
def test_a_list_of_positives_may_be_of_either_side(collection, text):
    load(collection, file(text))
    # a list has no grades: the smallest that counts as relevant, which claims least
    assert stored() == [("q0", "d0", 2), ("q0", "d2", 2), ("q1", "d1", 2)]


def test_the_grade_of_listed_positives_can_be_chosen(collection):
    load(collection, file('{"q0": ["d0"]}'), grade_map={1: 1})
    assert stored() == [("q0", "d0", 1)]


def test_lists_of_both_sides_in_one_archive_are_one_set(collection):
    both = archive(
        {"a.json": b'{"q0": ["d0"], "q1": ["d1"]}', "b.json": b'{"d0": ["q0"], "d2": ["q1"]}'}
    )
    report = load(collection, both)
    assert stored() == [("q0", "d0", 2), ("q1", "d1", 2), ("q1", "d2", 2)]
    assert report.repeats.n == 1


def test_ids_that_fit_both_ways_are_not_guessed():
    collection = cast.collection()
    for side in Side.values:
        Item.objects.bulk_create(
            Item(collection=collection, side=side, external_id=external_id)
            for external_id in ("x0", "x1")
        )
    with pytest.raises(FileRejected, match="alike; write it as qrels"):
        load(collection, file('{"x0": ["x1"]}'))


def test_the_report_says_what_negative_grades_mean(collection):
    report = load(collection, file("q0 0 d0 1", "q0 0 d1 -1", "q0 0 d2 -2", "q1 0 d0 -2"))
    assert "(1 of grade -1: in the pool, not judged; 2 of grade -2: junk)" in str(report)
    assert ("Grade -2 (junk), no label", 2) in report.figures()


def test_strata_are_kept_and_what_was_not_drawn_is_no_label(collection):
    report = load(collection, file(*STRATIFIED))
    assert (report.n_labels, report.n_undrawn) == (3, 2)
    assert stored() == [("q0", "d0", 2), ("q0", "d1", 0), ("q1", "d0", 1)]
    assert sorted(ReferenceLabel.objects.values_list("stratum", flat=True)) == [1, 1, 2]
    assert Undrawn.objects.filter(stratum=2).count() == 2
    assert not load(collection, file(*reversed(STRATIFIED))).is_new


def test_a_pair_in_two_strata_is_a_fault(collection):
    with pytest.raises(FileRejected, match="Line 2: another line has this pair in stratum 1"):
        load(collection, file("q0 0 d0 1 -1", "q0 0 d0 2 -1"))


@pytest.mark.parametrize("lines", [STRATIFIED, ("q0 0 d0 2", "q0 0 d1 0", "q1 0 d2 1")])
def test_qrels_go_out_as_they_came_in_and_in_again(collection, lines):
    load(collection, file(*lines))
    out = list(qrels_lines(reference_set=ReferenceSet.objects.get()))
    assert out == [line + "\n" for line in lines]
    assert not load(collection, file(*(line.rstrip() for line in out))).is_new


def test_xinfap_has_its_strata_from_the_reference_set(collection):
    load(collection, file(*STRATIFIED))
    sample = sampled_labels(reference_set=ReferenceSet.objects.get(), direction="forward")
    order = {pk: index for index, pk in enumerate(sorted(set(sample.source.tolist())))}
    docs = np.array(sorted(set(sample.target.tolist())))
    labels = LabelledPairs(
        np.array([order[pk] for pk in sample.source.tolist()]), sample.target, sample.grade
    )
    ranked = align(Rankings(np.array([0, 3, 6]), np.concatenate([docs[::-1], docs])), labels)
    # q0: d2 (not drawn), d1 (0), d0 (2) of strata 2, 1, 1; stratum 1 is judged whole, nothing known
    # of stratum 2
    above = 1 + 1 * 1e-5 / 3e-5 + 1 * 1e-5 / (1 + 3e-5)
    value = stratified_inferred_ap(ranked, sample.stratum, threshold=2)
    assert value.tolist() == pytest.approx([above / 3, 0.0])


def test_a_caption_list_brings_its_own_videos_as_labels():
    collection = cast.collection(grades=3, positive_from=1)
    report = load_collection(
        collection=collection, source=zipped({"msrvtt.json": json.dumps(MSRVTT)})
    )
    assert [reference.n_labels for reference in report.references] == [3]
    assert stored() == [("0", "video0", 1), ("1", "video0", 1), ("2", "video1", 1)]
