"""The scorecard: every promise has a row, every row a test, and the page hides nothing."""

import json
import re
import subprocess
import sys

import pytest

from tests.scorecard.__main__ import ROOT, run
from tests.scorecard.results import Result, load, page, save
from tests.scorecard.rows import ROWS, ScorecardRow, row_of

ROW_IDS = {
    *(f"A{n}" for n in range(1, 8)),
    *(f"B{n}" for n in range(1, 5)),
    "D2",
    "D3",
    "E1",
    "E2",
    "E3",
}
ROW = ScorecardRow(
    "X1", "Nothing is lost.", "None lost.", {"kills": 50, "answers": 1_000}, "tests/x.py::test_x"
)
LINES = [
    '{"size": "kills", "run": 50}',
    '{"size": "answers", "run": 1000}',
    '{"processor": 1.5}',
    '{"figure": "answers lost", "value": 0, "unit": "", "goal": "at most 0", "is_met": true}',
    '{"figure": "99 of 100", "value": 143.25, "unit": "ms", "goal": "at most 150", "is_met": true}',
]


def result(*lines: str, **fields: object) -> Result:
    """A result of row X1 whose tests recorded these lines."""
    row_result = Result("X1", "2026-01-02", "abc", "2 cores", seconds=3, **fields)
    row_result.read_lines(lines or LINES)
    return row_result


def outcome(row_result: Result) -> str:
    """The cell of the outcome in the page's table."""
    return page([ROW], {"X1": row_result}).split("| X1 | Nothing is lost. | ")[1].split(" |")[0]


def test_every_promise_has_a_row_with_a_size():
    assert {row.id.split()[0] for row in ROWS} == ROW_IDS
    assert len({row.id for row in ROWS}) == len({row.node for row in ROWS}) == len(ROWS)
    assert all(row.sizes and min(row.sizes.values()) > 0 for row in ROWS)


def test_every_row_has_a_test_that_asks_for_its_figures():
    """pytest --setup-plan lists tests with their fixtures without running them."""
    command = [sys.executable, "-m", "pytest", "--setup-plan", "--heavy", "-p", "no:cacheprovider"]
    command += [row.node for row in ROWS]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    asking = re.findall(r"(\S+\.py::.+) \(fixtures used: .*\bfigures\b", finished.stdout)
    assert {row_of(node).id for node in asking} == {row.id for row in ROWS}, (
        finished.stdout + finished.stderr
    )


@pytest.mark.parametrize(
    ("row_result", "expected"),
    [
        (result(), "met"),
        (
            result(*LINES[:1], '{"size": "answers", "run": 999}', *LINES[2:]),
            "met, at a smaller size than wanted",
        ),
        (result(*LINES[:1], *LINES[2:]), "met, at a smaller size than wanted"),
        (result(failure="the server did not start"), "**not met**: the server did not start"),
        (result(*LINES[:2]), "**not met**: nothing was measured"),
        (
            result(
                *LINES[:4],
                LINES[4].replace("143.25", "228").replace("true", "false"),
                failure="it was missed",
            ),
            "**not met**: 99 of 100: 228 ms (goal: at most 150, missed)",
        ),
    ],
    ids=["met", "smaller", "a size never asked for", "failed", "nothing told", "missed"],
)
def test_the_page_says_what_came_of_a_row(row_result, expected):
    assert outcome(row_result) == expected


def test_the_page_says_sizes_figures_load_machine_and_commit():
    text = page([ROW], {"X1": result()})
    for line in (
        "| met | answers lost: 0; 99 of 100: 143.2 ms |\n",
        "| kills | 50 | 50 |",
        "| answers | 1,000 | 1,000 |",
        "- 99 of 100: 143.2 ms (goal: at most 150)",
        "- Processor time of the load's own process: 1.5 s; in all it took 3 s.",
        "- 2026-01-02, abc, on 2 cores.",
    ):
        assert line in text
    assert "Smaller than wanted" not in text and "Failed" not in text


def test_a_row_that_was_never_run_is_not_left_out():
    assert "| X1 | Nothing is lost. | not measured yet |  |" in page([ROW], {})


def test_what_was_measured_is_kept_for_the_next_page(tmp_path):
    save({"X1": result()}, tmp_path / "kept.json")
    assert load(tmp_path / "kept.json") == {"X1": result()}
    assert load(tmp_path / "none.json") == {}


def test_why_a_row_failed_is_the_reason_of_its_test(tmp_path):
    output = "FAILED tests/x.py::test_x[a b] - AssertionError: 2 lost\n1 failed in 3 s"
    command = [sys.executable, "-c", f"import sys; print({output!r}); sys.exit(1)"]
    assert run(command, str(tmp_path / "told")) == "AssertionError: 2 lost"
    assert run([sys.executable, "-c", "pass"], str(tmp_path / "told")) == ""
    stopped = "print('==== no tests ran ===='); raise SystemExit(2)"
    assert run([sys.executable, "-c", stopped], str(tmp_path / "told")) == "no tests ran"
    assert (
        run([sys.executable, "-c", "raise SystemExit(3)"], str(tmp_path / "told"))
        == "it ended with 3"
    )


def test_figures_are_lines_of_json_and_a_missed_goal_fails_the_test(tmp_path, monkeypatch):
    from tests.scorecard.figures import Figures

    monkeypatch.setenv("ASSAYER_FIGURES", str(tmp_path / "told"))
    figures = Figures(ROW, 0.05)
    assert figures.size("answers") == 50
    figures.record("lost", 2, at_most=0)
    lines = [json.loads(line) for line in (tmp_path / "told").read_text().splitlines()]
    assert lines == [
        {"size": "answers", "run": 50},
        {"figure": "lost", "value": 2, "unit": "", "goal": "at most 0", "is_met": False},
    ]
    assert figures.missed == ["lost: 2, wanted at most 0"]
