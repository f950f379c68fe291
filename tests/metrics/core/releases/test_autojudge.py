from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from metrics.core.releases.autojudge import MeanValue, QueryValue, leaderboard_lines
from tests.metrics.core.releases.samples.hostile_names import HOSTILE_NAMES


def test_a_line_is_run_measure_query_value_and_means_have_all():
    lines = leaderboard_lines(
        [QueryValue("clip", "nDCG@10", "q1", 0.5), QueryValue("clip", "AP(rel=2)", "q1", 1 / 3)],
        [MeanValue("clip", "nDCG@10", 0.25)],
    )
    assert list(lines) == [
        "clip\tnDCG@10\tq1\t0.5\n",
        "clip\tAP(rel=2)\tq1\t0.3333333333333333\n",
        "clip\tnDCG@10\tall\t0.25\n",
    ]


def test_an_undefined_value_has_no_line():
    values = (None, float("nan"), float("inf"))
    queries = [QueryValue("clip", "AP", "q1", value) for value in values]
    means = [MeanValue("clip", "AP", value) for value in values]
    assert list(leaderboard_lines(queries, means)) == []


def test_blanks_and_percent_signs_of_names_are_encoded():
    (line,) = leaderboard_lines([QueryValue("a b", "AP", "50%20\u3000", 1.0)])
    assert line == "a%20b\tAP\t50%2520%E3%80%80\t1.0\n"


def test_a_query_called_all_is_no_mean():
    (line,) = leaderboard_lines([QueryValue("clip", "AP", "all", 1.0)])
    assert line == "clip\tAP\t%61ll\t1.0\n"


@given(
    run=HOSTILE_NAMES, query=HOSTILE_NAMES, value=st.floats(allow_nan=False, allow_infinity=False)
)
def test_a_reader_that_splits_at_white_space_gets_every_name_back(run, query, value):
    """autojudge-base 1.0.0 splits a file at line feeds and a line by `str.split`."""
    (line,) = leaderboard_lines([QueryValue(run, "AP", query, value)])
    (fields,) = [row.split() for row in line.strip().split("\n")]
    assert [unquote(part) for part in fields] == [run, "AP", query, repr(value)]
