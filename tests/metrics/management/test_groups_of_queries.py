"""Commands over groups of queries: equal to the core functions, and unchanged without groups."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from metrics.core.agreement import GroupedUnits, alpha_of_counts
from metrics.core.counts import UnitCounts
from metrics.core.groups import Groups, design
from metrics.core.intervals import mean_intervals
from metrics.core.multiple import compare_systems
from metrics.core.sampling import detectable_difference, queries_for_difference, queries_for_error, sampling_error
from metrics.core.significance import TESTS as ALL_TESTS
from metrics.core.significance import ZERO_ONE_TESTS, paired_test
from metrics.core.swaps import reer_paired, reversal
from tests.metrics.management.running import manage, rows

RUNS = ["A", "B", "C"]
TESTS = [name for name in ALL_TESTS if name not in ZERO_ONE_TESTS]
QUERIES = [f"q{number}" for number in range(45)]
VIDEO = {query: f"v{n // 6}" if n < 30 else "" for n, query in enumerate(QUERIES)}  # 5 videos of 6, 15 alone
GROUPS = Groups.of([VIDEO[query] or query for query in QUERIES])


def grouped_scores(seed: int) -> np.ndarray:
    """(45, 3) scores that are alike within a video."""
    rng = np.random.default_rng(seed)
    of_group = rng.normal(0.5, 0.2, (GROUPS.n, 3))
    return np.round(of_group[GROUPS.of_query] + rng.normal([0.05, 0, -0.05], 0.1, (45, 3)), 4)


VALUES = grouped_scores(3)


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Files of scores in three forms, runs and labels, and groups in two forms."""
    folder = tmp_path_factory.mktemp("files")
    table = [",".join([query, *map(str, row)]) for query, row in zip(QUERIES, VALUES.tolist(), strict=True)]
    lines = [
        (run, query, value, VIDEO[query])
        for query, row in zip(QUERIES, VALUES.tolist(), strict=True)
        for run, value in zip(RUNS, row, strict=True)
    ]
    write(folder / "table.csv", ["query,A,B,C", *table])
    write(folder / "rows.tsv", ["run\tquery\tvalue\tgroup", *("\t".join(map(str, line)) for line in lines)])
    write(folder / "plain.tsv", ["run\tquery\tvalue", *("\t".join(map(str, line[:3])) for line in lines)])
    shuffled = np.random.default_rng(0).permutation(len(lines))
    write(folder / "shuffled.tsv", ["run\tquery\tvalue\tgroup", *("\t".join(map(str, lines[at])) for at in shuffled)])
    write(folder / "groups", [f"{query} {video}" for query, video in VIDEO.items() if video])
    write(folder / "all.csv", ["group,query", *(f"{video},{query}" for query, video in VIDEO.items())])
    write(folder / "turned.csv", ["query,group", *(f"{query},{VIDEO[query]}" for query in reversed(QUERIES))])
    write(folder / "one", [f"{query} v" for query in QUERIES])
    write(folder / "single", [f"{query} {query}" for query in QUERIES])
    write(folder / "strangers", ["x1 v1", "x2 v1"])
    write(folder / "broken", ["q0 v0", "q1 v0", "q0 v1"])
    return folder


def write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def runs(files) -> tuple[str, ...]:
    """Run files and labels of the same queries, as options name them."""
    rng = np.random.default_rng(5)
    write(files / "qrels", [f"{query} 0 d{d} {int(rng.random() < 0.15)}" for query in QUERIES for d in range(12)])
    for run in RUNS:
        write(files / run, [f"{q} Q0 d{d} 1 {rng.random():.5f} {run}" for q in QUERIES[2:] for d in range(10)])
    return ("--qrels", f"{files}/qrels", *(f"{files}/{run}" for run in RUNS))


def test_evaluate_has_the_intervals_and_the_cost_of_the_groups(files, runs):
    of = ("evaluate", *runs, "--measures", "AP MedR nDCG@10", "--digits", "17", "--per-query", "--intervals")
    process = manage(*of, "--groups", f"{files}/all.csv")
    assert process.stderr == ""
    assert [row for row in rows(process.stdout) if row[0] == "n_groups"] == [["n_groups", "all", "20"]] * 3
    values = np.array([float(value) for name, query, value in rows(process.stdout) if name == "AP" and query != "all"])
    printed = [(name, float(value)) for name, query, value in rows(process.stdout) if name.startswith("AP_")]
    expected = []
    for of_run in values.reshape(3, 45):
        (interval,), cost = mean_intervals(of_run[None, :], are_shares=True, groups=GROUPS), design(of_run, GROUPS)
        names = ("AP_low", "AP_high", "AP_icc", "AP_deff")
        expected += zip(names, (*interval, *cost), strict=True)
    assert printed == [(name, pytest.approx(value, abs=1e-12)) for name, value in expected]
    assert "MedR_icc" not in process.stdout and "nDCG@10_deff" in process.stdout
    single = manage(*of)
    assert [line for line in process.stdout.splitlines() if not line.startswith(("n_groups", "AP_", "nDCG@10_"))] == [
        line for line in single.stdout.splitlines() if not line.startswith(("AP_", "nDCG@10_"))
    ]


def test_evaluate_says_the_same_in_whatever_order_labels_and_groups_come(files, runs):
    write(files / "turned", (files / "qrels").read_text().splitlines()[::-1])
    of = (*runs[2:], "--measures", "AP RR C@1 nDCG@10", "--intervals")
    process = manage("evaluate", *runs[:2], *of, "--groups", f"{files}/all.csv")
    turned = manage("evaluate", "--qrels", f"{files}/turned", *of, "--groups", f"{files}/turned.csv")
    assert process.stdout == turned.stdout != ""


def test_evaluate_says_the_same_in_json_over_the_queries_that_count(files, runs):
    of = ("evaluate", *runs[:3], "--measures", "AP MedR", "--json", "--per-query", "--threshold", "1")
    for more in ((), ("--positive-queries",)):
        report = json.loads(manage(*of, *more, "--intervals", "--groups", f"{files}/groups").stdout)
        queries = [query for query in QUERIES if query in report["queries"]]
        assert (len(queries) < 45) is bool(more)
        values = np.array([report["queries"][query]["AP"] for query in queries])
        groups = Groups.of([VIDEO[query] or query for query in queries])
        cost = design(values, groups)
        assert report["groups"] == {"n": groups.n, "icc": {"AP": cost.icc}, "deff": {"AP": cost.deff}}
        assert report["intervals"] == {"AP": list(mean_intervals(values[None, :], are_shares=True, groups=groups)[0])}
        plain = json.loads(manage(*of, *more, "--intervals").stdout)
        assert plain["intervals"] != report.pop("intervals")
        report.pop("groups")
        assert {"intervals": plain["intervals"]} | report == plain


@pytest.mark.parametrize("command", ["evaluate", "compare", "plan"])
def test_a_query_that_is_a_group_of_its_own_changes_nothing_but_its_count(files, runs, command):
    of = {
        "evaluate": ("evaluate", *runs, "--intervals", "--measures", "AP RR"),
        "compare": ("compare", *runs, "--test", "randomization"),
        "plan": ("plan", f"{files}/plain.tsv", "--run", "A", "--against-run", "B", "--difference=.1", "--error=.1"),
    }[command]
    process, plain = manage(*of, "--groups", f"{files}/single"), manage(*of)
    assert process.stdout.replace("n_groups\tall\t45\n", "") == plain.stdout != ""
    assert process.stderr == plain.stderr and "groups" not in plain.stderr


@pytest.mark.parametrize("test", TESTS)
def test_compare_tests_pairs_over_groups(files, test):
    process = manage("compare", f"{files}/rows.tsv", "--test", test, "--samples", "2000")
    assert process.stderr.strip() == "45 queries of 20 groups of queries: whole groups are compared."
    tests = [paired_test(test, *VALUES[:, pair].T, groups=GROUPS, n_samples=2000) for pair in ([0, 1], [0, 2], [1, 2])]
    shares = GROUPS.shares(VALUES)
    swaps = [
        [f"{chance(*shares[:, pair].T):.3f}" for chance in (reversal, reer_paired)] for pair in ([0, 1], [0, 2], [1, 2])
    ]
    order = [RUNS[column] for column in np.argsort(-VALUES.mean(axis=0))]
    assert order == RUNS
    printed = [[*row[:4], *row[6:]] for row in rows(process.stdout)[1:]]
    assert printed == [
        [*pair, f"{test.difference:.4f}", f"{test.p_value:.3g}", *swap]
        for pair, test, swap in zip(combinations(RUNS, 2), tests, swaps, strict=True)
    ]
    seeded = manage("compare", f"{files}/rows.tsv", "--test", test, "--samples", "2000", "--seed", "5")
    first = paired_test(test, *VALUES[:, :2].T, groups=GROUPS, n_samples=2000, seed=5)
    assert rows(seeded.stdout)[1][3] == f"{first.p_value:.3g}"
    by_itself = manage("compare", f"{files}/rows.tsv", "--test", test, "--samples", "2000", "--no-groups")
    assert by_itself.stderr == ""
    assert [row[3] for row in rows(by_itself.stdout)[1:]] != [row[3] for row in printed]


@pytest.mark.parametrize("test", ["newman-keuls", "tukey", "regwq"])
def test_compare_analyses_a_row_a_group(files, test):
    process = manage("compare", f"{files}/rows.tsv", "--test", test)
    comparison = compare_systems(GROUPS.shares(VALUES), method=test)
    alone = compare_systems(VALUES, method=test)
    assert comparison.significant.tolist() != alone.significant.tolist()
    for output, expected in (
        (process, comparison),
        (manage("compare", f"{files}/plain.tsv", "--test", test), alone),
    ):
        differ = [",".join(str(rank + 1) for rank in np.flatnonzero(row)) or "-" for row in expected.significant]
        assert [row[5] for row in rows(output.stdout)[1:]] == differ
        assert [row[2] for row in rows(output.stdout)[1:]] == [
            f"{mean:.4f}" for mean in sorted(VALUES.mean(axis=0))[::-1]
        ]


@pytest.mark.parametrize("test", ["randomized-tukey", "newman-keuls", *TESTS])
def test_compare_takes_groups_from_a_file_or_a_column_in_any_order_and_none_when_told(files, test):
    of = ("--test", test, "--samples", "500")
    expected = manage("compare", f"{files}/rows.tsv", *of)
    for scores in ("table.csv", "plain.tsv", "rows.tsv", "shuffled.tsv"):
        for groups in ("groups", "all.csv", "turned.csv", "rows.tsv", "shuffled.tsv"):
            process = manage("compare", f"{files}/{scores}", *of, "--groups", f"{files}/{groups}")
            assert process.stdout == expected.stdout
    plain = manage("compare", f"{files}/plain.tsv", *of)
    assert "groups of queries" not in plain.stderr
    assert manage("compare", f"{files}/shuffled.tsv", *of, "--no-groups").stdout == plain.stdout
    assert manage("compare", f"{files}/shuffled.tsv", *of).stdout == expected.stdout


def test_groups_follow_the_queries_that_all_runs_have(files):
    queries_left = [number for number in range(45) if number % 5]
    head, *lines = (files / "rows.tsv").read_text().splitlines()
    write(files / "holes.tsv", [head, *(line for line in lines if line.split("\t")[:2] not in HOLES)])
    process = manage("compare", f"{files}/holes.tsv", "--test", "t", "--missing", "queries")
    assert "36 queries are compared.\n36 queries of 17 groups of queries: whole groups are compared." in process.stderr
    groups = GROUPS.within(np.isin(np.arange(45), queries_left))
    tests = [paired_test("t", *VALUES[queries_left][:, pair].T, groups=groups) for pair in ([0, 1], [0, 2], [1, 2])]
    assert sorted(row[3] for row in rows(process.stdout)[1:]) == sorted(f"{test.p_value:.3g}" for test in tests)


HOLES = [["B", f"q{number}"] for number in range(0, 45, 5)]


def test_compare_of_run_files_takes_groups_from_a_file(files, runs):
    printed = manage("evaluate", *runs, "--measures", "AP", "--per-query", "--digits", "17").stdout
    (files / "printed").write_text(printed)
    for test in ("tukey", "randomization"):
        of_runs = manage("compare", *runs, "--test", test, "--groups", f"{files}/groups")
        of_scores = manage("compare", f"{files}/printed", "--test", test, "--groups", f"{files}/groups")
        assert of_runs.stdout == of_scores.stdout != ""
    assert of_runs.stdout != manage("compare", *runs, "--test", test).stdout


def test_plan_draws_and_counts_groups(files):
    of = (
        "--run",
        "A",
        "--against-run",
        "B",
        "--difference",
        ".1",
        "--error",
        ".05",
        "--sizes",
        "45,200",
        "--samples",
        "500",
    )
    process = manage("plan", f"{files}/rows.tsv", *of, "--seed", "3")
    assert process.stderr == ""
    difference = VALUES[:, 0] - VALUES[:, 1]
    options = {"groups": GROUPS, "n_samples": 500, "seed": 3}
    inside, beyond = zip(*(sampling_error(of, [45, 200], **options) for of in (VALUES[:, 0], difference)), strict=True)
    detectable = detectable_difference(difference, [45, 200], groups=GROUPS)
    of_these, like_these = (queries_for_error(VALUES[:, 0], 0.05, of_these=is_so, **options) for is_so in (True, False))
    required = queries_for_difference(difference, 0.1, groups=GROUPS)
    assert (inside[0].n_groups, inside[0].of_these, beyond[0].n_groups) == (20, 0.0, 89)
    more = "more than the 45 queries there are"
    assert [row for row in rows(process.stdout) if not row[0].startswith("#")] == [
        ["mean", f"{VALUES[:, 0].mean():.4f}"], ["queries", "45"], ["groups", "20"], ["run", "A"], ["samples", "500"],
        ["seed_of_score", "3"], ["first", "A"], ["second", "B"], ["difference", f"{difference.mean():.4f}"],
        ["alpha", "0.0500"], ["power", "0.8000"], ["seed_of_difference", "3"],
        ["queries", "groups", "score_of_these", "score_like_these", "difference_of_these", "difference_like_these",
         "detectable_difference"],
        ["45", "20", "0.0000", f"{inside[0].like_these:.4f}", "0.0000", f"{inside[1].like_these:.4f}",
         f"{detectable[0]:.4f}"],
        ["200", "89", more, f"{beyond[0].like_these:.4f}", more, f"{beyond[1].like_these:.4f}", f"{detectable[1]:.4f}"],
        ["queries_for_error_0.05_of_these", str(of_these)], ["queries_for_error_0.05_like_these", str(like_these)],
        ["queries_for_difference_0.1", str(required.n_queries)], ["groups_for_difference_0.1", str(required.n_groups)],
    ]  # fmt: skip
    by_itself = manage("plan", f"{files}/rows.tsv", *of, "--no-groups")
    assert by_itself.stdout == manage("plan", f"{files}/plain.tsv", *of).stdout
    assert "groups" not in by_itself.stdout
    turned = manage("plan", f"{files}/shuffled.tsv", *of)
    assert turned.stdout == manage("plan", f"{files}/rows.tsv", *of).stdout != process.stdout
    of_file = manage("plan", f"{files}/table.csv", *of, "--groups", f"{files}/turned.csv", "--seed", "3")
    assert of_file.stdout == process.stdout


def test_plan_takes_the_groups_of_the_queries_that_both_runs_have(files):
    write(files / "some", ["query,value", *(f"q{number},{VALUES[number, 1]}" for number in range(20, 40))])
    of = ("plan", f"{files}/rows.tsv", "--run", "A", "--against", f"{files}/some", "--difference", ".1")
    process = manage(*of)
    assert process.stderr.strip() == (
        f"{files}/rows.tsv has 45 queries and {files}/some 20; the plan is of the 20 that both have, "
        'without such as "q0".'
    )
    facts = dict(row for row in rows(process.stdout) if len(row) == 2)
    groups = GROUPS.within(np.isin(np.arange(45), range(20, 40)))
    required = queries_for_difference(VALUES[20:40, 0] - VALUES[20:40, 1], 0.1, groups=groups)
    assert (facts["queries"], facts["groups"]) == ("20", "12")
    assert facts["queries_for_difference_0.1"] == str(required.n_queries)
    write(files / "some", ["query,value", *(f"q{number},{VALUES[number, 1]}" for number in range(6, 12))])
    assert "All 6 queries of both files are of one group" in manage(*of).stderr


@pytest.mark.parametrize("command", ["evaluate", "compare", "plan"])
def test_what_is_wrong_with_a_file_of_groups_is_told(files, runs, command):
    of = {
        "evaluate": ("evaluate", *runs),
        "compare": ("compare", f"{files}/rows.tsv"),
        "plan": ("plan", f"{files}/rows.tsv", "--run", "A"),
    }[command]
    messages = {
        name: manage(*of, "--groups", f"{files}/{name}").stderr.strip() for name in ("groups", "strangers", "broken")
    }
    assert messages["groups"].splitlines()[0] == (
        f'{files}/groups does not name 15 of 45 queries, such as "q30": each of them stands by itself.'
    )
    assert messages["strangers"] == (
        f'CommandError: {files}/strangers names none of 45 queries, such as "q0"; it has 2, such as "x1".'
    )
    assert messages["broken"] == (
        f'CommandError: {files}/broken: Line 3: query "q0" belongs to "v1", but in line 1 it belongs to "v0".'
    )
    assert "No such file" in manage(*of, "--groups", f"{files}/nothing").stderr


def test_queries_of_one_group_alone_say_nothing_of_the_spread(files, runs):
    single_group = ("--groups", f"{files}/one")
    message = "CommandError: All 45 queries are of one group: a group by itself says nothing of the spread; --no-groups"
    assert manage("compare", f"{files}/plain.tsv", *single_group).stderr.startswith(message)
    assert manage("plan", f"{files}/plain.tsv", "--run", "A", *single_group).stderr.startswith(message)
    evaluated = manage("evaluate", *runs[:3], "--measures", "AP", "--intervals", *single_group)
    printed = {name: value for name, query, value in rows(evaluated.stdout) if query == "all"}
    assert [printed[name] for name in ("n_groups", "AP_low", "AP_high", "AP_icc", "AP_deff")] == ["1", *["n/a"] * 4]
    (files / "number").write_text("0.5\n")
    alone = manage("plan", f"{files}/number", "--samples", "10").stderr
    assert alone == "CommandError: One query, or one group, says nothing of the spread; give two or more."
    assert "not allowed with" in manage("compare", f"{files}/plain.tsv", *single_group, "--no-groups").stderr


LABELS = [
    (query, f"d{document}", annotator, int(value))
    for rng in [np.random.default_rng(11)]
    for query in QUERIES[:36]
    for document in range(3)
    for usual in [rng.integers(0, 3)]
    for annotator, value in zip("abc", np.where(rng.random(3) < 0.7, usual, rng.integers(0, 3, 3)), strict=True)
    if rng.random() < 0.7
]


@pytest.fixture(scope="module")
def labels(files) -> str:
    """A table of labels with the query and the video of each, in no order."""
    order = np.random.default_rng(1).permutation(len(LABELS))
    lines = [",".join([*map(str, LABELS[at]), VIDEO[LABELS[at][0]]]) for at in order]
    write(files / "labels.csv", ["query,document,who,grade,video", *lines])
    return f"{files}/labels.csv"


OF_LABELS = ("--unit", "query,document", "--annotator", "who", "--value", "grade", "--bootstrap", "300", "--json")


def expected_alpha(level: str, group_of: dict[str, str]):
    """Alpha from a row a unit, computed otherwise than by the command."""
    counts: dict[tuple[str, str], np.ndarray] = {}
    for query, document, _, value in LABELS:
        counts.setdefault((query, document), np.zeros(3, dtype=np.int64))[value] += 1
    table, n = np.stack(list(counts.values())), len(counts)
    group = Groups.of([group_of[query] or query for query, _ in counts]).of_query
    where = GroupedUnits(group, np.arange(n), np.ones(n, dtype=np.int64))
    unit_counts = UnitCounts(table, np.ones(n, dtype=np.int64), np.arange(3))
    return alpha_of_counts(unit_counts, level=level, n_replicates=300, grouped_units=where)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_agreement_draws_whole_groups(files, labels, level):
    of = ("agreement", labels, "--level", level, *OF_LABELS)
    plain = json.loads(manage(*of).stdout)
    assert "n_groups" not in plain
    by_query, by_video = {query: query for query in QUERIES}, VIDEO
    for options, groups in (
        (("--group", "query"), by_query),
        (("--group", "1"), by_query),
        (("--group", "video,query"), by_query),
        (("--group", "query", "--groups", f"{files}/groups"), by_video),
        (("--group", "query", "--groups", f"{files}/turned.csv"), by_video),
        (("--group", "query", "--groups", f"{files}/shuffled.tsv"), by_video),
    ):
        report, expected = json.loads(manage(*of, *options).stdout), expected_alpha(level, groups)
        facts = [report.pop(name) for name in ("alpha", "low", "high", "seed", "n_groups")]
        assert facts[:3] == pytest.approx([expected.value, expected.low, expected.high], abs=1e-12)
        assert facts[3:] == [expected.seed, expected.n_groups]
        assert report.items() <= plain.items()
        assert facts[0] == plain["alpha"] and facts[1:3] != [plain["low"], plain["high"]]


def test_agreement_prints_groups_and_takes_each_unit_with_a_blank_by_itself(files, labels):
    of = ("agreement", labels, "--level", "ordinal", *OF_LABELS[:-1])
    report = dict(rows(manage(*of, "--group", "video").stdout))
    units = {(query, document) for query, document, *_ in LABELS}
    several = {unit for unit in units if sum(label[:2] == unit for label in LABELS) > 1}
    alone = [unit for unit in several if not VIDEO[unit[0]]]
    assert report["n_groups"] == str(5 + len(alone))
    own = manage(*of, "--group", "query,document")
    assert own.stdout == manage(*of).stdout  # each unit is a group: units are drawn
    unnamed = manage(*of, "--group", "query", "--groups", f"{files}/groups").stderr
    assert "does not name 6 of 36 values of --group, such as" in unnamed


def test_agreement_says_what_is_wrong_with_its_groups(files, labels):
    of = ("agreement", labels, "--level", "nominal", *OF_LABELS)
    for options in (("--group", "query", "--bootstrap", "0"), ("--groups", f"{files}/groups")):
        assert "--group is of the interval" in manage(*of, *options).stderr
    message = manage(*of, "--unit", "document", "--group", "query").stderr
    assert f"CommandError: {labels}: Line " in message and "a unit belongs to one group." in message
    two_columns = manage(*of, "--group", "query,document", "--groups", f"{files}/groups")
    assert "name one by --group" in two_columns.stderr
    single_group = manage(*of, "--group", "query", "--groups", f"{files}/one")
    assert "units with two labels are of one group" in single_group.stderr and "leave out --group" in single_group.stderr
    broken = manage(*of, "--group", "query", "--groups", f"{files}/broken")
    assert broken.stderr.startswith(f"CommandError: {files}/broken: Line 3: query")
    assert manage(*of, "--group", "query", "--groups", f"{files}/nothing").stderr == (
        f"CommandError: {files}/nothing: No such file or directory"
    )
    write(files / "none.csv", ["query,document,who,grade", "q1,d1,a,1"])
    none = json.loads(manage("agreement", f"{files}/none.csv", *of[2:], "--group", "query").stdout)
    assert (none["alpha"], none["not_defined"]) == (None, "no unit has two labels yet")
