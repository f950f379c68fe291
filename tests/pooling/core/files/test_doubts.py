"""The doubts about runs, which warn people."""

import pytest

from pooling.core.files.doubts import doubts, n_sources

SOUND = {
    "n_rows": 60_000,
    "n_kept": 50_000,
    "n_queries": 500,
    "ties": 0.02,
    "missing": {"n": 3},
    "unknown_sources": {"n": 0},
}


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ({}, []),
        ({"ties": 0.97}, ["97 % tied"]),
        ({"ties": 0.49}, []),
        (
            {"n_rows": 3, "n_kept": 2, "n_unknown": 1, "n_queries": 3, "missing": {"n": 667}},
            ["3 rows", "3 of 670 queries"],
        ),
        ({"n_kept": 1, "n_rows": 1}, ["1 row"]),
        ({"n_kept": 11, "n_rows": 11}, []),
        ({"n_kept": 15_000}, ["75 % of rows not used"]),
        ({"n_queries": 91, "n_met": 1, "missing": {"n": 49}}, ["1 of 50 queries"]),
        ({"n_queries": 520, "unknown_sources": {"n": 300}, "missing": {"n": 219}}, []),
        (
            {"n_queries": 520, "unknown_sources": {"n": 300}, "missing": {"n": 220}},
            ["220 of 440 queries"],
        ),
    ],
)
def test_a_run_with_ties_few_rows_or_few_queries_is_doubted(report, expected):
    assert doubts(SOUND | report, sources="queries") == expected


def test_unknown_rows_stand_first_and_a_run_without_a_report_is_not_doubted():
    assert doubts(SOUND | {"ties": 1}, sources="queries", unknown="9.0 % unknown") == [
        "9.0 % unknown",
        "100 % tied",
    ]
    assert doubts({}, sources="queries") == []
    assert n_sources({}) == 0
