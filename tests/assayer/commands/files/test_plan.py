"""`plan`: its choice of runs, three numbers with a sentence each, and independence of order."""

import json
from pathlib import Path

import numpy as np
import pytest

from metrics.core.statistics.sample_sizes import (
    detectable_difference,
    sampling_error,
    seed_of_samples,
)
from tests.assayer.commands.files.running import assayer, rows

RUNS = ["C", "A", "D", "B"]
RNG = np.random.default_rng(0)
NOISE = [0.3, 0.1, 0.4, 0.2]
SCORES = np.round(RNG.normal(0.5, 0.2, (60, 1)) + RNG.normal(0, 1, (60, 4)) * NOISE, 3)
QUICK = ("--samples", "50")
OF = dict(zip(RUNS, SCORES.T, strict=True))


def table(
    path: Path, runs: list[str], *, order: np.ndarray | range = range(60), holes: str = ""
) -> str:
    """A file of some runs' scores; run `holes` has none on the last query of it."""
    lines = ["\t".join(["query", *runs])]
    for q in order:
        lines.append(
            "\t".join(
                [f"q{q}", *(str(OF[run][q]) if run != holes or q != 59 else "" for run in runs)]
            )
        )
    path.write_text("\n".join(lines))
    return str(path)


def plan_of(*arguments: str) -> dict:
    """The plan in JSON."""
    process = assayer("plan", *arguments, "--json", "--samples", "400")
    assert process.stderr == ""
    return json.loads(process.stdout)


def test_the_three_numbers_are_those_of_the_core_each_with_its_sentence(tmp_path):
    file = table(tmp_path / "file", RUNS)
    plan = plan_of(
        file,
        "--run",
        "A",
        "--against-run",
        "B",
        "--sizes",
        "20,61",
        "--power",
        ".9",
        "--alpha",
        ".01",
    )
    difference = OF["A"] - OF["B"]
    score, paired = (sampling_error(of, [20, 61], n_samples=400) for of in (OF["A"], difference))
    detectable = detectable_difference(difference, [20, 61], power=0.9, alpha=0.01)
    assert plan["sizes"] == [
        {
            "queries": size,
            "groups": size,
            "score_of_these": score[at].of_these,
            "score_like_these": score[at].like_these,
            "difference_of_these": paired[at].of_these,
            "difference_like_these": paired[at].like_these,
            "detectable_difference": detectable[at],
        }
        for at, size in enumerate((20, 61))
    ]
    assert plan["sizes"][1]["score_of_these"] is None
    assert (plan["seed_of_score"], plan["seed_of_difference"]) == (
        seed_of_samples(OF["A"]),
        seed_of_samples(difference),
    )
    assert list(plan["sentences"]) == ["score", "difference", "detectable_difference"]
    assert "on the 60 queries there are" in plan["sentences"]["score"]
    assert "mean of A minus that of B" in plan["sentences"]["difference"]
    assert "at alpha 0.01 with chance 0.9" in plan["sentences"]["detectable_difference"]
    printed = assayer(
        "plan", file, "--run", "A", "--against-run", "B", "--sizes", "20,61", "--samples", "400"
    ).stdout
    sentences = [row for (row, *_) in rows(printed) if row.startswith("#")]
    assert [sentence.split(":")[0] for sentence in sentences] == [
        "# score_of_these, score_like_these",
        "# difference_of_these, difference_like_these",
        "# detectable_difference",
    ]


def test_a_plan_is_the_same_in_whatever_order_lines_and_runs_come(tmp_path):
    options = ("--sizes", "20,50", "--error", ".05", "--difference", ".1", "--samples", "400")
    order = np.random.default_rng(2).permutation(60)
    file = table(tmp_path / "file", sorted(RUNS))
    # every pair the other way round
    turned = table(tmp_path / "turned", sorted(RUNS)[::-1], order=order)
    assert assayer("plan", file, *options).stdout == assayer("plan", turned, *options).stdout != ""
    assert plan_of(file) == plan_of(turned)
    left, right = (
        plan_of(str(tmp_path / "file"), "--run", a, "--against-run", b) for a, b in ("AB", "BA")
    )
    assert left["difference"] == -right["difference"]
    assert [row["difference_like_these"] for row in left["sizes"]] == [
        row["difference_like_these"] for row in right["sizes"]
    ]


def test_of_several_runs_those_in_the_middle_are_taken_and_told(tmp_path):
    file = table(tmp_path / "file", RUNS)
    spread = {(a, b): (OF[a] - OF[b]).std() for a in RUNS for b in RUNS if a < b}
    for options, pairs, run in (
        ((), list(spread), sorted(RUNS, key=lambda run: OF[run].std())[2]),
        (("--run", "A"), [("A", "B"), ("A", "C"), ("A", "D")], "A"),
        (("--against-run", "B"), [("A", "B"), ("B", "C"), ("B", "D")], "C"),
    ):
        plan = plan_of(file, *options)
        ordered = sorted(pairs, key=spread.get)
        middle = ordered[len(ordered) // 2]
        assert tuple(sorted((plan["first"], plan["second"]))) == middle
        assert plan["run"] == run
        least, most = spread[ordered[0]] / spread[middle], spread[ordered[-1]] / spread[middle]
        assert f"of {len(pairs)} pairs {plan['first']} and" in plan["sentences"]["chosen"]
        assert f"{least:.2f} to {most:.2f} times" in plan["sentences"]["chosen"]
    two = plan_of(table(tmp_path / "two", ["A", "C"]))
    assert (two["run"], two["first"], two["second"]) == ("C", "A", "C")
    assert two["sentences"]["chosen"].startswith(
        "Chosen: of 2 runs C has the larger error of a score. "
    )


def test_one_run_alone_has_the_error_of_its_score(tmp_path):
    plan = plan_of(table(tmp_path / "file", ["A"]), "--sizes", "20")
    assert list(plan["sizes"][0]) == ["queries", "groups", "score_of_these", "score_like_these"]
    assert "name another by --against" in plan["sentences"]["difference"]
    for options in (("--difference", ".1"), ("--against-run", "A")):
        assert (
            "A difference is of two runs"
            in assayer("plan", str(tmp_path / "file"), *options).stderr
        )


def test_runs_of_two_files_are_those_of_one(tmp_path):
    both, first, other = (
        table(tmp_path / name, runs)
        for name, runs in (("both", ["A", "B"]), ("one", ["A"]), ("other", ["D", "B"]))
    )
    of_both = assayer(
        "plan", both, "--run", "A", "--against-run", "B", "--difference", ".1", *QUICK
    )
    of_two = assayer(
        "plan", first, "--against", other, "--against-run", "B", "--difference", ".1", *QUICK
    )
    assert of_both.stdout == of_two.stdout != ""
    assert (
        "of 2 pairs A and D have the larger error"
        in plan_of(first, "--against", other)["sentences"]["chosen"]
    )


def test_queries_that_a_run_or_a_file_lacks_are_told(tmp_path):
    holes = table(tmp_path / "holes", ["A", "B", "C"], holes="C")
    lack = (
        f"assayer plan: {holes}: run C has a score on 59 of 60 queries; write 0 where it found "
        "nothing, or leave"
    )
    for options in ((), ("--run", "C"), ("--run", "A", "--against-run", "C")):
        assert assayer("plan", holes, *options).stderr.startswith(lack)
    assert assayer("plan", holes, "--run", "A", "--against-run", "B", *QUICK).stderr == ""
    whole, some = (
        table(tmp_path / "one", ["A"]),
        table(tmp_path / "some", ["B"], order=range(5, 60)),
    )
    assert (
        "; the plan is of the 55 that both have"
        in assayer("plan", whole, "--against", some, *QUICK).stderr
    )
    assert (
        "; the plan is of the 55 that both have"
        in assayer("plan", some, "--against", whole, *QUICK).stderr
    )
    strange = table(tmp_path / "strange", ["B"], order=range(1))
    assert "share fewer than two queries" in assayer("plan", whole, "--against", strange).stderr
    assert "name one of its runs by --run: A." in assayer("plan", whole, "--run", "B").stderr


def test_a_plan_without_a_spread_is_not_made_up(tmp_path):
    single_query = table(tmp_path / "one", ["A", "B"], order=range(1))
    assert (
        "One query, or one group, says nothing of the spread"
        in assayer("plan", single_query).stderr
    )
    (tmp_path / "equal").write_text("query,A,B\nq1,.5,.5\nq2,.1,.1\nq3,.3,.3\n")
    process = assayer("plan", str(tmp_path / "equal"), "--sizes", "3", *QUICK)
    assert rows(process.stdout)[-1][-3:] == ["0.0000", "0.0000", "n/a"]


@pytest.mark.parametrize(
    ("sizes", "message"), [("0", "at least one query"), ("5,x", "--sizes are whole numbers")]
)
def test_sizes_are_numbers_of_queries(tmp_path, sizes, message):
    assert message in assayer("plan", table(tmp_path / "file", ["A"]), "--sizes", sizes).stderr
