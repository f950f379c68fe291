"""The sentences of the leaderboard and of a comparison, each of their cases.

To see these tests fail: leave out a sentence of ChoicesCaption, or a case of a caption.
"""

from datetime import UTC, datetime

import numpy as np
import pytest

from annotate.models import Direction
from metrics.charts.decision_notes import missed_text
from metrics.core.measures.alignment import LabelledPairs, align
from metrics.core.measures.measures import FAMILIES, parse, parse_one
from metrics.core.statistics.groups import Design
from metrics.services.leaderboard.cells import ScoreCell
from metrics.services.leaderboard.choices.captions import (
    ChoicesCaption,
    LeaderboardCaption,
    design_cell,
)
from metrics.services.leaderboard.comparison_page import RunComparison
from pooling.core.likeness.rankings import Rankings
from pooling.models import Run

CAPTION = LeaderboardCaption(
    query_set="all",
    sources_text="1,200 queries",
    targets="documents",
    n_positive=None,
    without_positive="",
    missing_text="a query that a run misses counts 0 (no run misses any)",
    n_ranked=None,
    joined_at=None,
    saturated=[],
)
MISSING = "; a query that a run misses counts 0 (no run misses any)."
GROUPS = {
    "grouping": "column",
    "n_queries": 40,
    "n_groups": 12,
    "queries": "captions",
    "groups": "videos",
}
TESTS_TEXT = (
    "Two-sided, each by itself: a choice among many runs needs the correction of the leaderboard."
)


def test_the_choices_are_a_sentence_or_more():
    plain = ChoicesCaption("Scores with a.", "", 1, is_judged_only=False, words_text="")
    assert str(plain) == "Scores with a. A pair is positive from grade 1 up."
    first = "Of people, the first label of each pair counts."
    every = plain._replace(
        people_sentence=first, is_judged_only=True, words_text="of 1 to 5 words", threshold=2
    )
    assert str(every) == (
        f"Scores with a. {first} A pair is positive from grade 2 up. Only queries of which people "
        "labelled a pair. Only queries of 1 to 5 words."
    )


@pytest.mark.parametrize(
    ("n_positive", "without_positive", "positives"),
    [
        (None, "", ""),
        (None, "3 queries without a positive", ""),
        (4321, "", " with 4,321 positive pairs"),
        (1, "", " with 1 positive pair"),
        (0, "3 queries without", " with 0 positive pairs, 3 queries without"),
    ],
)
def test_a_table_says_what_it_counts(n_positive, without_positive, positives):
    caption = CAPTION._replace(n_positive=n_positive, without_positive=without_positive)
    assert caption.scope == f"Query set “all”, 1,200 queries{positives}{MISSING}"


def test_the_gallery_is_counted_and_dated():
    assert CAPTION.gallery == ""
    counted = CAPTION._replace(n_ranked=5000)
    assert counted.gallery == "The gallery is of 5,000 documents."
    dated = counted._replace(joined_at=datetime(2026, 3, 4, 12, tzinfo=UTC))
    assert dated.gallery == (
        "The gallery is of 5,000 documents, the last of which joined on 4 March 2026; runs "
        "uploaded before are marked “earlier gallery”."
    )


def test_measures_that_are_nearly_full_are_named():
    assert CAPTION.saturation == ""
    tail = "A stricter measure, such as AP, or a higher threshold tells more."
    full = "is nearly full: the best run has {}, so little is left to tell runs apart by."
    caption = CAPTION._replace(saturated=[("C@10", 95.74), ("RR", 98.05)])
    assert caption.saturation == f"C@10 {full.format(95.7)} RR {full.format(98.1)} {tail}"


def test_a_design_says_how_certain_the_mean_is():
    cell = design_cell(Design(0.25, 1.5), n_queries=1200, queries="captions")
    assert (cell.icc, cell.deff) == (0.25, 1.5)
    assert cell.note == (
        "The median of the runs: the mean is as certain as one over 1,200 ÷ 1.50 independent "
        "captions"
    )
    assert design_cell(Design(0.25, None), n_queries=5, queries="captions").note == ""


def test_a_score_says_what_it_is_where_defined():
    cell = ScoreCell(40.0, None, None, None, defined=42.25, n_defined=1234)
    assert cell.defined_text == "42.3 over the 1,234 queries with a positive"
    assert cell._replace(defined=None).defined_text == "no query has a positive"


def comparison(**facts):
    first, second = (Run(pk=pk, name=f"r{pk}", direction=Direction.FORWARD) for pk in (7, 8))
    moment = datetime(2026, 3, 4, tzinfo=UTC)
    parts = {"tests": [], "ends": [], "chart": None, "is_stale": False, "computed_at": moment}
    return RunComparison("", "AP", first, second, facts=facts, **parts)


def test_a_comparison_says_over_what_it_is():
    assert comparison(n_queries=1200).extent_text == "1,200 queries"
    assert comparison(n_queries=40, groups=GROUPS).extent_text == "40 captions of 12 videos"


def test_a_comparison_says_what_its_groups_do():
    alike = comparison(groups=GROUPS, icc=0.1234, deff=1.255)
    assert alike.design_text == "intraclass correlation 0.12, design effect 1.26"
    uneven = comparison(groups=GROUPS, icc=0.1234, deff=None)
    assert uneven.design_text == (
        "intraclass correlation 0.12, design effect not defined: the videos differ too much in size"
    )
    assert alike.tests_text == (
        f"{TESTS_TEXT} Whole videos are compared: the ranks and signs of their means; the other "
        "tests are about the mean over all captions."
    )
    assert comparison(n_queries=3, icc=None).tests_text == TESTS_TEXT


def test_a_comparison_names_its_runs_in_the_explorer_s_address():
    assert comparison().explorer_parameters == "direction=forward&run=7&run=8"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("", "0"),
        ("C@1 AP nDCG@10", "0"),
        ("RBPres", "1 by RBPres"),
        ("MedR", "as beyond every rank by MedR where there is a positive"),
        (
            "C@1 MeanR AP MedR",
            "0, and as beyond every rank by MeanR and MedR where there is a positive, which "
            "leaves MeanR undefined",
        ),
        (
            "AP RBPres MeanR",
            "0, and 1 by RBPres, and as beyond every rank by MeanR where there is a positive, "
            "which leaves MeanR undefined",
        ),
    ],
)
def test_a_missed_query_counts_0_or_1_or_beyond_every_rank(names, text):
    assert missed_text(parse(names)) == text


@pytest.mark.parametrize("family", FAMILIES)
def test_a_missed_query_has_the_value_that_is_told(family):
    name = family + {"required": "@5", "recall": "@0.5"}.get(FAMILIES[family].cutoff, "")
    first_labels = LabelledPairs(np.array([0, 1]), np.array([0, 0]), np.array([1.0, 1.0]))
    rankings = align(Rankings(np.array([0, 1, 1]), np.array([0])), first_labels)
    value = parse_one(name).compute(rankings)[1]
    texts = {0: "0", 1: f"1 by {name}", np.inf: f"as beyond every rank by {name}"}
    text = missed_text([parse_one(name)])
    assert text.startswith(texts[value]) and (value != 0 or text == "0")
