"""The register of analyses: each row says what proves it, and the document is made from it."""

import tomllib

import pytest

from metrics.score_files.choices import Choice
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.register import ANALYSES, CHAPTERS, analyses_of
from tests.house.test_layers import ROOT, text
from tests.house.test_map import tool

ROWS = list(ANALYSES.values())


def function_file(row: Analysis) -> str:
    return row.function.__module__.replace(".", "/") + ".py"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_says_what_is_asked_computed_and_compared(row):
    assert row.question.endswith("?") and row.definition.endswith(".") and row.paper
    assert function_file(row).startswith("metrics/core/")
    assert not row.function.__name__.startswith("_") and row.function.__doc__
    assert (ROOT / row.test.partition("::")[0]).is_file()
    assert bool(row.measures) == (Choice.MEASURE in row.choices)
    assert row.n_runs is None or Choice.RUNS in row.choices


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_planted_error_turns_the_test_of_each_row_red(row):
    """That it does is shown by tools/planted_faults.py, which takes longer than a test may."""
    faults = tomllib.loads(text(ROOT / "tools" / "planted_faults.toml"))["fault"]
    n_faults = sum(
        fault["file"] == function_file(row) and row.test in fault["tests"] for fault in faults
    )
    # one a row: rows that share a file and a test need as many
    assert n_faults >= sum(
        (other.function.__module__, other.test) == (row.function.__module__, row.test)
        for other in ROWS
    )


def test_names_stand_once_and_chapters_have_analyses():
    assert sum(len(analyses_of(chapter)) for chapter in CHAPTERS.values()) == len(ANALYSES)
    assert len({row.question for row in ROWS}) == len(ROWS)


def test_the_document_is_made_from_the_register():
    document = text(ROOT / "docs" / "analyses.md")
    assert tool("write_analyses").document() == document, (
        "run .venv/bin/python tools/write_analyses.py"
    )
    for row in ROWS:
        assert f"| `{row.name}` |" in document
