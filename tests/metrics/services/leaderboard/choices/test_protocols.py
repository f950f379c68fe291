"""Protocols as choices of the leaderboard: what they fix, contradictions, what is missing."""

import pytest

from annotate.models import QuerySet, ReferenceSet
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from pooling.models import Run
from tests.metrics.services.leaderboard.choices.protocol_study import add_plausible, protocol_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return protocol_study()


def choices_of(study, **parameters):
    return read_choices(collection=study, viewer=None, parameters=parameters)


def test_plausible_matches_fix_the_grade_of_equal_classes(study):
    add_plausible(study)
    choices = choices_of(study, protocol="pmrp")
    assert choices.errors == []
    assert facts_of(choices) == ("none:plausible", "all", 3, ("PMRP", "PMRP_mean"))
    by_hand = choices_of(study, labels="none:plausible", threshold="3", measures="PMRP_mean")
    assert by_hand.protocol == choices.protocol
    # from another grade up they are those of another zeta
    assert choices_of(study, labels="none:plausible", threshold="2", measures="PMRP").protocol is (
        None
    )
    (error,) = choices_of(study, protocol="pmrp", threshold="1").errors
    assert "Plausible matches fixes threshold at 3; beside it the address says 1" in error


def test_plausible_matches_of_fewer_zetas_are_told(study):
    (error,) = choices_of(study, protocol="pmrp").errors
    assert error == (
        "The protocol Plausible matches cannot be shown here: no reference set has “plausible” or "
        "“pmrp” in its name."
    )
    add_plausible(study, zetas=2)
    (error,) = choices_of(study, protocol="pmrp").errors
    assert "reference “plausible” has positive labels of 2 grades (1, 2), and zeta 0, 1" in error
    assert "pmrp" not in [fit.protocol.name for fit in choices_of(study).fitting_protocols]


def test_the_grades_of_a_set_are_read_once(study, django_assert_num_queries):
    choices_of(study)
    with django_assert_num_queries(6):
        choices_of(study)
    add_plausible(study)
    with django_assert_num_queries(11):  # the set, its scheme, and each of three grades
        choices_of(study)
    with django_assert_num_queries(8):
        choices_of(study)


def facts_of(choices):
    spec = choices.spec
    return spec.label_source, spec.query_set, spec.threshold, spec.measures


def test_a_protocol_fixes_labels_queries_threshold_and_measures(study):
    for name, facts in {
        "coco-5k": ("none:original", "all", 1, ("C@1", "C@5", "C@10")),
        "cxc": ("none:CxC", "all", 1, ("C@1",)),
        "eccv-caption": ("none:ECCV", "eccv", 1, ("mAP@R", "Rprec", "C@1")),
    }.items():
        choices = choices_of(study, protocol=name)
        assert (facts_of(choices), choices.errors) == (facts, [])
        assert choices.protocol.protocol.name == name
        assert [run.name for run in choices.runs] == ["a1", "a2", "b1", "b2"]


def test_the_same_choices_by_hand_are_the_protocol(study):
    choices = choices_of(study, labels="none:CxC", measures="C@1")
    assert choices.protocol.protocol.name == "cxc"
    assert choices_of(study, labels="none:CxC", measures="C@1", people="first").protocol is None
    assert choices_of(study, labels="none:CxC", measures="C@1 AP").protocol is None
    assert choices_of(study).protocol is None


def test_what_is_said_beside_it_alike_is_no_contradiction(study):
    choices = choices_of(
        study, protocol="coco-5k", labels="none:original", queries="all", measures="C@5"
    )
    assert (choices.errors, choices.spec.measures) == ([], ("C@5",))


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        (
            "labels",
            "over:CxC",
            "fixes labels at none:original; beside it the address says over:CxC",
        ),
        ("labels", "over", "fixes labels at none:original; beside it the address says over"),
        ("queries", "eccv", "fixes queries at all; beside it the address says eccv"),
        ("threshold", "2", "fixes threshold at 1; beside it the address says 2"),
        ("measures", "AP C@1", "has the measures C@1, C@5, C@10; AP is not among them."),
        ("people", "first", "takes the labels of a reference set: leave “people” out."),
        ("subset", "judged", "takes all queries of its query sets: leave “subset” out."),
        ("words_from", "3", "takes queries of any length: leave “words_from” out."),
    ],
)
def test_what_contradicts_it_is_told_and_the_protocol_stands(study, name, value, error):
    choices = choices_of(study, protocol="coco-5k", **{name: value})
    assert len(choices.errors) == 1 and error in choices.errors[0]
    assert choices.errors[0].startswith("The protocol COCO 5K ")
    assert facts_of(choices) == facts_of(choices_of(study, protocol="coco-5k"))
    assert (choices.spec.people, choices.spec.judged_only) == ("", False)
    assert choices.spec.words == (None, None)


def test_unknown_names_and_measures_are_told(study):
    assert choices_of(study, protocol="coco").errors == [
        'There is no protocol "coco"; there are: coco-1k, coco-5k, cxc, eccv-caption, pmrp.'
    ]
    assert len(choices_of(study, protocol="cxc", measures="nonsense").errors) == 1


def test_folds_are_led_to_the_analysis_of_them(study):
    choices = choices_of(study, protocol="coco-1k")
    assert choices.errors == [
        "The protocol COCO 1K is a mean over folds: the analysis “folds” has it, not the "
        "leaderboard."
    ]
    assert choices.protocol is None
    by_hand = choices_of(study, labels="none:original", queries="1k fold 1", measures="C@1")
    assert by_hand.protocol is None


def test_what_the_collection_lacks_is_told(study):
    QuerySet.objects.filter(name="eccv", direction="reverse").delete()
    ReferenceSet.objects.filter(name="CxC").update(name="mine")
    assert choices_of(study, protocol="cxc").errors == [
        "The protocol CxC cannot be shown here: no reference set has “cxc” in its name."
    ]
    (error,) = choices_of(study, protocol="eccv-caption").errors
    assert error.endswith("no query set of both directions has “eccv” in its name.")
    names = [fit.protocol.name for fit in choices_of(study).fitting_protocols]
    assert names == ["coco-1k", "coco-5k"]


def test_two_runs_are_compared_by_a_protocol(study):
    keys = {run.name: str(run.pk) for run in Run.objects.all()}
    parameters = {"protocol": "coco-5k", "a": keys["a1"], "b": keys["b1"]}
    choices = read_comparison(collection=study, viewer=None, parameters=parameters)
    assert (choices.errors, choices.spec.measures) == ([], ("C@1",))
    assert choices.spec.label_source == "none:original"
    choices = read_comparison(
        collection=study, viewer=None, parameters={**parameters, "measure": "C@10"}
    )
    assert (choices.errors, choices.spec.measures) == ([], ("C@10",))
