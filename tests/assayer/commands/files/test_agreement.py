"""The agreement command: alpha of a table of labels, without a database."""

import json
from pathlib import Path

import pytest

from tests.assayer.commands.files.running import LABELS, arguments, assayer, rows


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder with a table of labels."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "labels.csv").write_text(LABELS)
    return folder


def test_agreement_prints_alpha_with_its_interval_and_the_three_percentages(files):
    of = arguments(f"agreement {files}/labels.csv --level ordinal --bootstrap 200 --seed 7")
    process = assayer(*of)
    report = dict(rows(process.stdout))
    assert (report["n_units"], report["n_pairable_units"], report["seed"]) == ("4", "3", "7")
    assert float(report["low"]) <= float(report["alpha"]) <= float(report["high"])
    assert report["unanimous_units"] == "0.6667"
    assert process.stdout == assayer(*of).stdout


def test_agreement_says_when_alpha_is_not_defined(files):
    (files / "one.csv").write_text("unit,annotator,value\nu1,a,1\nu2,a,2\n")
    report = json.loads(
        assayer("agreement", f"{files}/one.csv", "--level", "nominal", "--json").stdout
    )
    assert (report["alpha"], report["not_defined"]) == (None, "no unit has two labels yet")


def test_planned_labels_are_those_that_count_and_were_asked_for_whatever_others_said(files):
    lines = [
        "u1,a,1,first",
        "u1,b,2,double",
        "u1,c,2,disagreement",
        "u2,a,1,first",
        "u2,b,1,first",
        "u3,a,2,first",
    ]
    (files / "why.csv").write_text("\n".join(["unit,annotator,value,why", *lines, "u3,b,2,top-up"]))
    of = ("--level", "nominal", "--json")
    report = json.loads(assayer("agreement", f"{files}/why.csv", "--planned", *of).stdout)
    assert (report["n_labels"], report["n_pairable_units"], report["alpha"]) == (
        5,
        2,
        pytest.approx(0),
    )
    everything = json.loads(assayer("agreement", f"{files}/why.csv", *of).stdout)
    assert (everything["n_labels"], everything["n_pairable_units"]) == (7, 3)
    # as a file of judgments has them: golds and answers that were changed later have a reason, too
    rows = [f"{line},label,counts" for line in lines] + [
        "u4,a,1,first,gold,counts",
        "u3,c,1,first,label,superseded",
    ]
    (files / "judgments.csv").write_text(
        "\n".join(["unit,annotator,value,why,purpose,status", *rows])
    )
    assert (
        json.loads(assayer("agreement", f"{files}/judgments.csv", "--planned", *of).stdout)
        == report
    )
    none = assayer("agreement", f"{files}/labels.csv", "--planned", *of)
    assert 'no column "why" says what each label was asked for' in none.stderr


def test_agreement_says_a_fault_once_and_takes_columns_by_number(files):
    (files / "words.tsv").write_text("".join(f"q{n}\td{n % 3}\tyes\tno\n" for n in range(40)))
    of = arguments(f"agreement {files}/words.tsv --no-header --unit 1,2 --annotator 3-4 --value ''")
    assert assayer(*of, "--level", "ordinal").stderr == (
        f'assayer agreement: {files}/words.tsv: Line 1: "yes" is not a number; use the nominal '
        "level for words. 80 such faults, the next in line 2, 3, 4, 5, 6.\n"
    )
    report = dict(rows(assayer(*of, "--level", "nominal").stdout))
    assert (report["n_units"], report["n_labels"], report["unanimous_units"]) == (
        "40",
        "80",
        "0.0000",
    )
