"""The intervals beside numbers on pages, and the sentences about them."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from django.utils import timezone
from scipy import stats

from annotate.models import Direction
from metrics.core.measures.measures import parse_one
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, mean_intervals, wilson
from metrics.services.leaderboard import choice_values
from metrics.services.leaderboard import comparison as leaderboard_comparison
from metrics.services.leaderboard.cells import AbsentScore, ScoreCell
from metrics.services.leaderboard.comparison_page import RunComparison
from metrics.services.leaderboard.tables import LeaderboardTable
from metrics.services.samples.estimates import EstimateKind
from metrics.services.scores.query_groups import GroupFacts
from tests.assayer.commands.files.running import output_of

INPUTS = SimpleNamespace(spec=SimpleNamespace(target=""), groups=Groups.single(5))
ALONE = GroupFacts("none", 12, 12, "captions", "videos")
OF_VIDEOS = ALONE._replace(n_groups=5)


def table(**fields):
    return LeaderboardTable(*[None] * len(LeaderboardTable._fields))._replace(
        direction=Direction.FORWARD, n_queries=12, **fields
    )


def comparison(groups, **facts):
    numbers = {
        "groups": groups._asdict() if groups else None,
        "n_queries": 12,
        "low": None,
        "high": None,
        **facts,
    }
    return RunComparison("", "AP", None, None, numbers, [], [], None, False, timezone.now())


@pytest.mark.parametrize(
    ("groups", "sampling_units"), [(None, "queries"), (ALONE, "captions"), (OF_VIDEOS, "videos")]
)
def test_pages_name_the_interval_and_what_it_is_the_chance_of(groups, sampling_units):
    source = f"what other {sampling_units} like these would give, labels taken as right"
    assert source in table(groups=groups).interval_text
    assert "Wilson's" in table(groups=groups).interval_text
    text = comparison(groups, low=-1.234, high=5.678).interval_text
    assert text == f"95 % interval -1.23 to 5.68 (Student's t: {source})"


def test_pages_say_why_there_is_no_interval():
    one_group, one_query = ALONE._replace(n_groups=1), ALONE._replace(n_queries=1, n_groups=1)
    assert table(groups=one_group).interval_text == "no interval, as all captions are of one group"
    assert (
        table(groups=one_query)._replace(n_queries=1).interval_text
        == "no interval, as there is one query"
    )
    assert comparison(one_group).interval_text == "no interval, as there is a single query or group"
    assert (
        comparison(None, n_queries=1).interval_text
        == "no interval, as there is a single query or group"
    )
    assert comparison(OF_VIDEOS).interval_text.startswith(
        "no interval, as all videos differ by as much"
    )


def rows(*scores):
    """A row per run, a cell per score, with Wilson's interval of so many of 50, if any."""
    return [SimpleNamespace(cells=[cell_of(score) for score in row]) for row in scores]


def cell_of(n_right):
    if n_right is None:
        return AbsentScore("n/a beyond 10")
    low, high = wilson(n_right, 50)
    facts = {"whole": n_right / 50, "low": low, "high": high, "n_defined": 50}
    return ScoreCell.of(facts, scale=100)


def caution(*scores, kind=EstimateKind.EXACT, **fields):
    kinds = dict(zip(("C@1", "C@10"), (EstimateKind.EXACT, kind), strict=True))
    facts = {
        "kinds": kinds,
        "is_of_these_queries": False,
        "n_positive": 9,
        "groups": ALONE._replace(n_queries=50, n_groups=50),
    }
    return table(**facts | fields, rows=rows(*scores)).caution


SOME_ROUGH = (9, 25), (10, 41), (20, 25), (0, None)
ROUGH = "Intervals that rest on fewer than 10 independent successes or failures are rough: "


def test_a_table_says_once_of_which_measures_intervals_rest_on_few_successes_or_failures():
    assert caution(*SOME_ROUGH) == f"{ROUGH}C@1 of 2 runs, C@10 of 1 run."
    assert caution((10, 40), (25, None)) == ""
    assert caution() == ""


def test_of_these_very_queries_and_without_a_positive_pair_it_says_nothing():
    assert caution(*SOME_ROUGH, is_of_these_queries=True) == ""
    assert caution(*SOME_ROUGH, is_of_these_queries=True, groups=ALONE) == ""
    assert caution((0, 0), (0, 0)) == f"{ROUGH}C@1 of 2 runs, C@10 of 2 runs."
    assert caution((0, 0), (0, 0), n_positive=0) == ""


def test_of_estimates_and_ranks_whose_intervals_are_students_it_says_nothing():
    assert caution(*SOME_ROUGH, kind=EstimateKind.UNBIASED) == f"{ROUGH}C@1 of 2 runs."
    assert (
        caution(*SOME_ROUGH, kinds={"MeanR": EstimateKind.EXACT, "C@10": EstimateKind.EXACT})
        == f"{ROUGH}C@10 of 1 run."
    )


def test_of_few_queries_or_groups_the_table_says_that_alone():
    assert caution(*SOME_ROUGH, groups=ALONE) == "With 12 captions intervals are rough."
    assert (
        caution(*SOME_ROUGH, groups=OF_VIDEOS)
        == "With 5 videos such intervals and tests are rough."
    )
    assert caution(*SOME_ROUGH, groups=None).startswith(ROUGH)


@pytest.mark.parametrize(
    ("name", "values", "are_shares"),
    [
        ("C@1", [0, 1, 1, 0, 1], True),
        ("AP", [0.1, 0.2, 0, 0.9, 1], True),
        ("MeanR", [1, 2, 9, 1, 1], False),
    ],
)
def test_a_measured_table_has_wilsons_of_shares_and_students_of_ranks(name, values, are_shares):
    values = np.array([values, values[::-1]], dtype=float)
    intervals = choice_values._intervals(INPUTS, parse_one(name), values, EstimateKind.EXACT)
    assert intervals == mean_intervals(values, are_shares=are_shares)
    assert intervals[0] == intervals[1] != NO_INTERVAL


def test_medians_and_tables_without_runs_have_no_intervals():
    values = np.arange(10.0).reshape(2, 5)
    assert (
        choice_values._intervals(INPUTS, parse_one("MedR"), values, EstimateKind.EXACT)
        == [NO_INTERVAL] * 2
    )
    assert choice_values._intervals(INPUTS, parse_one("AP"), np.array([]), EstimateKind.EXACT) == []


def test_evaluate_has_wilsons_of_shares_and_students_of_ranks(tmp_path):
    """Of five queries the positive stands first, first, second, fourth and first."""
    positive_ranks = [1, 1, 2, 4, 1]
    lines = [f"q{q} Q0 d{rank} {rank} {-rank} x\n" for q in range(5) for rank in range(1, 6)]
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "qrels").write_text(
        "".join(f"q{q} 0 d{rank} 1\n" for q, rank in enumerate(positive_ranks))
    )
    files = (f"{tmp_path}/run", "--qrels", f"{tmp_path}/qrels")
    options = ("--measures", "C@1 MeanR C@5 RR", "--intervals", "--json")
    intervals = json.loads(output_of("evaluate", *files, *options))["intervals"]
    assert intervals["C@1"] == pytest.approx(wilson(3, 5), abs=1e-12)
    assert intervals["C@5"] == pytest.approx(wilson(5, 5), abs=1e-12)
    assert intervals["MeanR"] == pytest.approx(
        tuple(stats.ttest_1samp(positive_ranks, 0).confidence_interval()), abs=1e-12
    )
    assert intervals["RR"] == list(
        mean_intervals(np.array([[1, 1, 0.5, 0.25, 1]]), are_shares=True)[0]
    )


def test_shares_differ_by_1_at_most_and_ranks_by_anything():
    difference, groups = np.array([1.0, 1.0, 0.5]), Groups.single(3)
    student = mean_intervals(difference[None, :], are_shares=False)[0]
    inputs = SimpleNamespace(
        spec=SimpleNamespace(target=""), groups=groups, measures=[parse_one("AP")]
    )
    assert leaderboard_comparison._interval(inputs, difference) == (student.low, 1.0)
    assert leaderboard_comparison._interval(inputs, -difference) == (-1.0, -student.low)
    assert leaderboard_comparison._interval(inputs, np.zeros(3)) == NO_INTERVAL
    inputs.measures = [parse_one("MeanR")]
    assert leaderboard_comparison._interval(inputs, difference) == student
