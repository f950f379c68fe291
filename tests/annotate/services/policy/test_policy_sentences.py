"""A policy in sentences, each of its fields with every wording it has."""

from decimal import Decimal

import pytest

from annotate.core.labels.resolving import RULES
from annotate.models import Policy
from annotate.models.resolving import GRADED_STATUSES
from annotate.services.policy.policy_sentences import policy_sentences

PLAIN = {
    "double_share": Decimal(0),
    "ceiling": 1,
    "gold_positives": 0,
    "gold_negatives": 0,
    "rule": "majority",
    "tie": "dispute",
}


def said(**fields):
    return policy_sentences(Policy(**{**PLAIN, **fields}))


def test_every_rule_of_a_policy_is_one_that_resolves_and_gives_a_status_with_a_grade():
    assert set(RULES) == set(Policy.Rule.values)
    assert {rule.status for rule in RULES.values()} <= set(GRADED_STATUSES)


def test_a_plain_policy_is_said_in_five_sentences():
    assert said() == [
        "Every pair gets 1 label.",
        "No further label is asked for where people disagree.",
        "A pair's grade is the one more than half of its labels name; without one it is disputed "
        "and goes to the lead.",
        "A batch holds 18 pairs to judge; one query's pairs come together.",
        "A pair handed out is held for 30 minutes, then it passes to somebody else.",
    ]


def test_the_default_policy_names_its_doubles_and_golds():
    labels, further, _, batches, _ = policy_sentences(Policy())
    assert labels == (
        "Every pair gets 1 label, and exactly 10 % of a pool's new pairs get one more."
    )
    assert further == ("Where people disagree, further labels are asked for until there are 3.")
    assert batches == (
        "A batch holds 18 pairs to judge and, unseen among them, up to 1 known relevant and up to "
        "1 known irrelevant; one query's pairs come together."
    )


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({"labels_per_pair": 2, "ceiling": 2}, "Every pair gets 2 labels."),
        (
            {"batch_candidates": 1},
            "A batch holds 1 pair to judge; one query's pairs come together.",
        ),
        ({"grouped": False}, "A batch holds 18 pairs to judge; queries come mixed."),
        (
            {"lease_minutes": 1},
            "A pair handed out is held for 1 minute, then it passes to somebody else.",
        ),
        ({"max_share": Decimal("0.25")}, "One person judges at most 25 % of a pool."),
        (
            {"repeat_share": Decimal("0.05")},
            "5 % of a person's pairs come back to them after 7 days, to see how steady they are.",
        ),
        (
            {"repeat_share": Decimal("0.05"), "repeat_after_days": 1},
            "5 % of a person's pairs come back to them after 1 day, to see how steady they are.",
        ),
        (
            {"repeat_share": Decimal("0.05"), "repeat_after_days": 0},
            "5 % of a person's pairs come back to them, perhaps on the same day, to see how steady "
            "they are.",
        ),
    ],
)
def test_a_field_changes_its_sentence(fields, sentence):
    assert sentence in said(**fields)


@pytest.mark.parametrize(
    "tie, side", [("up", "larger"), ("down", "smaller"), ("dispute", "smaller")]
)
def test_tolerated_distances_are_named_with_the_side_that_is_taken(tie, side):
    further = said(ceiling=3, tolerance=1, tie=tie)[1]
    assert further == (
        "Where people disagree by more than 1, further labels are asked for until there are 3. "
        "Labels at most 1 apart agree: where the rule finds no single grade among them, the "
        f"{side} one is taken."
    )


def test_stopping_early_is_named_where_it_spares_labels():
    words = "Two are asked for first, and no more once two agree and the rule decides."
    assert said(labels_per_pair=3, ceiling=3, stop_early=True)[1].endswith(f" {words}")
    assert words not in said(labels_per_pair=2, ceiling=3, stop_early=True)[1]


@pytest.mark.parametrize(
    "rule, words",
    [
        ("majority", "the one more than half of its labels name"),
        ("unanimous", "the one all of its labels name"),
        ("median", "the median of its labels"),
        ("model", "the most probable one given everybody's labels and how reliable each person"),
    ],
)
@pytest.mark.parametrize(
    "tie, end",
    [
        ("dispute", "it is disputed and goes to the lead."),
        ("up", "the larger one is taken."),
        ("down", "the smaller one is taken."),
    ],
)
def test_the_rule_says_whose_grade_it_is_and_what_happens_without_one(rule, words, tie, end):
    sentence = said(rule=rule, tie=tie)[2]
    assert sentence.startswith(f"A pair's grade is {words}")
    assert sentence.endswith(f"; without one {end}")


@pytest.mark.parametrize(
    "action, end",
    [
        ("warn", "its annotator reads a warning that names no pair."),
        ("hold", "the batch waits for a lead."),
        ("reject", "its labels are withdrawn and asked for again."),
        ("pause", "the batch waits for a lead and its annotator is paused."),
    ],
)
def test_failed_golds_have_the_consequence_of_their_action(action, end):
    sentence = said(gold_positives=1, gold_action=action)[4]
    assert sentence == (
        "When fewer than 75 % of a batch's known pairs are right (where it has fewer than four, "
        f"together with those of the batches before it: nobody fails on fewer), {end}"
    )
    assert len(said(gold_action=action)) == 5
