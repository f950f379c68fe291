"""Commands on labels with strata: notes on undrawn pairs, no intervals, no comparison of runs."""

import json

import pytest

from tests.assayer.commands.files.running import assayer

QUERIES = [f"q{number}" for number in range(6)]
MEASURES = "P@2 P@3 C@1 AP nDCG@10 Bpref Judged@10 xinfAP infNDCG"
EXACT = ["P@2", "C@1", "Judged@10"]


@pytest.fixture
def files(tmp_path):
    """Two runs of six queries.

    D0 and d1 are judged, of d2 to d5 a half, which the first run has from rank 3 on.
    """
    lines, runs = [], {"a": [], "b": []}
    for number, query in enumerate(QUERIES):
        grades = {"d0": 1, "d1": number % 2, "d2": -1, "d3": 1, "d4": -1, "d5": 0}
        lines += [
            f"{query} 0 {doc} {1 if doc in ('d0', 'd1') else 2} {grade}"
            for doc, grade in grades.items()
        ]
        for name, docs in (("a", "d0 d1 d2 d3 d9"), ("b", "d1 d0 d8 d7 d9")):
            ranked = enumerate(docs.split(), start=1)
            runs[name] += [f"{query} Q0 {doc} {rank} {10 - rank} {name}" for rank, doc in ranked]
    (tmp_path / "strata").write_text("\n".join(lines) + "\n")
    whole = [line.replace(" -1", " 0") for line in lines]
    (tmp_path / "whole").write_text("\n".join(whole) + "\n")
    for name, ranked in runs.items():
        (tmp_path / name).write_text("\n".join(ranked) + "\n")
    return tmp_path


def evaluate_report(files, labels, run, measures=MEASURES):
    process = assayer(
        "evaluate",
        f"{files}/{run}",
        "--qrels",
        f"{files}/{labels}",
        "--measures",
        measures,
        "--intervals",
        "--json",
    )
    return json.loads(process.stdout), process.stderr


def test_what_counts_the_undrawn_as_irrelevant_is_told_and_has_no_interval(files):
    report, note = evaluate_report(files, "strata", "a")
    assert report["beyond_sample"] == [name for name in MEASURES.split() if name not in EXACT]
    assert (
        "a: the labels are a sample. P@3, AP, nDCG@10, Bpref, xinfAP, infNDCG count what was not "
        "drawn" in note
    )
    assert (
        report["intervals"]["P@3"]
        == report["intervals"]["AP"]
        == report["intervals"]["xinfAP"]
        == [None, None]
    )
    assert None not in report["intervals"]["P@2"]


def test_a_run_whose_first_ranks_were_all_drawn_is_exact_there(files):
    report, _ = evaluate_report(files, "strata", "b", measures="P@3 P@5 AP")
    assert report["beyond_sample"] == ["AP"]


def test_strata_that_were_judged_whole_are_labels_like_others(files):
    report, note = evaluate_report(files, "whole", "a")
    assert "beyond_sample" not in report and note == ""
    assert report["intervals"]["xinfAP"] == [None, None] and None not in report["intervals"]["AP"]


@pytest.mark.parametrize(("labels", "is_refused"), [("strata", True), ("whole", False)])
def test_infap_is_refused_of_strata_that_were_judged_at_different_rates(files, labels, is_refused):
    process = assayer(
        "evaluate", f"{files}/a", "--qrels", f"{files}/{labels}", "--measures", "infAP"
    )
    assert process.status == is_refused
    message = (
        "infAP is of a uniform sample, and here from 0.50 to 1.00 of a stratum was judged: xinfAP "
        "is made for that."
    )
    assert (message in process.stderr) == is_refused


@pytest.mark.parametrize(
    ("measure", "is_refused"), [("P@2", False), ("AP", True), ("xinfAP", True), ("P@3", True)]
)
def test_runs_are_compared_by_what_was_all_drawn(files, measure, is_refused):
    runs = [f"{files}/{name}" for name in "ab"]
    process = assayer("compare", *runs, "--qrels", f"{files}/strata", "--measure", measure)
    assert process.status == is_refused
    message = (
        f"of which {measure} counts what was not drawn as irrelevant, leaves it out or infers it"
    )
    assert (message in process.stderr) == is_refused
