"""The consequences of retiring a run and of deleting one, in words."""

import pytest

from pooling.models import Run
from pooling.services.pages.run_consequences import (
    deletion_consequences,
    retirement_consequences,
)


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (
            "ready",
            "Its file, its rankings and its scores go for good; what was downloaded before stays "
            "as it is. No pool was made of it, so no judgment rests on it.",
        ),
        ("rejected", "Its file goes for good; what was downloaded before stays as it is."),
    ],
)
def test_a_run_says_what_its_deletion_takes_away(state, sentence):
    assert deletion_consequences(run=Run(state=state), n_rankings=3).sentences == (sentence,)


def test_the_buttons_have_the_numbers_where_there_are_some():
    run = Run(state="ready", name="bm25")
    button = deletion_consequences(run=run, n_rankings=3).button
    assert button == "Delete bm25 with 3 rankings for good"
    run.state = "rejected"
    assert deletion_consequences(run=run, n_rankings=0).button == "Delete bm25 for good"
    assert retirement_consequences(n=240).button == "Retire, with at most 240 pairs"
    assert retirement_consequences(n=0).button == "Retire"
