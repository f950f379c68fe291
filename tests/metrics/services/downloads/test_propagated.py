"""Propagated grades in files: marked in qrels, with their source in JSON, by any rule."""

import json

import pytest

from annotate.models import Direction, Item
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from annotate.services.review.exclusions import exclude_pair
from metrics.core.labels.label_sources import LabelSource
from metrics.http import QrelsRequest
from metrics.services.downloads import bundles, qrels
from metrics.services.downloads.grades import people_grades_by_rule
from metrics.services.scores import labels
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Everything is judged; then query q0 and document d0 get a copy each."""
    study = studies.judged_study("study", seeds=(0, 1, 2), labels_per_pair=3)
    copies = [cast.items(study, side, 1)[0] for side in ("query", "document")]
    groups = [
        DuplicateGroup(Item.objects.get(collection=study, external_id=original), [copy])
        for original, copy in zip(("q0", "d0"), copies, strict=True)
    ]
    mark_duplicates(collection=study, groups=groups, by=None)
    return study


def lines(study, source="only", **more):
    request = QrelsRequest(Direction.FORWARD, LabelSource.parse(source), **more)
    text = "".join(qrels.qrels_of(collection=study, qrels_request=request))
    return [tuple(line.split()) for line in text.splitlines()]


def expected(own):
    """Own rows, and those of the copies q6 and d9; own : grades by query and document."""
    queries, documents = {"q0": ["q6"]}, {"d0": ["d9"]}
    rows = [(query, "0", document, grade) for (query, document), grade in own.items()]
    for (query, document), grade in own.items():
        rows += [
            (q, "propagated", d, grade)
            for q in [query, *queries.get(query, [])]
            for d in [document, *documents.get(document, [])]
            if (q, d) != (query, document)
        ]
    return sorted(rows)


def named(study, grades):
    """Grades as in files, by the ids of query and document."""
    names = dict(Item.objects.filter(collection=study).values_list("pk", "external_id"))
    rows = zip(*(column.tolist() for column in grades), strict=True)
    return {(names[source], names[target]): str(grade) for source, target, grade in rows}


def own_of(rows):
    return {(row[0], row[2]): row[3] for row in rows if row[1] == "0"}


@pytest.mark.parametrize("rule", ["", "first", "largest", "smallest"])
def test_qrels_mark_what_is_propagated_whatever_the_rule(study, rule):
    rows = lines(study, rule=rule)
    assert rows == expected(own_of(rows))
    assert sum(row[1] == "propagated" for row in rows) > 3
    if rule:
        own = people_grades_by_rule(collection=study, direction=Direction.FORWARD, rule=rule)
    else:
        own = labels.own_grades(collection=study, direction=Direction.FORWARD)
    assert own_of(rows) == named(study, own)


@pytest.mark.parametrize("rule", ["", "first", "largest"])
def test_an_excluded_pair_and_its_copies_are_in_no_file(study, rule):
    pair = study.pairs.filter(resolution__grade__isnull=False, query__external_id="q0").earliest(
        "pk"
    )
    document = pair.document.external_id
    assert {("q0", document), ("q6", document)} <= {
        (row[0], row[2]) for row in lines(study, rule=rule)
    }
    exclude_pair(pair=pair, by=None, reason="odd")
    rows = {(row[0], row[2]) for row in lines(study, rule=rule)}
    assert not rows & {("q0", document), ("q6", document)}


def test_rules_differ_in_this_study(study):
    assert lines(study, rule="largest") != lines(study, rule="smallest")


def test_qrels_of_scores_hold_the_grades_that_scores_are_computed_with(study):
    rows = lines(study, "over:original")
    grades = labels.labels_of(
        collection=study,
        direction=Direction.FORWARD,
        label_source=LabelSource.parse("over:original"),
    )
    assert {(row[0], row[2]): row[3] for row in rows} == named(study, grades)


def test_a_grade_that_a_reference_gives_anyway_is_its_own(study):
    own = {row for row in lines(study, "union:original") if row[1] == "0"}
    studies.reference(study, {("q6", "d0"): 2, ("q6", "d9"): 0}, name="more")
    rows = lines(study, "union:more,original")
    by_pair = {(row[0], row[2]): row for row in rows}
    assert by_pair["q6", "d0"] == ("q6", "0", "d0", "2")
    assert own <= set(rows)


def test_a_reference_alone_has_nothing_propagated(study):
    assert {row[1] for row in lines(study, "none:original")} == {"0"}


def test_json_names_the_pair_whose_grade_it_is(study):
    request = QrelsRequest(Direction.FORWARD, LabelSource.parse("only"))
    pieces = bundles.json_pieces(collection=study, qrels_request=request, count=lambda n_rows: None)
    value = json.loads("".join(pieces))["queries"]
    for query, _, document, grade in (row for row in lines(study) if row[1] == "propagated"):
        row = value[query]["relevance"][document]
        original = ["q0" if query == "q6" else query, "d0" if document == "d9" else document]
        assert row == {"grade": int(grade), "labels": [], "propagated_from": original}
    assert not any(
        "propagated_from" in row
        for query in ("q0", "q1")
        for document, row in value[query]["relevance"].items()
        if document != "d9"
    )
