"""The advice whether to go on judging, and what the last labels changed, in words.

To see these tests fail: leave out a case of one of them.
"""

import pytest

from annotate.models import Direction
from metrics.services.pool_bias.page import (
    Advice,
    DirectionPanel,
    Estimate,
    LookBack,
    SamplePanel,
)
from metrics.services.scores.query_groups import GroupFacts

ADVICE = Advice("unchanged", 1000, 1234, [], [None] * 4, 0)
APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
SETTLED = "Every neighbouring order holds in at least 95 % of resamples."
UNSETTLED = (
    "{} of the 4 neighbouring orders below {} not settled by these queries anyway: more labels on "
    "the same queries may not settle {}, more {} may."
)


def panel(groups=None, n_unsettled=0):
    empty = DirectionPanel(*[None] * len(DirectionPanel._fields))
    return empty._replace(groups=groups, advice=ADVICE._replace(n_unsettled=n_unsettled))


def groups(n_groups):
    return GroupFacts("column", n_queries=40, n_groups=n_groups, queries="captions", groups="clips")


@pytest.mark.parametrize(
    ("n_swaps", "swaps", "text"),
    [
        (0, [], "none"),
        (1, [("a", "b")], "1: a and b"),
        (2, [("a", "b"), ("c", "d")], "2: a and b; c and d"),
        (1200, [("a", "b")], "1,200: a and b …"),
    ],
)
def test_swapped_systems_are_named(n_swaps, swaps, text):
    assert LookBack(1000, 900, n_swaps, swaps).swaps_text == text


def test_why_there_is_no_advice():
    few = panel()._replace(advice=ADVICE._replace(state="undefined", n_last=50, n_labels=12))
    assert few.undefined_text == (
        "Not defined yet: it takes two runs and 100 labels; there are 12."
    )
    assert panel(groups(1)).undefined_text == (
        "Not defined: all captions are of one group, and nothing is known of another."
    )


@pytest.mark.parametrize(
    ("facts", "is_sample", "end"),
    [
        (None, False, ""),
        (groups(12), False, ""),
        (None, True, " AP counts as irrelevant what this sample did not draw."),
        (
            groups(12)._replace(n_population=100, n_drawn=40, pool="p"),
            False,
            " The captions were drawn of 100 for pool “p”, and a score estimates the mean over all "
            "of those: each stands for what its stratum holds.",
        ),
    ],
)
def test_the_table_of_runs_says_what_its_columns_are(facts, is_sample, end):
    filled = panel(facts)._replace(
        direction=Direction.REVERSE, n_queries=1200, depth=1000, measure="AP", is_sample=is_sample
    )
    assert filled.runs_note == (
        "On the 1,200 documents the pool asked about. "
        f"Brought: the run{APOSTROPHE}s first 1,000. "
        f"Judged: how many of those have people{APOSTROPHE}s grade, in per cent. "
        "Only here: of the judged ones, those no other run of the pool brought. "
        f"Without: AP as if these had not been judged, a reference{APOSTROPHE}s labels kept; "
        f"the other runs keep all labels.{end}"
    )


def test_what_may_settle_an_order():
    assert panel().unsettled_text == SETTLED
    assert panel(None, 1).unsettled_text == UNSETTLED.format(1, "is", "it", "queries")
    assert panel(groups(12), 3).unsettled_text == UNSETTLED.format(3, "are", "them", "clips")


def sample(**fields):
    return SamplePanel(*[None] * len(SamplePanel._fields))._replace(**fields)


@pytest.mark.parametrize(
    ("n_pooled", "text"),
    [
        (0, ""),
        (1, "1 pair in the strata, 40 drawn, 1,000 of them with a grade."),
        (1200, "1,200 pairs in the strata, 40 drawn, 1,000 of them with a grade."),
    ],
)
def test_drawn_pairs_are_counted(n_pooled, text):
    assert sample(n_pooled=n_pooled, n_drawn=40, n_judged=1000).drawn_text == text


@pytest.mark.parametrize(
    ("rows", "mean", "text"),
    [
        ([], 2.0, ""),
        ([None], None, ""),
        ([None], 1.0, "An estimated 1.000 ± 0.500 positive each."),
        ([None], 2.0, "An estimated 2.000 ± 0.500 positives each."),
    ],
)
def test_positives_are_estimated(rows, mean, text):
    assert sample(rows=rows, positives=Estimate(mean, 0.5)).positives_text == text
