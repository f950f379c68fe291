"""Commands over groups of queries: equal to the core functions, and unchanged without groups."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from metrics.core.comparisons.range_tests import compare_systems
from metrics.core.comparisons.significance import TESTS as ALL_TESTS
from metrics.core.comparisons.significance import ZERO_ONE_TESTS, paired_test
from metrics.core.comparisons.swaps import reer_paired, reversal
from metrics.core.statistics.groups import Groups, design
from metrics.core.statistics.intervals import mean_intervals
from tests.assayer.commands.files.grouped_queries import (
    GROUPS,
    QUERIES,
    RUNS,
    VALUES,
    VIDEO,
    write,
    write_files,
)
from tests.assayer.commands.files.running import arguments, assayer, rows

TESTS = [name for name in ALL_TESTS if name not in ZERO_ONE_TESTS]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def runs(files) -> tuple[str, ...]:
    """Run files and labels of the same queries, as options name them."""
    rng = np.random.default_rng(5)
    write(
        files / "qrels",
        [f"{query} 0 d{d} {int(rng.random() < 0.15)}" for query in QUERIES for d in range(12)],
    )
    for run in RUNS:
        write(
            files / run,
            [f"{q} Q0 d{d} 1 {rng.random():.5f} {run}" for q in QUERIES[2:] for d in range(10)],
        )
    return ("--qrels", f"{files}/qrels", *(f"{files}/{run}" for run in RUNS))


def test_evaluate_has_the_intervals_and_the_cost_of_the_groups(files, runs):
    options = arguments("--measures 'AP MedR nDCG@10' --digits 17 --per-query --intervals")
    of = ("evaluate", *runs, *options)
    process = assayer(*of, "--groups", f"{files}/all.csv")
    assert process.stderr == ""
    assert [row for row in rows(process.stdout) if row[0] == "n_groups"] == [
        ["n_groups", "all", "20"]
    ] * 3
    values = np.array(
        [
            float(value)
            for name, query, value in rows(process.stdout)
            if name == "AP" and query != "all"
        ]
    )
    printed = [
        (name, float(value))
        for name, query, value in rows(process.stdout)
        if name.startswith("AP_")
    ]
    expected = []
    for of_run in values.reshape(3, 45):
        (interval,), cost = (
            mean_intervals(of_run[None, :], are_shares=True, groups=GROUPS),
            design(of_run, GROUPS),
        )
        names = ("AP_low", "AP_high", "AP_icc", "AP_deff")
        expected += zip(names, (*interval, *cost), strict=True)
    assert printed == [(name, pytest.approx(value, abs=1e-12)) for name, value in expected]
    assert "MedR_icc" not in process.stdout and "nDCG@10_deff" in process.stdout
    single = assayer(*of)
    assert [
        line
        for line in process.stdout.splitlines()
        if not line.startswith(("n_groups", "AP_", "nDCG@10_"))
    ] == [line for line in single.stdout.splitlines() if not line.startswith(("AP_", "nDCG@10_"))]


def test_evaluate_says_the_same_in_whatever_order_labels_and_groups_come(files, runs):
    write(files / "turned", (files / "qrels").read_text().splitlines()[::-1])
    of = (*runs[2:], "--measures", "AP RR C@1 nDCG@10", "--intervals")
    process = assayer("evaluate", *runs[:2], *of, "--groups", f"{files}/all.csv")
    turned = assayer(
        "evaluate", "--qrels", f"{files}/turned", *of, "--groups", f"{files}/turned.csv"
    )
    assert process.stdout == turned.stdout != ""


def test_evaluate_says_the_same_in_json_over_the_queries_that_count(files, runs):
    options = arguments("--measures 'AP MedR' --json --per-query --threshold 1")
    of = ("evaluate", *runs[:3], *options)
    for more in ((), ("--positive-queries",)):
        report = json.loads(
            assayer(*of, *more, "--intervals", "--groups", f"{files}/groups").stdout
        )
        queries = [query for query in QUERIES if query in report["queries"]]
        assert (len(queries) < 45) is bool(more)
        values = np.array([report["queries"][query]["AP"] for query in queries])
        groups = Groups.of([VIDEO[query] or query for query in queries])
        cost = design(values, groups)
        assert report["groups"] == {
            "n": groups.n,
            "icc": {"AP": cost.icc},
            "deff": {"AP": cost.deff},
        }
        assert report["intervals"] == {
            "AP": list(mean_intervals(values[None, :], are_shares=True, groups=groups)[0])
        }
        plain = json.loads(assayer(*of, *more, "--intervals").stdout)
        assert plain["intervals"] != report.pop("intervals")
        report.pop("groups")
        assert {"intervals": plain["intervals"]} | report == plain


@pytest.mark.parametrize("command", ["evaluate", "compare", "plan"])
def test_a_query_that_is_a_group_of_its_own_changes_nothing_but_its_count(files, runs, command):
    of = {
        "evaluate": ("evaluate", *runs, "--intervals", "--measures", "AP RR"),
        "compare": ("compare", *runs, "--test", "randomization"),
        "plan": arguments(
            f"plan {files}/plain.tsv --run A --against-run B --difference=.1 --error=.1"
        ),
    }[command]
    process, plain = assayer(*of, "--groups", f"{files}/single"), assayer(*of)
    assert process.stdout.replace("n_groups\tall\t45\n", "") == plain.stdout != ""
    assert process.stderr == plain.stderr and "groups" not in plain.stderr


@pytest.mark.parametrize("test", TESTS)
def test_compare_tests_pairs_over_groups(files, test):
    process = assayer("compare", f"{files}/rows.tsv", "--test", test, "--samples", "2000")
    assert (
        process.stderr.strip() == "45 queries of 20 groups of queries: whole groups are compared."
    )
    tests = [
        paired_test(test, *VALUES[:, pair].T, groups=GROUPS, n_samples=2000)
        for pair in ([0, 1], [0, 2], [1, 2])
    ]
    shares = GROUPS.shares(VALUES)
    swaps = [
        [f"{chance(*shares[:, pair].T):.3f}" for chance in (reversal, reer_paired)]
        for pair in ([0, 1], [0, 2], [1, 2])
    ]
    order = [RUNS[column] for column in np.argsort(-VALUES.mean(axis=0))]
    assert order == RUNS
    printed = [[*row[:4], *row[6:]] for row in rows(process.stdout)[1:]]
    assert printed == [
        [*pair, f"{test.difference:.4f}", f"{test.p_value:.3g}", *swap]
        for pair, test, swap in zip(combinations(RUNS, 2), tests, swaps, strict=True)
    ]
    seeded = assayer(
        "compare", f"{files}/rows.tsv", "--test", test, "--samples", "2000", "--seed", "5"
    )
    first = paired_test(test, *VALUES[:, :2].T, groups=GROUPS, n_samples=2000, seed=5)
    assert rows(seeded.stdout)[1][3] == f"{first.p_value:.3g}"
    by_itself = assayer(
        "compare", f"{files}/rows.tsv", "--test", test, "--samples", "2000", "--no-groups"
    )
    assert by_itself.stderr == ""
    assert [row[3] for row in rows(by_itself.stdout)[1:]] != [row[3] for row in printed]


@pytest.mark.parametrize("test", ["newman-keuls", "tukey", "regwq"])
def test_compare_analyses_a_row_a_group(files, test):
    process = assayer("compare", f"{files}/rows.tsv", "--test", test)
    comparison = compare_systems(GROUPS.shares(VALUES), method=test)
    alone = compare_systems(VALUES, method=test)
    assert comparison.significant.tolist() != alone.significant.tolist()
    for output, expected in (
        (process, comparison),
        (assayer("compare", f"{files}/plain.tsv", "--test", test), alone),
    ):
        differ = [
            ",".join(str(rank + 1) for rank in np.flatnonzero(row)) or "-"
            for row in expected.significant
        ]
        assert [row[5] for row in rows(output.stdout)[1:]] == differ
        assert [row[2] for row in rows(output.stdout)[1:]] == [
            f"{mean:.4f}" for mean in sorted(VALUES.mean(axis=0))[::-1]
        ]


@pytest.mark.parametrize("test", ["randomized-tukey", "newman-keuls", *TESTS])
def test_compare_takes_groups_from_a_file_or_a_column_in_any_order_and_none_when_told(files, test):
    of = ("--test", test, "--samples", "500")
    expected = assayer("compare", f"{files}/rows.tsv", *of)
    for scores in ("table.csv", "plain.tsv", "rows.tsv", "shuffled.tsv"):
        for groups in ("groups", "all.csv", "turned.csv", "rows.tsv", "shuffled.tsv"):
            process = assayer("compare", f"{files}/{scores}", *of, "--groups", f"{files}/{groups}")
            assert process.stdout == expected.stdout
    plain = assayer("compare", f"{files}/plain.tsv", *of)
    assert "groups of queries" not in plain.stderr
    assert assayer("compare", f"{files}/shuffled.tsv", *of, "--no-groups").stdout == plain.stdout
    assert assayer("compare", f"{files}/shuffled.tsv", *of).stdout == expected.stdout


def test_groups_follow_the_queries_that_all_runs_have(files):
    queries_left = [number for number in range(45) if number % 5]
    head, *lines = (files / "rows.tsv").read_text().splitlines()
    write(
        files / "holes.tsv", [head, *(line for line in lines if line.split("\t")[:2] not in HOLES)]
    )
    process = assayer("compare", f"{files}/holes.tsv", "--test", "t", "--missing", "queries")
    assert (
        "36 queries are compared.\n36 queries of 17 groups of queries: whole groups are compared."
        in process.stderr
    )
    groups = GROUPS.within(np.isin(np.arange(45), queries_left))
    tests = [
        paired_test("t", *VALUES[queries_left][:, pair].T, groups=groups)
        for pair in ([0, 1], [0, 2], [1, 2])
    ]
    assert sorted(row[3] for row in rows(process.stdout)[1:]) == sorted(
        f"{test.p_value:.3g}" for test in tests
    )


HOLES = [["B", f"q{number}"] for number in range(0, 45, 5)]


def test_compare_of_run_files_takes_groups_from_a_file(files, runs):
    printed = assayer("evaluate", *runs, "--measures", "AP", "--per-query", "--digits", "17").stdout
    (files / "printed").write_text(printed)
    for test in ("tukey", "randomization"):
        of_runs = assayer("compare", *runs, "--test", test, "--groups", f"{files}/groups")
        of_scores = assayer(
            "compare", f"{files}/printed", "--test", test, "--groups", f"{files}/groups"
        )
        assert of_runs.stdout == of_scores.stdout != ""
    assert of_runs.stdout != assayer("compare", *runs, "--test", test).stdout


@pytest.mark.parametrize("command", ["evaluate", "compare", "plan"])
def test_what_is_wrong_with_a_file_of_groups_is_told(files, runs, command):
    of = {
        "evaluate": ("evaluate", *runs),
        "compare": ("compare", f"{files}/rows.tsv"),
        "plan": ("plan", f"{files}/rows.tsv", "--run", "A"),
    }[command]
    messages = {
        name: assayer(*of, "--groups", f"{files}/{name}").stderr.strip()
        for name in ("groups", "strangers", "broken")
    }
    assert messages["groups"].splitlines()[0] == (
        f'{files}/groups does not name 15 of 45 queries, such as "q30": each of them stands by '
        "itself."
    )
    assert messages["strangers"] == (
        f"assayer {command}: {files}/strangers names none of 45 queries, "
        'such as "q0"; it has 2, such as "x1".'
    )
    assert messages["broken"] == (
        f'assayer {command}: {files}/broken: Line 3: query "q0" belongs to "v1", but in line 1 it '
        'belongs to "v0".'
    )
    assert "No such file" in assayer(*of, "--groups", f"{files}/nothing").stderr


def test_queries_of_one_group_alone_say_nothing_of_the_spread(files, runs):
    single_group = ("--groups", f"{files}/one")
    message = (
        ": All 45 queries are of one group: a group by itself says nothing of the "
        "spread; --no-groups"
    )
    assert message in assayer("compare", f"{files}/plain.tsv", *single_group).stderr
    assert message in assayer("plan", f"{files}/plain.tsv", "--run", "A", *single_group).stderr
    evaluated = assayer("evaluate", *runs[:3], "--measures", "AP", "--intervals", *single_group)
    printed = {name: value for name, query, value in rows(evaluated.stdout) if query == "all"}
    assert [printed[name] for name in ("n_groups", "AP_low", "AP_high", "AP_icc", "AP_deff")] == [
        "1",
        *["n/a"] * 4,
    ]
    (files / "number").write_text("0.5\n")
    alone = assayer("plan", f"{files}/number", "--samples", "10").stderr
    assert (
        alone
        == "assayer plan: One query, or one group, says nothing of the spread; give two or more.\n"
    )
    assert (
        "not allowed with"
        in assayer("compare", f"{files}/plain.tsv", *single_group, "--no-groups").stderr
    )
