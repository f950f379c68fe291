"""Resolution rules, and the number of labels that a pair needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels.resolving import RULES, LabelPolicy, decide, n_needed


def policy(**fields):
    return LabelPolicy(
        **{
            "labels_per_pair": 1,
            "ceiling": 3,
            "tolerance": 0,
            "rule": "majority",
            "tie": "dispute",
            **fields,
        }
    )


EARLY = {"labels_per_pair": 5, "ceiling": 5, "stop_early": True}
GRADES = st.lists(st.integers(0, 4), min_size=1, max_size=7)
POLICIES = st.builds(
    LabelPolicy,
    st.integers(1, 5),
    st.integers(1, 7),
    st.integers(0, 3),
    st.sampled_from(sorted(RULES)),
    st.sampled_from(["dispute", "up", "down"]),
    st.booleans(),
)


@pytest.mark.parametrize("grades", [[2], [0, 0], [0, 1, 1]])
def test_a_model_of_the_annotators_decides_where_the_rule_says_so_alone(grades):
    assert decide(grades, policy(rule="model"), model_grade=2) == ("model", 2, len(grades))
    assert decide(grades, policy(), model_grade=2) == decide(grades, policy())
    assert decide([], policy(rule="model"), model_grade=2) is None


@pytest.mark.parametrize(
    ("grades", "fields", "status", "grade"),
    [
        ([2], {}, "single", 2),
        ([1, 1], {}, "agreed", 1),
        ([0, 1], {}, "disputed", None),
        ([0, 1], {"tie": "up"}, "majority", 1),
        ([0, 1], {"tie": "down"}, "majority", 0),
        ([0, 1, 1], {}, "majority", 1),
        ([0, 1, 2], {}, "disputed", None),
        ([0, 1, 2], {"tie": "up"}, "majority", 2),
        ([0, 1, 2], {"rule": "median"}, "median", 1),
        ([0, 0, 3, 3], {"rule": "median"}, "disputed", None),
        ([0, 0, 3, 3], {"rule": "median", "tie": "down"}, "median", 0),
        ([0, 2, 2, 3], {"rule": "median"}, "median", 2),
        ([0, 0, 1, 2], {}, "disputed", None),  # two of four lead, but are no majority
        ([0, 0, 1, 2], {"tie": "up"}, "majority", 0),
        ([0, 1, 1], {"rule": "model"}, "majority", 1),  # until the model has looked
        ([2], {"rule": "model"}, "single", 2),
        ([0, 1], {"rule": "unanimous"}, "disputed", None),
        ([1, 1, 1, 0], {"rule": "unanimous"}, "disputed", None),
        ([1, 1, 1], {"rule": "unanimous"}, "agreed", 1),
        ([0, 1], {"tolerance": 1}, "agreed", 0),  # near enough: nobody disputes it
        ([0, 1], {"tolerance": 1, "tie": "up"}, "agreed", 1),
        ([0, 1], {"tolerance": 1, "rule": "unanimous"}, "agreed", 0),
        ([0, 1, 1], {"tolerance": 1}, "majority", 1),
        ([0, 3], {"tolerance": 1}, "disputed", None),
        ([0, 3], {"tolerance": 1, "tie": "up"}, "majority", 3),
        ([1, 2, 2, 3, 3], {"tolerance": 2}, "agreed", 2),
        ([0, 1], {"tolerance": 1, "rule": "model"}, "agreed", 0),
    ],
)
def test_how_a_grade_comes_about(grades, fields, status, grade):
    assert decide(grades, policy(**fields)) == (status, grade, len(grades))


def test_no_label_no_decision():
    assert decide([], policy()) is None


def test_an_unknown_rule_is_an_error_not_a_guess():
    with pytest.raises(KeyError):
        decide([0, 1], policy(rule="mode"))


@pytest.mark.parametrize(
    ("grades", "n_wanted", "fields", "n_expected"),
    [
        ([], 1, {}, 1),
        ([], 2, {}, 2),
        ([1], 1, {}, 1),
        ([1], 2, {}, 2),
        ([0, 1], 2, {}, 3),
        ([0, 1], 1, {}, 3),  # a second label that came late still counts as disagreement
        ([1, 1], 2, {}, 2),
        ([0, 1], 2, {"tolerance": 1}, 2),
        ([0, 3], 2, {"tolerance": 1}, 3),
        ([0, 1, 2], 2, {}, 3),
        ([0, 1, 2], 2, {"ceiling": 5}, 4),
        ([0, 1, 1], 2, {"ceiling": 5}, 3),
        ([0, 1], 0, {}, 2),  # no open round wants it
        ([], 5, {"labels_per_pair": 5, "ceiling": 5}, 5),
        ([], 5, EARLY, 2),
        ([1], 5, EARLY, 2),
        ([1, 1], 5, EARLY, 2),
        ([1, 2], 5, EARLY, 3),
        ([1, 2], 5, {**EARLY, "tolerance": 1}, 2),
        ([0, 3], 5, {**EARLY, "tolerance": 1}, 3),
        ([0, 3, 3], 5, EARLY, 3),
        (
            [0, 1, 3],
            5,
            {**EARLY, "rule": "median"},
            4,
        ),  # a middle grade, but no two people who agree
        ([0, 1, 3], 5, {**EARLY, "rule": "median", "tolerance": 1}, 3),
        ([0, 1, 2, 3], 5, EARLY, 5),
        ([0, 0, 3, 3, 1], 5, EARLY, 5),
        ([0, 0, 3, 3, 1], 5, {**EARLY, "ceiling": 7}, 6),
        ([1, 1], 6, EARLY, 3),  # its planned double is asked for all the same
        ([1, 1, 1], 6, EARLY, 3),
        ([1], 1, {"stop_early": True}, 1),
        ([1, 1], 2, {"stop_early": True}, 2),
        ([0, 1, 1], 3, {"labels_per_pair": 3, "rule": "unanimous", "ceiling": 4}, 4),
    ],
)
def test_how_many_labels_a_pair_wants(grades, n_wanted, fields, n_expected):
    assert n_needed(grades, n_wanted=n_wanted, policy=policy(**fields)) == n_expected


@given(GRADES, POLICIES)
def test_a_decision_is_one_of_the_grades_given_and_does_not_hang_on_their_order(grades, rules):
    decision = decide(grades, rules)
    assert decision.grade is None or decision.grade in grades
    assert decide(grades[::-1], rules) == decision
    assert (decision.grade is None) == (decision.status == "disputed")


@given(GRADES, st.integers(0, 6), POLICIES)
def test_never_more_than_one_label_beyond_what_is_wanted_or_given(grades, n_wanted, rules):
    n_labels = n_needed(grades, n_wanted=n_wanted, policy=rules)
    assert len(grades) <= n_labels <= max(n_wanted, len(grades) + 1)
    if len(grades) >= max(rules.ceiling, n_wanted):
        assert n_labels == len(grades)


@given(GRADES, st.integers(1, 6), POLICIES)
def test_who_stops_early_never_asks_for_more_than_who_does_not(grades, n_wanted, rules):
    early, patient = (
        n_needed(grades, n_wanted=n_wanted, policy=rules._replace(stop_early=stops))
        for stops in (True, False)
    )
    assert early <= patient


@given(GRADES, POLICIES)
def test_labels_near_enough_are_never_disputed(grades, rules):
    near = rules._replace(tolerance=max(grades) - min(grades))
    assert decide(grades, near).status != "disputed"
