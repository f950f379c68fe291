"""Each guard's evidence is told in words and figures."""

import pytest

from annotate.core.labels.concerns import SHORT_WORDS, sentence

EVIDENCE = {
    "speed": {"n_hits": 41, "n": 50, "n_expected": 2.5, "mark": 1.0},
    "clip": {"n_hits": 44, "n": 50, "n_expected": 25.0, "mark": 12.5},
    "run": {
        "level": "No",
        "length": 64,
        "n_expected": 37,
        "n": 2000,
        "chance": 2.3e-6,
        "mark": 1.0,
    },
    "gold": {"n_right": 13, "n": 20, "low": 0.4329, "high": 0.8188, "mark": 85.0},
}
SENTENCES = {
    "speed": "41 of the last 50 answers took less than 1 s; at most 3 are expected.",
    "clip": "44 of the last 50 answers to clips took less than 12.5 % of the clip's length; at "
    "most 25 are expected.",
    "run": "“No” 64 times in a row; up to 37 in a row are expected in 2,000 answers. The chance of "
    "64 is below 0.001 %, and the mark is 1 %.",
    "gold": "Golds 13 of 20, withdrawn answers included, between 43 and 82 %, below the mark of "
    "85 %.",
}


@pytest.mark.parametrize("guard", SHORT_WORDS)
def test_a_guard_tells_what_it_found_and_what_it_is_held_to(guard):
    assert sentence(guard, EVIDENCE[guard]) == SENTENCES[guard]


def test_an_end_that_would_look_like_the_mark_has_more_figures():
    golds = EVIDENCE["gold"] | {"high": 0.8484}
    assert "between 43 and 84.84 %, below the mark of 85 %" in sentence("gold", golds)
