"""The reach of golds in words."""

import pytest

from annotate.models import Policy
from annotate.services.golds.reach import GoldReach


@pytest.mark.parametrize(
    "numbers, sentence",
    [
        (
            (1200, 1100, None),
            'The open pools still hold about <strong class="tabular">1,200</strong> batches; golds '
            'fit into about <strong class="tabular">1,100</strong> of them. A batch holds up to 1 '
            "relevant and up to 1 irrelevant, and nobody meets one twice.",
        ),
        (
            (1, 1, 1),
            'The open pools still hold about <strong class="tabular">1</strong> batch; golds fit '
            'into about <strong class="tabular">1</strong> of them: 1 of their queries has one. A '
            "batch holds up to 1 relevant and up to 1 irrelevant, and nobody meets one twice.",
        ),
        (
            (7, 0, None),
            "<strong>None of the about 7 batches that the open pools still hold can have a gold"
            "</strong>. Add golds, or nobody\N{RIGHT SINGLE QUOTATION MARK}s work is checked.",
        ),
        (
            (1, 0, 0),
            "<strong>None of the about 1 batch that the open pools still hold can have a gold"
            "</strong>: none of their queries has one. Add golds of these queries, or "
            "nobody\N{RIGHT SINGLE QUOTATION MARK}s work is checked.",
        ),
        ((0, 0, 0), "The open pools hold no further batch."),
    ],
)
def test_it_says_how_many_batches_golds_fit_into(numbers, sentence):
    assert GoldReach(*numbers, Policy()).sentence == sentence


def test_queries_with_golds_are_many_or_one():
    assert ": 2,000 of their queries have one." in GoldReach(9, 9, 2000, Policy()).sentence


def test_a_policy_without_golds_is_named_as_the_cause():
    policy = Policy(gold_positives=0, gold_negatives=0)
    sentence = "The policy of the open pools puts no golds into batches."
    assert GoldReach(7, 0, None, policy).sentence == sentence
