"""The command analyse of a file of scores: as text, CSV, JSON and SVG; refusals in sentences."""

import csv
import itertools
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from metrics.charts.analyses.systems.pair_cells import VERDICTS
from metrics.score_files.register import SCORE_ANALYSES
from tests.assayer.commands.files.running import assayer, output_of, rows
from tests.real_data import FOLDER, needs_real_data

ROOT = Path(__file__).resolve().parents[4]


def test_without_a_name_it_lists_what_files_suffice_for():
    assert [row[0] for row in rows(output_of("analyse"))] == list(SCORE_ANALYSES)
    assert "Name a file of scores" in assayer("analyse", "anova").stderr


@pytest.fixture
def scores_file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("model,C@1,AP,MedR\na,0.9,0.5,1\nb,0.5,0.6,4\nc,0.2,0.1,9\n")
    return str(path)


def test_averages_come_from_a_file_in_place_of_a_collection(scores_file):
    lines = assayer("analyse", "measure-correlations", "--scores", scores_file).stdout.splitlines()
    assert lines[0] == (
        "# C@1 and AP agree least, as does 1 other pair, on the order of 3 runs with a tau-b of "
        "0.33: 1 of 3 pairs of runs is in the opposite order"
    )
    assert lines[2] == f"# Of 3 runs. From the file {scores_file}."
    assert lines[3] == "# Taken as better when smaller: MedR."
    table = {tuple(row[:2]): row[3] for row in rows("\n".join(lines[5:]))}
    assert table["C@1", "MedR"] == "1.000"
    scatter = assayer(
        "analyse", "measure-against-measure", "--scores", scores_file, "--json"
    ).stdout
    value = json.loads(scatter)
    assert (
        value["rows"][1][:2] == ["b", 0.5] and value["notes"][-1] == "Of the first 2 of 3 columns."
    )
    assert value["file"] == scores_file and value["method"] is None
    ranks = assayer("analyse", "rank-changes-by-measure", "--scores", scores_file, "--csv").stdout
    assert ranks.splitlines()[1] == "a,1,2,1,1,0.9,0.5,1.0"


def test_runs_of_a_file_are_chosen_by_name(scores_file, tmp_path):
    name, some = "measure-against-measure", ("--run", "c", "--run", "a")
    value = json.loads(assayer("analyse", name, "--scores", scores_file, *some, "--json").stdout)
    assert [row[0] for row in value["rows"]] == ["a", "c"]
    path = tmp_path / "topics.csv"
    path.write_text("topic,A,B,C\na,1,9,2\nb,2,8,3\nc,1,7,4\n")
    some = ("--scores", str(path), "--run", "C", "--run", "A", "--json")
    value = json.loads(assayer("analyse", "anova", *some).stdout)
    without_b = tmp_path / "two.csv"
    without_b.write_text("topic,A,C\na,1,2\nb,2,3\nc,1,4\n")
    of_two = json.loads(assayer("analyse", "anova", "--scores", str(without_b), "--json").stdout)
    assert value["rows"] == of_two["rows"] and value["headline"] == of_two["headline"]


def test_the_output_of_evaluate_is_analysed_on_the_measure_that_is_named(tmp_path):
    qrels, runs = tmp_path / "qrels", [tmp_path / "a", tmp_path / "b"]
    qrels.write_text("".join(f"q{n} 0 d{n % 3} 1\n" for n in range(6)))
    for shift, run in enumerate(runs):
        lines = (
            f"q{q} Q0 d{(d * (q % 2 + 1) + shift) % 3} {d} {3 - d} {run.name}\n"
            for q in range(6)
            for d in range(3)
        )
        run.write_text("".join(lines))
    path = tmp_path / "scores"
    path.write_text(
        output_of("evaluate", "--qrels", qrels, *runs, "--measures", "AP RR P@1", "--per-query")
    )
    refusal = assayer("analyse", "anova", "--scores", path)
    assert (refusal.status, refusal.stdout) == (1, "")
    assert "AP, RR" in refusal.stderr and "Choose one by --measure." in refusal.stderr
    value = json.loads(output_of("analyse", "anova", "--scores", path, "--measure", "AP", "--json"))
    of_ap = tmp_path / "ap"
    of_ap.write_text(
        output_of("evaluate", "--qrels", qrels, *runs, "--measures", "AP", "--per-query")
    )
    alone = json.loads(output_of("analyse", "anova", "--scores", of_ap, "--json"))
    assert value["rows"] == alone["rows"]
    refusal = assayer("analyse", "anova", "--scores", path, "--measure", "nDCG")
    assert "no score is of measure nDCG; the file holds AP, RR" in refusal.stderr


@pytest.mark.parametrize(
    ("name", "text", "options", "words"),
    [
        (
            "positives-per-query",
            "model,A,B\na,1,2\nb,2,3\n",
            (),
            "all. From a file come: measure-",
        ),
        ("measure-correlations", "model,A,B\na,1,2\n", (), "It takes two runs and two measures"),
        ("measure-correlations", "model,A\na,1\nb,2\n", (), "It takes two runs and two measures"),
        ("measure-correlations", "model,A,B\na,1,x\nb,2,3\n", (), "Line 2"),
        *(
            ("measure-correlations", text, (), f"The file has rows of “{head}”, which are topics")
            for head, text in (
                ("topic", "topic,A,B\na,1,2\nb,2,3\n"),
                ("QID", "QID\tA\tB\na\t1\t2\nb\t2\t3\n"),
                ("query", "query,run,value\na,A,1\na,B,2\nb,A,2\nb,B,3\n"),
                ("Topics", "Topics,A,B\n301,1,2\n302,2,3\n"),
                ("query ID", "query ID,A,B\na,1,2\nb,2,3\n"),
                ("query", "AP a 1\nAP b 2\nrunid all A\nAP a 2\nAP b 3\nrunid all B\n"),
            )
        ),
        ("measure-against-measure", "query,A,B\na,1,2\nb,2,3\n", (), "and this takes averages: a"),
        *(
            ("anova", f"{head},x,y\na,1,2\nb,2,3\n", (), f".csv. The file has rows of “{head}”, w")
            for head in ("System", "model", "Methods", "run_name", "TEAM", "name of the run")
        ),
        ("anova", ",AP,1K R@5,RSUM\na,1,2,3\nb,2,3,4\n", (), "measures (AP, 1K R@5, RSUM), and"),
        ("measure-correlations", "metric,A,B\nAP,1,2\nRR,2,3\n", (), "rows of “metric”, and this"),
        ("sampling-error", "run,t1,t2\na,1,2\nb,2,3\n", (), "topics, turn the table round; if"),
        (
            "measure-correlations",
            "model,A,B\na,1,2\nb,2,3\n",
            ("--collection", "study"),
            "--collection is of a",
        ),
        ("measure-correlations", "model,A,B\na,1,2\nb,2,3\n", ("--name", "x"), "--name is of a"),
        ("anova", "topic,A,B\na,1,2\nb,2,3\n", ("--measure", "AP"), "leave out --measure."),
        (
            "measure-correlations",
            "model,A,B\na,1,2\nb,2,3\n",
            ("--method", "tukey"),
            "--method changes nothing in measure-correlations: leave it out; what does: --run.",
        ),
        (
            "anova",
            "topic,A,B\na,1,2\nb,2,3\n",
            ("--method", "tukey"),
            "--method changes nothing in anova: leave it out; what does: --run, --missing.",
        ),
        ("anova", "topic,A,B\na,1,2\nb,2,3\n", ("--run", "C"), "name some of its columns."),
        # a topic is no run
        ("anova", ",A,B\na,1,2\nb,2,3\nc,3,1\n", ("--run", "a"), 'has no run "a": name some of'),
        ("measure-correlations", "model,A,B\na,1,2\nb,2,3\n", ("--run", "A"), "of its rows."),
        ("anova", "topic,A,B\na,1e300,2\nb,2,3\n", (), '"1e300" is too large to compute with'),
        ("measure-correlations", None, (), "No such file"),
    ],
)
def test_a_file_that_cannot_be_analysed_is_refused(tmp_path, name, text, options, words):
    path = tmp_path / "scores.csv"
    if text is not None:
        path.write_text(text)
    answer = assayer("analyse", name, "--scores", str(path), *options)
    assert words in answer.stderr and answer.stdout == ""


def test_the_recipe_of_table_5_says_where_each_of_its_columns_comes_from():
    recalls = [f"{n}K R@{k}" for n in (1, 5) for k in (1, 5, 10)]
    means = [*recalls, "CxC R@1", "ECCV R@1", "ECCV R-P", "ECCV mAP@R"]
    assert recipe() == {
        **dict.fromkeys(means, "Tables D.2 and D.3: the mean of both"),
        "RSUM": "Tables D.2 and D.3: the sum of 1K R@1, 1K R@5 and 1K R@10 in both, six numbers",
        "PMRP": "Table 4 as it stands, but for VSE infinity (WSL grid) `57.66` in place of `57.65`",
    }


@needs_real_data
def test_table_5_of_eccv_caption_comes_out_by_one_command(tmp_path):
    """By the recipe of docs/analyses.md: 132 of 132 cells to two digits."""
    tables = FOLDER / "paper_tables"
    whole, i2t, t2i = (
        models(tables / f"eccv_table{name}.csv") for name in ("4", "D2_i2t", "D3_t2i")
    )
    with open(tables / "eccv_table5_tau_b.csv") as lines:
        printed = {row.pop("metric"): row for row in csv.DictReader(lines)}
    columns = recipe()
    path = tmp_path / "averages.csv"
    with open(path, "w") as lines:
        writer = csv.writer(lines)
        writer.writerow(["model", *columns])
        for model, *rows in zip(whole, whole.values(), i2t.values(), t2i.values(), strict=True):
            cells = (cell_by(rule, name, model, *rows) for name, rule in columns.items())
            writer.writerow([model, *cells])
    table = assayer("analyse", "measure-correlations", "--scores", str(path), "--csv").stdout
    n_cells = 0
    for row in csv.DictReader(table.splitlines()):
        for first, second in itertools.permutations((row["measure"], row["other_measure"])):
            assert round(float(row["tau_b"]), 2) == float(printed[first][second])
            n_cells += 1
    assert n_cells == 132


@needs_real_data
def test_the_129_runs_of_trec_8_have_their_published_numbers_by_commands():
    """The file as it is published: run125 and run126 by Urbano, groups as the core has them."""
    path = str(FOLDER / "trec_topic_run_matrices" / "adhoc8_ap.csv")
    variance = table_by("anova", path, key="source")
    assert float(variance["Runs"]["f"]) == pytest.approx(34.46, abs=5e-3)
    assert [int(variance[name]["df"]) for name in ("Runs", "Topics", "Error")] == [128, 49, 6272]
    runs = table_by("differences", path, "--method", "newman-keuls", key="run")
    assert sum(int(row["n_differing"]) for row in runs.values()) == 2 * 3865
    sizes = Counter(int(row["pseudo_group"]) for row in runs.values())
    assert [sizes[number] for number in range(1, 7)] == [1, 8, 71, 23, 11, 15]
    options = ("--scores", path, "--method", "newman-keuls", "--json")
    pairs = json.loads(assayer("analyse", "pairwise-differences", *options).stdout)
    assert len(pairs["rows"]) == 8256
    assert sum(row[-1] == VERDICTS[True] for row in pairs["rows"]) == 3865
    rates = json.loads(assayer("analyse", "error-rates", *options[:2], "--json").stdout)
    columns = [column["key"] for column in rates["columns"]]
    table = [dict(zip(columns, row, strict=True)) for row in rates["rows"]]
    of_50 = [row for row in table if row["size"] == 50]
    assert sum(row["n_pairs"] for row in of_50) == 8256
    assert {(row["trust_05"], row["trust_01"]) for row in of_50} == {(0.04, 0.06)}


@needs_real_data
def test_the_best_runs_of_trec_3_have_the_numbers_of_gt4ireval_by_commands():
    """Thirty runs of the file: mean squares, and topics for .95."""
    path = FOLDER / "trec_topic_run_matrices" / "adhoc3.csv"
    with open(path) as lines:
        names, *cells = csv.reader(lines)
    means = {name: sum(map(float, column)) for name, *column in zip(names, *cells, strict=True)}
    best = [name for name in names if means[name] in sorted(means.values())[-30:]]
    chosen = [part for name in best for part in ("--run", name)]
    variance = table_by("anova", str(path), *chosen, key="source")
    squares = [float(variance[name]["mean_square"]) for name in ("Runs", "Topics", "Error")]
    assert squares[:2] == pytest.approx([0.15074, 0.85296], abs=5e-6)
    assert squares[2] == pytest.approx(0.010152, abs=5e-7)
    needed = table_by("topics-needed", str(path), *chosen, key="quantity")
    for name, numbers in (("E rho squared", (69, 37, 114)), ("Phi", (259, 130, 487))):
        row = needed[f"{name} of 0.95"]
        assert tuple(float(row[key]) for key in ("n", "n_low", "n_high")) == numbers


def table_by(name: str, path: str, *options: str, key: str) -> dict[str, dict[str, str]]:
    """The table of an analysis of a file as the command writes it, by one of its columns."""
    text = assayer("analyse", name, "--scores", path, *options, "--csv").stdout
    return {row[key]: row for row in csv.DictReader(text.splitlines())}


def models(path: Path) -> dict[str, dict[str, float]]:
    with open(path) as lines:
        return {
            row.pop("model"): {key: float(value) for key, value in row.items()}
            for row in csv.DictReader(lines)
        }


def recipe() -> dict[str, str]:
    """The columns of Table 5 in the table of docs/analyses.md, each with what it is of."""
    lines = (
        (ROOT / "docs" / "analyses.md").read_text().partition("| columns | of |\n|---|---|\n")[2]
    )
    rows = itertools.takewhile(lambda line: line.startswith("| "), lines.splitlines())
    cells = [row.strip("| ").split(" | ") for row in rows]
    return {name: rule for names, rule in cells for name in re.findall("`([^`]+)`", names)}


def cell_by(rule: str, name: str, model: str, whole, i2t, t2i) -> float:
    """A model's number in a column by the recipe's words."""
    if rule.startswith("Table 4"):
        better, tied = map(float, re.findall("`([^`]+)`", rule))
        return better if "WSL grid" in model and whole[name] == tied else whole[name]
    if "the sum of" in rule:
        return sum(table[part] for table in (i2t, t2i) for part in re.findall(r"1K R@\d+", rule))
    return (i2t[name] + t2i[name]) / 2
