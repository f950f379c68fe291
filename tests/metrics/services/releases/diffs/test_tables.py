"""The words and rows that pages, files and programs have of a diff."""

from typing import Any

import pytest

from metrics.core.releases.diffs.score_changes import BoardKey
from metrics.services.releases.diffs.tables import DiffTables

AP, JUDGED = ["forward", "all", "AP"], ["forward", "all", "Judged@10"]
ALPHA = {
    "alpha": 0.5,
    "low": 0.25,
    "high": 0.75,
    "measurement": "ordinal",
    "undefined": "",
    "same_grade": 0.75,
    "n_pairs": 8,
    "n_labels": 16,
}
VALUE: dict[str, Any] = {
    "grades": {"counts": [[None, 2, 1], [1, 0, 2], [1, 1, 5]], "whole": [1, 0, 2]},
    "labels": {"counts": [[0, 0, 7], [None, 1, 3], [1, None, 1]], "whole": [3, 1, 0]},
    "queries": [["q1", 1, 0, 1], ["q2", 0, 0, 1]],
    "people": [["A1", 3, 0, 0, 4, 7], ["A2", 0, 1, 0, 4, 3]],
    "agreement": [ALPHA, ALPHA | {"alpha": 0.625}],
    "scores_wait": False,
    "query_sets": [],
    "runs": {"1": ["run-01", "heron"], "2": ["run-02", "run-02"], "3": [None, "finch"]},
    "scores": [
        [*AP, "1", [1, 0.5, 0.25, 0.75, 8], [1, 0.25, 0.0, 0.5, 8]],
        [*AP, "2", [1, 0.25, 0.0, 0.5, 8], [1, 0.5, 0.25, 0.75, 8]],
        [*AP, "3", None, [1, 0.5, 0.25, 0.75, 8]],
        [*JUDGED, "1", [1, 0.5, 0.25, 0.75, 8], [1, 0.5, 0.25, 0.75, 8]],
    ],
    "swaps": [[*AP, "1", "2", 0.25, -0.25, True, None]],
    "tests": [
        [*AP, "before", "randomized-tukey", ""],
        [*AP, "after", "", "a query without a value"],
    ],
}


def tables(**changes: Any) -> DiffTables:
    levels = [{0: "Not", 1: "Maybe"}, {0: "Not", 1: "Partly", 2: "Fully"}]
    return DiffTables(VALUE | changes, ("1.0", "1.1"), levels, "people only")


def rows(result) -> list[dict[str, Any]]:
    return [
        {column.key: cell for column, cell in zip(result.columns, row, strict=True)}
        for row in result.rows
    ]


def test_grades_have_the_names_that_their_side_gives_them():
    result = tables().grades()
    assert result.headline == "1 grade added, 0 removed, 2 changed; 5 the same"
    assert result.rows == [
        [None, "no grade", 2, "Fully", 1],
        [1, "Maybe", 0, "Not", 2],
        [1, "Maybe", 1, "Partly", 5],
    ]
    axes = result.spec["encoding"]
    assert axes["y"]["sort"] == ["1 Maybe", "no grade"]
    assert axes["x"]["sort"] == ["2 Fully", "1 Partly", "0 Not"]
    shares = [row["share"] for row in result.spec["data"]["values"]]
    assert shares == [100, pytest.approx(200 / 7), pytest.approx(500 / 7)]


def test_the_share_of_a_person_is_of_all_labels_that_changed():
    result = tables().people()
    assert result.headline == "3 labels added, 1 removed, 0 changed; 7 the same"
    assert [row["share"] for row in rows(result)] == [75, 25]
    assert [row["labels_after"] for row in rows(result)] == [7, 3]


def test_an_alpha_without_a_value_or_of_another_kind_is_told():
    assert tables().agreement().headline == "Alpha 0.500 before, 0.625 after"
    undefined = ALPHA | {"alpha": None, "undefined": "one label", "measurement": "nominal"}
    result = tables(agreement=[ALPHA, undefined]).agreement()
    assert result.headline == "Alpha is not defined on both sides"
    assert result.notes == [
        "Alpha of 1.1 is undefined: one label.",
        "The two alphas are not of one kind: ordinal in 1.0, nominal in 1.1.",
    ]


def test_a_board_has_places_best_after_first_and_no_change_without_two_means():
    result = tables().of_scores.board(BoardKey(*AP))
    assert result.headline == "AP: 2 means of 3 moved"
    assert [
        (
            row["run_before"],
            row["run_after"],
            row["change"],
            row["place_before"],
            row["place_after"],
        )
        for row in rows(result)
    ] == [
        ("run-02", "run-02", 0.25, 2, 1),
        (None, "finch", None, None, 1),
        ("run-01", "heron", -0.25, 1, 3),
    ]
    assert [row["run"] for row in result.spec["data"]["values"]].count("heron") == 2


def test_how_much_of_a_top_is_judged_gives_no_places():
    (row,) = rows(tables().of_scores.board(BoardKey(*JUDGED)))
    assert (row["place_before"], row["place_after"]) == (None, None)


def test_two_runs_with_one_name_stay_two_in_the_chart():
    runs = {"1": ["alpha", None], "2": [None, "alpha"], "3": [None, "finch"]}
    scores = [
        [*AP, "2", None, [1, 0.5, None, None, 8]],
        [*AP, "1", [1, 0.25, None, None, 8], None],
    ]
    spec = tables(runs=runs, scores=scores).of_scores.board(BoardKey(*AP)).spec
    assert [row["run"] for row in spec["data"]["values"]] == ["alpha, 1.1", "alpha, 1.0"]


def test_swaps_have_the_verdicts_of_both_sides_and_both_names():
    result = tables().of_scores.swaps()
    assert result.headline == "1 pair of runs changed places, on 1 table of scores"
    (row,) = rows(result)
    assert (row["first"], row["first_before"]) == ("heron", "run-01")
    assert (row["second"], row["second_before"]) == ("run-02", "run-02")
    assert (row["verdict_before"], row["verdict_after"]) == ("decided", "not tested")
    assert result.notes == ["Not tested in 1.1: AP over all, forward: a query without a value."]
    other = tables(tests=[[*AP, "before", "tukey", ""]]).of_scores.swaps()
    assert other.notes == [
        "1 table tested by Tukey's HSD, as the usual test, Randomized Tukey, would have taken "
        "too long."
    ]
    assert tables(swaps=[], tests=[]).of_scores.swaps().headline == "No two runs changed places"


def test_scores_that_are_not_of_the_same_things_are_told():
    def notes(**changes):
        return tables(**changes).of_scores.scores().notes

    assert notes() == []
    one_sided = [[*AP, "3", None, [1, 0.5, 0.25, 0.75, 8]]]
    assert notes(scores=one_sided) == [
        "1.0 has no scores under people only: only the other side has."
    ]
    assert "before, until a worker has followed" in notes(scores_wait=True)[0]
    assert notes(query_sets=[["forward", "few"]])[0].startswith("Query set “few” (forward) has")
    thresholds = [[*AP, "1", [1, 0.5, None, None, 8], [2, 0.25, None, None, 8]]]
    assert notes(scores=thresholds) == [
        "A pair is positive in 1.0 from grade 1 up and in 1.1 from grade 2 up: part of a change "
        "may be of that alone."
    ]
