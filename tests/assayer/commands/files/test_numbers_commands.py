"""The four commands that read files and print numbers, without a database."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assayer.commands.files.running import LABELS, arguments, assayer, rows

ROOT = Path(__file__).resolve().parents[4]
QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq2 0 a 1\nq3 0 b 1\nq4 0 b 0\n"
RUN = (
    "q1 Q0 a 1 3 good\nq1 Q0 b 2 2 good\nq1 Q0 c 3 1 good\n"
    "q2 Q0 b 1 2 good\nq2 Q0 a 2 1 good\nq4 Q0 b 1 1 good\n"
)
OTHER = "q1 Q0 b 1 3.0 bad\nq1 Q0 c 2 2.0 bad\nq2 Q0 c 1 2.0 bad\nq3 Q0 b 1 1.0 bad\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name, text in {"qrels": QRELS, "run": RUN, "other": OTHER, "labels.csv": LABELS}.items():
        (folder / name).write_text(text)
    return folder


def test_evaluate_prints_measure_query_and_value_with_the_queries_that_are_missing(files):
    options = arguments("--measures 'AP RR C@1' --per-query --digits 3")
    process = assayer("evaluate", "--qrels", f"{files}/qrels", f"{files}/run", *options)
    assert process.stderr == ""
    assert rows(process.stdout)[:3] == [
        ["AP", "q1", "0.833"],
        ["RR", "q1", "1.000"],
        ["C@1", "q1", "1.000"],
    ]
    assert rows(process.stdout)[-7:] == [
        ["runid", "all", "good"],
        ["num_q", "all", "4"],
        ["num_q_missing", "all", "1"],
        ["num_q_positive", "all", "3"],
        ["AP", "all", "0.333"],
        ["RR", "all", "0.375"],
        ["C@1", "all", "0.250"],
    ]


@pytest.mark.full
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("evaluate", "--qrels", "qrels", "run"), "num_q\tall\t4\n"),
        (("agreement", "labels.csv", "--level", "nominal"), "n_pairable_units\t3\n"),
        (("compare", "scores", "--test", "sign"), "run\tother\tdifference\t"),
        (("plan", "numbers", "--sizes", "2", "--samples", "10"), "queries\t3\n"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_fresh_process_needs_no_database_and_no_secret(files, command, expected):
    environment = {
        key: value for key, value in os.environ.items() if key not in ("SECRET_KEY", "REDIS_URL")
    }
    environment |= {
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
        "ASSAYER_VAR": str(files / "no var"),
    }
    (files / "numbers").write_text("0.5\n1\n0\n")
    (files / "scores").write_text("query,a,b\nq1,0.5,1\nq2,0,1\n")
    typed = [str(files / part) if (files / part).is_file() else part for part in command]
    process = [sys.executable, "manage.py", *typed]
    finished = subprocess.run(
        process, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    assert expected in finished.stdout
    assert not (files / "no var").exists()


def test_evaluate_averages_over_queries_with_a_positive_only_when_asked_to(files):
    options = arguments("--measures 'AP nDCG@3' --positive-queries --json --threshold 2")
    process = assayer(
        "evaluate", "--qrels", f"{files}/qrels", f"{files}/run", f"{files}/other", *options
    )
    good, bad = map(json.loads, process.stdout.splitlines())
    assert (good["runid"], bad["runid"]) == ("good", "bad")
    assert (good["num_q"], good["num_q_missing"]) == (1, 0)
    assert good["all"]["AP"] == pytest.approx(1 / 3)
    assert bad["all"]["AP"] == pytest.approx(1 / 2)
    assert "queries" not in good


def test_evaluate_says_what_is_wrong_in_one_line(files):
    (files / "broken").write_text("q1 Q0 a 1 3.0\n")
    process = assayer("evaluate", "--qrels", f"{files}/qrels", f"{files}/broken")
    assert (
        process.stderr.strip()
        == f"assayer evaluate: {files}/broken: Line 1: expected 6 fields, found 5."
    )
    assert (
        "there are: C@k"
        in assayer(
            "evaluate", "--qrels", f"{files}/qrels", f"{files}/run", "--measures", "X"
        ).stderr
    )
    assert "No such file" in assayer("evaluate", "--qrels", f"{files}/none", f"{files}/run").stderr


def test_compare_names_groups_or_tests_every_pair(files):
    of = arguments(f"compare --qrels {files}/qrels {files}/run {files}/other")
    groups = rows(assayer(*of).stdout)
    assert groups[0] == ["place", "run", "mean", "group", "letters", "differs_from"]
    assert [row[1] for row in groups[1:]] == ["bad", "good"] or [row[1] for row in groups[1:]] == [
        "good",
        "bad",
    ]
    pairs = rows(assayer(*of, "--test", "randomization").stdout)
    assert pairs[0][:3] == ["run", "other", "difference"]
    assert pairs[0][-3:] == ["differs", "reversal", "reer"]
    assert pairs[1][-3] == "no"
    assert (
        "two runs or more" in assayer("compare", "--qrels", f"{files}/qrels", f"{files}/run").stderr
    )


def test_plan_reads_what_evaluate_prints(files):
    for name in ("run", "other"):
        of = arguments(f"--qrels {files}/qrels {files}/{name} --measures AP --per-query")
        process = assayer("evaluate", *of)
        (files / f"{name}.scores").write_text(process.stdout)
    of = arguments(f"--against {files}/other.scores --sizes 4,100 --error 0.1 --difference 0.1")
    process = assayer("plan", f"{files}/run.scores", *of)
    assert process.stderr == ""
    table = [row for row in rows(process.stdout) if not row[0].startswith("#")]
    assert table[:3] == [["mean", "0.3333"], ["queries", "4"], ["run", "good"]]
    small, large = (row for row in table if row[0] in ("4", "100"))
    assert (small[1], large[1]) == ("0.0000", "more than the 4 queries there are")
    assert float(small[2]) > float(large[2])
    assert [row[0] for row in table[-3:]] == [
        "queries_for_error_0.1_of_these",
        "queries_for_error_0.1_like_these",
        "queries_for_difference_0.1",
    ]


TESTS = ("randomized-tukey", "newman-keuls", "tukey", "regwq", "randomization", "sign", "wilcoxon")


@pytest.mark.parametrize("test", TESTS)
def test_compare_reads_scores_in_every_form_as_it_reads_runs(files, test):
    """The same lines from runs and labels, from evaluate's output, and from topics by runs."""
    from_runs = assayer(
        "compare", "--qrels", f"{files}/qrels", f"{files}/run", f"{files}/other", "--test", test
    ).stdout
    of = arguments(f"evaluate --qrels {files}/qrels {files}/run {files}/other")
    printed = assayer(*of, "--measures", "AP C@1", "--per-query", "--digits", "17").stdout
    (files / "printed").write_text(printed)
    assert (
        assayer("compare", f"{files}/printed", "--measure", "AP", "--test", test).stdout
        == from_runs
    )
    table: dict[str, list[str]] = {}
    for measure, query, value in rows(printed):
        if measure == "AP" and query != "all":
            table.setdefault(query, []).append(value)
    lines = [",".join([query, *values]) for query, values in table.items()]
    (files / "table.csv").write_text("\n".join(["topic,good,bad", *lines]))
    assert assayer("compare", f"{files}/table.csv", "--test", test).stdout == from_runs != ""


def test_compare_says_which_methods_hold_a_pair_to_its_own_error_too(files):
    of = arguments(f"compare --qrels {files}/qrels {files}/run {files}/other --test")
    tests = ("regwq", "tukey", "newman-keuls", "randomized-tukey", "randomization")
    with_own_errors = [
        test for test in tests if " and each pair's own error at 0.05" in assayer(*of, test).stderr
    ]
    assert with_own_errors == ["regwq", "tukey", "randomized-tukey"]


def test_compare_tells_of_missing_scores_and_leaves_queries_out_when_told_to(files):
    (files / "holes.csv").write_text("query,A,B\nq1,.5,.4\nq2,,.1\nq3,.3,.1\nq4,.2,NA\n")
    (files / "whole.csv").write_text("query,A,B\nq1,.5,.4\nq3,.3,.1\n")
    message = 'Scores are missing: of 4 queries A on 1, B on 1, such as "q2".'
    assert assayer("compare", f"{files}/holes.csv").stderr.startswith(
        f"assayer compare: {message} Say by --missing whether"
    )
    process = assayer("compare", f"{files}/holes.csv", "--missing", "queries")
    assert process.stderr.startswith(f"{message} 2 queries are compared.")
    assert process.stdout == assayer("compare", f"{files}/whole.csv").stdout != ""
    (files / "zeros.csv").write_text("query,A,B\nq1,.5,.4\nq2,0,.1\nq3,.3,.1\nq4,.2,0\n")
    process = assayer("compare", f"{files}/holes.csv", "--missing", "zero", "--test", "t")
    assert process.stderr.strip() == f"{message} They count 0."
    assert process.stdout == assayer("compare", f"{files}/zeros.csv", "--test", "t").stdout != ""
    lacking = assayer("compare", f"{files}/holes.csv", "--missing", "runs")
    assert lacking.stderr.strip() == f"assayer compare: {message} Fewer than two runs are left."
    (files / "three.csv").write_text("query,A,C,B\nq1,.5,1,.4\nq2,,1,.1\nq3,.3,1,.1\n")
    process = assayer("compare", f"{files}/three.csv", "--missing", "runs", "--test", "t")
    assert "A on 1" in process.stderr and "2 runs are compared." in process.stderr
    assert [row[:2] for row in rows(process.stdout)[1:]] == [["C", "B"]]
    (files / "one.csv").write_text("query,A\nq1,.5\n")
    assert "scores of A alone" in assayer("compare", f"{files}/one.csv").stderr
    assert "--qrels or --reference" in assayer("compare", f"{files}/run", f"{files}/other").stderr


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_run_of_other_queries_is_an_error(files, command):
    (files / "strange").write_text("301 Q0 a 1 3 good\n")
    process = assayer(command, f"{files}/strange", f"{files}/run", "--qrels", f"{files}/qrels")
    assert process.stderr == (
        f"assayer {command}: {files}/strange: The run and the labels share no query: it has 1, "
        'such as "301"; they have 4, such as "q1".\n'
    )
    (files / "turned").write_text("a Q0 q1 1 3 good\n")
    process = assayer(command, f"{files}/turned", f"{files}/run", "--qrels", f"{files}/qrels")
    assert "of the other direction" in process.stderr
    single_run = assayer(command, f"{files}/run", f"{files}/other", "--qrels", f"{files}/qrels")
    assert "share no query" not in single_run.stderr and single_run.stdout


def test_compare_and_evaluate_take_the_same_label_sources(files):
    labels = arguments(
        f"--qrels {files}/qrels --reference cxc={files}/cxc.qrels --label-source union:cxc"
    )
    (files / "cxc.qrels").write_text("q1 0 b 2\nq3 0 c 1\n")
    process = assayer(
        "evaluate", f"{files}/run", f"{files}/other", *labels, "--measures", "AP", "--json"
    )
    means = {
        report["runid"]: report["all"]["AP"]
        for report in map(json.loads, process.stdout.splitlines())
    }
    compared = rows(assayer("compare", f"{files}/run", f"{files}/other", *labels).stdout)[1:]
    assert {row[1]: float(row[2]) for row in compared} == pytest.approx(means, abs=5e-5)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("compare", "x", "--alpha", "2"), "argument --alpha: 2 is not between 0 and 1"),
        (("compare", "x", "--samples", "0"), "argument --samples: 0 is too few: 1 or more"),
        (
            ("plan", "x", "--samples", "-3"),
            "argument --samples: '-3' is not a whole number from 0 on",
        ),
        (("plan", "x", "--difference", "nan"), "argument --difference: nan is not a finite number"),
        (("plan", "x", "--error", "-1"), "argument --error: -1.0 is not more than 0"),
        (
            ("agreement", "x", "--level", "nominal", "--digits", "-2"),
            "argument --digits: '-2' is not a whole number",
        ),
        (
            ("evaluate", "x", "--threshold", "nan"),
            "argument --threshold: nan is not a finite number",
        ),
        (
            ("compare", "x", "--queries", "ids"),
            "--queries is an option of run files, not of a file of scores",
        ),
    ],
)
def test_an_option_that_means_nothing_is_an_error(command, message):
    assert message.replace("-1.0", "-1") in assayer(*command).stderr


def test_listed_queries_do_not_hide_that_a_run_shares_none_with_the_labels(files):
    (files / "strange").write_text("301 Q0 a 1 3 good\n")
    (files / "ids").write_text("301\n302\n")
    process = assayer(
        "evaluate", f"{files}/strange", "--qrels", f"{files}/qrels", "--queries", f"{files}/ids"
    )
    assert "share no query" in process.stderr


def test_what_is_inferred_from_a_sample_has_no_interval(files):
    of = arguments(f"evaluate --qrels {files}/qrels {files}/run --intervals --json")
    (line,) = assayer(*of, "--measures", "AP xinfAP infNDCG").stdout.splitlines()
    intervals = json.loads(line)["intervals"]
    assert intervals["xinfAP"] == intervals["infNDCG"] == [None, None]
    assert None not in intervals["AP"]


def test_compare_refuses_a_median(files):
    process = assayer(
        "compare",
        "--qrels",
        *(f"{files}/{name}" for name in ("qrels", "run", "other")),
        "--measure",
        "MedR",
    )
    assert process.stderr == "assayer compare: MedR is a median, and runs are compared by means.\n"


@pytest.mark.parametrize("command", ["compare", "plan"])
@pytest.mark.parametrize("head", ["model", "Systems", "metric"])
def test_a_table_of_averages_is_refused_where_rows_are_queries(tmp_path, command, head):
    path = tmp_path / "averages.csv"
    path.write_text(f"{head},AP,RR\na,0.5,0.6\nb,0.4,0.7\nc,0.3,0.3\n")
    answer = assayer(command, str(path))
    words = f'averages.csv: Line 1: the file has rows of "{head}", and this takes a row for each'
    assert words in answer.stderr and answer.stdout == ""
