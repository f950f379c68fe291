"""The consequences of closing a pool and of opening it again, in words."""

import pytest

from annotate.core.labels.pair_states import StateCounts
from pooling.services.pages.pool_figures import PoolFigures


@pytest.mark.parametrize(
    ("counts", "button", "n"),
    [
        (
            {"untouched": 240, "some_labels": 12, "complete": 3},
            "Close the pool: 240 pairs stay without a label",
            252,
        ),
        (
            {"some_labels": 1},
            "Close the pool: 1 pair stays with fewer labels than the policy wants",
            1,
        ),
        ({"complete": 3, "disputed": 1}, "Close the pool", 0),
    ],
)
def test_the_button_tells_what_stays_without_labels(counts, button, n):
    closing = PoolFigures(StateCounts(counts), n_free=0, n_held=0, n_done=0).closing
    assert (closing.button, closing.n) == (button, n)


def test_what_people_hold_is_named_and_a_closing_that_failed_is_tried_again():
    figures = PoolFigures(StateCounts({"untouched": 2, "some_labels": 3}), 2, 4, 0, is_retried=True)
    assert figures.closing.title == "Try again"
    assert figures.closing.sentences == (
        "Nothing more is handed out; judgments stay and count.",
        "2 pairs stay without a label.",
        "3 pairs stay with fewer labels than the policy wants.",
        "What people hold, 4 pairs, they may finish.",
    )


@pytest.mark.parametrize(
    ("counts", "button"),
    [
        ({"untouched": 240, "some_labels": 1}, "Open the pool again, with 241 pairs"),
        ({"complete": 3, "disputed": 1}, "Open the pool again"),
    ],
)
def test_an_opening_again_tells_the_pairs_that_are_asked_for(counts, button):
    states = StateCounts(counts, is_open=False)
    reopening = PoolFigures(states, n_free=0, n_held=0, n_done=0).reopening
    n_pairs = sum(counts.get(state, 0) for state in ("untouched", "some_labels"))
    assert (reopening.title, reopening.button, reopening.n) == ("Open again", button, n_pairs)
    assert (f"of {n_pairs} pairs would be asked for" in reopening.sentences[0]) == bool(n_pairs)
    retried = PoolFigures(states, n_free=0, n_held=0, n_done=0, is_retried=True)
    assert retried.reopening.title == "Try again"
