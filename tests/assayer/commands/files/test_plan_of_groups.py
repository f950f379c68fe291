"""The plan command over groups of queries."""

from pathlib import Path

import numpy as np
import pytest

from metrics.charts.results import rounded_up
from metrics.core.statistics.sample_sizes import (
    detectable_difference,
    queries_for_difference,
    queries_for_error,
    sampling_error,
)
from tests.assayer.commands.files.grouped_queries import GROUPS, VALUES, write, write_files
from tests.assayer.commands.files.running import arguments, assayer, rows


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    return write_files(tmp_path_factory.mktemp("files"))


OPTIONS = arguments(
    "--run A --against-run B --difference .1 --error .05 --sizes 45,200 --samples 500"
)
DIFFERENCE = VALUES[:, 0] - VALUES[:, 1]
SAMPLING = {"groups": GROUPS, "n_samples": 500, "seed": 3}


def facts() -> list[list[str]]:
    """The lines above the table of sizes."""
    return [
        ["mean", f"{VALUES[:, 0].mean():.4f}"],
        ["queries", "45"],
        ["groups", "20"],
        ["run", "A"],
        ["samples", "500"],
        ["seed_of_score", "3"],
        ["first", "A"],
        ["second", "B"],
        ["difference", f"{DIFFERENCE.mean():.4f}"],
        ["alpha", "0.0500"],
        ["power", "0.8000"],
        ["seed_of_difference", "3"],
    ]


def table_of_sizes() -> list[list[str]]:
    """The errors at 45 queries, all there are, and at 200."""
    inside, beyond = zip(
        *(sampling_error(of, [45, 200], **SAMPLING) for of in (VALUES[:, 0], DIFFERENCE)),
        strict=True,
    )
    assert (inside[0].n_groups, inside[0].of_these, beyond[0].n_groups) == (20, 0.0, 89)
    score, difference = (f"{rounded_up(error.like_these, 4):.4f}" for error in inside)
    score_beyond, difference_beyond = (f"{rounded_up(error.like_these, 4):.4f}" for error in beyond)
    detectable, detectable_beyond = (
        f"{rounded_up(smallest, 4):.4f}"
        for smallest in detectable_difference(DIFFERENCE, [45, 200], groups=GROUPS)
    )
    more = "more than the 45 queries there are"
    header = (
        "queries groups score_of_these score_like_these difference_of_these "
        "difference_like_these detectable_difference"
    )
    return [
        header.split(),
        ["45", "20", "0.0000", score, "0.0000", difference, detectable],
        ["200", "89", more, score_beyond, more, difference_beyond, detectable_beyond],
    ]


def required_sizes() -> list[list[str]]:
    """The lines below the table of sizes."""
    of_these, like_these = (
        queries_for_error(VALUES[:, 0], 0.05, of_these=is_so, **SAMPLING) for is_so in (True, False)
    )
    required = queries_for_difference(DIFFERENCE, 0.1, groups=GROUPS)
    return [
        ["queries_for_error_0.05_of_these", str(of_these)],
        ["queries_for_error_0.05_like_these", str(like_these)],
        ["queries_for_difference_0.1", str(required.n_queries)],
        ["groups_for_difference_0.1", str(required.n_groups)],
    ]


def test_plan_draws_and_counts_groups(files):
    process = assayer("plan", f"{files}/rows.tsv", *OPTIONS, "--seed", "3")
    assert process.stderr == ""
    lines = [row for row in rows(process.stdout) if not row[0].startswith("#")]
    assert lines == [*facts(), *table_of_sizes(), *required_sizes()]
    turned = assayer("plan", f"{files}/shuffled.tsv", *OPTIONS)
    assert turned.stdout == assayer("plan", f"{files}/rows.tsv", *OPTIONS).stdout != process.stdout
    groups = ("--groups", f"{files}/turned.csv")
    of_file = assayer("plan", f"{files}/table.csv", *OPTIONS, *groups, "--seed", "3")
    assert of_file.stdout == process.stdout


def test_plan_takes_each_query_by_itself_when_told(files):
    by_itself = assayer("plan", f"{files}/rows.tsv", *OPTIONS, "--no-groups")
    assert by_itself.stdout == assayer("plan", f"{files}/plain.tsv", *OPTIONS).stdout
    assert "groups" not in by_itself.stdout


def test_plan_takes_the_groups_of_the_queries_that_both_runs_have(files):
    write(
        files / "some",
        ["query,value", *(f"q{number},{VALUES[number, 1]}" for number in range(20, 40))],
    )
    of = arguments(f"plan {files}/rows.tsv --run A --against {files}/some --difference .1")
    process = assayer(*of)
    assert process.stderr.strip() == (
        f"{files}/rows.tsv has 45 queries and {files}/some 20; the plan is of the 20 that both "
        'have, without such as "q0".'
    )
    facts = dict(row for row in rows(process.stdout) if len(row) == 2)
    groups = GROUPS.within(np.isin(np.arange(45), range(20, 40)))
    required = queries_for_difference(VALUES[20:40, 0] - VALUES[20:40, 1], 0.1, groups=groups)
    assert (facts["queries"], facts["groups"]) == ("20", "12")
    assert facts["queries_for_difference_0.1"] == str(required.n_queries)
    write(
        files / "some",
        ["query,value", *(f"q{number},{VALUES[number, 1]}" for number in range(6, 12))],
    )
    assert "All 6 queries of both files are of one group" in assayer(*of).stderr
