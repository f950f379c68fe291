"""Captions: of which queries, direction and labels a result is."""

import pytest

from annotate.models import QuerySet
from metrics.services.analysis.page import caption_of
from metrics.services.analysis.register import ANALYSES
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import grade, small_study
from tests.metrics.services.analysis.questions import answer_of, chosen

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    collection = small_study()
    grade(collection, {(0, 0): 0, (0, 1): 2, (1, 1): 1})
    return collection


def caption(study, name, **parameters):
    """The caption without its moment."""
    answer = answer_of(study, name, **parameters)
    text = caption_of(ANALYSES[name], chosen(study, **parameters), answer)
    return text.partition(" “Study” as of")[0]


def test_the_direction_is_told_where_there_are_two(study):
    of = "Of 9 documents. Query set “all”, document to query. Labels: people only; positive from"
    text = caption(study, "positives-per-query", direction="reverse", labels="only")
    assert text.startswith(of)
    assert "Query set “all”, query to document." in caption(study, "positives-per-query")
    QuerySet.objects.filter(direction="reverse").delete()
    assert "Query set “all”. Labels" in caption(study, "positives-per-query")


@pytest.mark.parametrize("name", ["positives-by-set", "reference-against-people"])
def test_a_result_of_both_directions_has_the_chosen_one_of_neither(study, name):
    assert caption(study, name).startswith("Of 6 queries and 9 documents. Query set “all”. ")


def test_a_result_of_no_direction_tells_none(study):
    assert "to document" not in caption(study, "agreement-coefficients")


def test_rows_that_count_what_people_said_say_so(study):
    ending = {
        "labels-by-pool": "People's labels; positive from grade 1.",
        "excluded-items": "People's labels.",
        "people-as-systems": "People's labels; positive from grade 1.",
        "refused-positives": "People's labels and reference “original”; positive from grade 1.",
        "reference-against-people": "People's labels and reference “original”; positive from grade",
    }
    for name, text in ending.items():
        assert text in caption(study, name), name


def test_several_chosen_sets_are_named_beside_people(study):
    studies.reference(study, {("q0", "d1"): 1}, "second")
    text = caption(study, "reference-against-people", labels="none:original,second")
    assert "People's labels and references “original”, “second”; positive from grade 1." in text


def test_rows_without_labels_name_none(study):
    for name in ("duplicates", "training-similarity-and-length", "run-likeness"):
        assert "abels" not in caption(study, name)
