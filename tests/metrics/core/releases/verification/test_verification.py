"""A made release verifies whole, as a folder and as an archive, and each planted fault is told."""

import re
from pathlib import Path

import pytest

from annotate.models import QuerySet, Round, RoundPair
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.verification import verify_release
from pooling.models import Pool
from tests import cast
from tests.metrics import studies
from tests.metrics.core.releases.verification.whole_release import (
    Row,
    change_json,
    change_rows,
    change_text,
    seal,
    whole_archive,
    whole_folder,
)
from tests.metrics.services.releases.made_releases import archive, made_release

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["whole_archive", "whole_folder"]
QRELS = "qrels/all-forward.over-original.qrels.gz"
SCORES, TEXT, PER_QUERY = "scores/scores.parquet", "scores/scores.tsv", "scores/per-query.parquet"


def verified(path: Path) -> Findings:
    return verify_release(path, lambda text: None)


def sentences(path: Path) -> str:
    return "\n".join(verified(path).sentences)


def without_line(number: int):
    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        del lines[number]
        return "".join(lines)

    return change


def of_plain_run(row: Row, measure: str = "AP") -> bool:
    """True for rows of a run with its file on a query set that is no draw."""
    key = row["run"], row["query_set"], row["label_source"], row["measure"]
    return key == ("plain", "all", "over:original", measure)


def test_a_release_is_right_as_a_folder_and_as_an_archive(
    whole_archive, whole_folder, tmp_path, django_assert_num_queries
):
    path = tmp_path / "release.zip"
    path.write_bytes(whole_archive)
    with django_assert_num_queries(0):
        findings, others = verified(whole_folder), verified(path)
    assert (findings.sentences, others.sentences) == ([], [])
    assert findings.results == others.results
    text = "\n".join(findings.results)
    n_files, n_listed = re.match(r"(\d+) of (\d+) files as SHA256SUMS", text).groups()
    assert n_files == n_listed == str(sum(p.is_file() for p in whole_folder.rglob("*")) - 1)
    n_scores = int(re.search(r"(\d+) scores alike", text)[1])
    n_measured = int(re.search(r"(\d+) scores measured anew", text)[1])
    (n_beyond,) = (int(re.match(r"(\d+) scores of 3 runs", s)[1]) for s in findings.unchecked[1:2])
    assert n_scores == n_measured + n_beyond and n_measured > 400
    assert "run-01, run-02 and run-03 (Nobody who may has" in findings.unchecked[1]


@pytest.mark.parametrize("has_runs", [False, True])
def test_a_release_of_nearly_nothing_is_right_too(has_runs, media_root, tmp_path):
    study = studies.study() if has_runs else cast.collection("empty")
    QuerySet.objects.create(collection=study, name="nothing", direction="forward")
    path = tmp_path / "release.zip"
    path.write_bytes(archive(made_release(study)))
    assert verified(path).sentences == []


def test_a_pool_and_an_import_of_one_name_are_not_mistaken(media_root, tmp_path):
    study = studies.judged_study()
    round_ = study.rounds.get(kind="pool")
    Pool.objects.filter(round=round_).update(name=round_.name)
    policy = {"policy": round_.policy, "collection": study}
    other_round = Round.objects.create(name=round_.name, kind="import", **policy)
    pair = round_.round_pairs.earliest("pk").pair
    RoundPair.objects.create(round=other_round, pair=pair, n_wanted=2)
    path = tmp_path / "release.zip"
    path.write_bytes(archive(made_release(study)))
    findings = verified(path)
    assert findings.sentences == []
    assert any("are its own alone" in sentence for sentence in findings.unchecked)


def test_a_changed_byte_is_told_by_its_checksum(whole_folder):
    path = whole_folder / "runs/plain.run.gz"
    content = bytearray(path.read_bytes())
    content[9] ^= 1  # of the header: it unpacks as before
    path.write_bytes(content)
    found = verified(whole_folder)
    assert found.n_faults == 2  # SHA256SUMS and croissant.json
    assert re.search(
        r"runs/plain\.run\.gz: Its checksum is \w{64}, and SHA256SUMS has \w{64}\.",
        found.sentences[0],
    )


def test_files_that_are_missing_or_not_listed_are_told(whole_folder):
    (whole_folder / "labels/disputed.tsv.gz").unlink()
    (whole_folder / "labels/extra.tsv").write_text("x")
    text = sentences(whole_folder)
    assert "labels/disputed.tsv.gz: It is not there, and SHA256SUMS lists it." in text
    assert "labels/extra.tsv: It is there, and SHA256SUMS does not list it." in text


def test_a_line_that_is_gone_is_told_where_it_was(whole_folder):
    change_text(whole_folder, QRELS, without_line(2))
    text = sentences(whole_folder)
    assert re.search(
        rf"{QRELS}: It has no line for row \d+ of qrels/qrels.parquet, \"q\S+ 0 d\S+ \d\"", text
    )
    assert re.search(rf"{QRELS}: It has \d+ rows, and README.md has \d+\.", text)
    assert len(re.findall(rf"^{QRELS}: ", text, re.MULTILINE)) == 2


def test_a_changed_grade_of_both_qrels_changes_scores(whole_folder):
    def change(rows: list[Row]) -> None:
        key = ("all", "forward", "over:original")
        (first,) = [
            row for row in rows if (row["query_set"], row["direction"], row["label_source"]) == key
        ][:1]
        first["grade"] = 0 if first["grade"] else 2
        changed.update(first)

    changed: Row = {}
    change_rows(whole_folder, "qrels/qrels.parquet", change)
    text = sentences(whole_folder)
    query, document, grade = (changed[name] for name in ("query", "document", "grade"))
    assert re.search(rf'{QRELS}: Line 1: it is "{query} 0 {document} \d", and row \d+ of', text)
    change_text(
        whole_folder,
        QRELS,
        lambda content: re.sub(r"\d\n", f"{grade}\n", content, count=1),
    )
    findings = verified(whole_folder)
    assert not any(sentence.startswith(QRELS) for sentence in findings.sentences)
    assert re.search(
        rf"per-query\.parquet: Row \d+: \S+ of \S+ on all \(forward\) by over:original is \S+ for "
        rf"query {query}, and runs/\S+\.run\.gz with the qrels gives ",
        "\n".join(findings.sentences),
    )


def test_a_changed_mean_is_told_by_the_other_tables_and_by_its_values(whole_folder):
    def change(rows: list[Row]) -> None:
        for row in filter(of_plain_run, rows):
            row["mean"] = 0.987654321

    change_rows(whole_folder, SCORES, change)
    text = sentences(whole_folder)
    of_row = r"\(AP of plain on all \(forward\) by over:original\): mean is 0\.987654321"
    assert re.search(rf"{SCORES}: Row \d+ {of_row}, and manifest.json has 0\.\d+\.", text)
    assert re.search(rf"{TEXT}: Line \d+: mean of AP of plain .* and {SCORES} has 0.9876", text)
    assert re.search(
        rf"{SCORES}: mean of AP of plain .* is 0\.987654321, and {PER_QUERY} gives 0\.\d+\.", text
    )


@pytest.mark.full
@pytest.mark.parametrize("name", ["low", "high", "best", "n_with_positive", "n_missing"])
def test_each_number_beside_a_mean_is_computed_anew(whole_folder, name):
    def change(rows: list[Row]) -> None:
        for row in rows:
            if of_plain_run(row, "C@5"):
                row[name] = 7

    change_rows(whole_folder, SCORES, change)
    assert re.search(
        rf"{SCORES}: {name} of C@5 of plain .* is 7\S*, and \S.* gives", sentences(whole_folder)
    )


def test_a_changed_value_of_a_query_is_told_with_its_row(whole_folder):
    def change(rows: list[Row]) -> None:
        number, row = next((n, row) for n, row in enumerate(rows, 1) if of_plain_run(row))
        row["value"] = 0.123
        place.append(f"Row {number:,}: AP of plain on all (forward) by over:original is 0.123")

    place: list[str] = []
    change_rows(whole_folder, PER_QUERY, change)
    text = sentences(whole_folder)
    assert f"{PER_QUERY}: {place[0]} for query q" in text
    assert f"and {PER_QUERY} gives" in text


def test_the_weight_of_a_drawn_query_counts(whole_folder):
    def change(rows: list[Row]) -> None:
        for row in rows:
            row["weight"] = 1.0

    change_rows(whole_folder, PER_QUERY, change)
    findings = verified(whole_folder)
    assert findings.n_faults
    assert all("on drawn (forward)" in fault.message for fault in findings.faults)


def test_a_line_that_a_run_has_lost_changes_its_values(whole_folder):
    change_text(whole_folder, "runs/ranked-back.run.gz", without_line(1))
    text = sentences(whole_folder)
    assert "of ranked back on all (reverse)" in text
    assert "and runs/ranked-back.run.gz with the qrels gives" in text


def test_judgments_that_differ_are_told_with_their_line(whole_folder):
    change_text(
        whole_folder,
        "judgments/judgments.jsonl.gz",
        lambda text: re.sub(r'("grade": ?)\d', r"\g<1>9", text, count=1),
    )
    assert re.fullmatch(
        r"judgments/judgments\.jsonl\.gz: Line 1: grade is 9, and "
        r"judgments/judgments\.parquet has \d\.",
        sentences(whole_folder),
    )


def test_a_judgment_that_is_in_neither_file_is_missing_in_the_counts(whole_folder):
    change_rows(whole_folder, "judgments/judgments.parquet", lambda rows: rows.pop())
    change_text(whole_folder, "judgments/judgments.jsonl.gz", without_line(-1))
    text = sentences(whole_folder)
    origin = "judgments/judgments.parquet gives"
    assert re.search(rf"manifest.json: counts.n_judgments is \d+, and {origin} \d+\.", text)
    assert re.search(rf"manifest.json: counts.n_labels is \d+, and {origin} \d+\.", text)


@pytest.mark.full
@pytest.mark.parametrize(
    ("place", "name", "words"),
    [
        (("agreement",), "alpha", r"agreement\.alpha is 0\.5, and judgments/judgments\.parquet"),
        (("agreement",), "same_grade", r"agreement\.same_grade is 0\.5, and judgments/"),
        (("counts",), "n_decided", r"counts\.n_decided is 999, and labels/pairs\.tsv\.gz gives"),
        (("counts",), "n_disputed", r"counts\.n_disputed is 999, and labels/disputed\.tsv\.gz"),
        (("counts",), "n_conflicts", r"counts\.n_conflicts is 999, and labels/conflicts"),
        (("counts",), "n_refused_positives", r"counts\.n_refused_positives is 999, and labels/"),
        (("counts",), "n_reports", r"counts\.n_reports is 999, and labels/cannot-judge"),
        (("levels", 0), "n_labels", r"levels, grade \d: n_labels is 999, and judgments/"),
        (("levels", 0), "n_pairs", r"levels, grade \d: n_pairs is 999, and labels/pairs"),
        (("people", 0), "n_annotators", r"people, person: n_annotators is 999, and judgments/"),
        (("pools", 0), "depth", r"pools, depth 3: depth is 999, and pools/pairs\.parquet gives"),
        (("query_sets", 0), "n_sources", r"query_sets, \w+ \(\w+\): n_sources is 999, and query-"),
        (("levels", 0), "name", r"scheme\.json: It is not what manifest\.json has of it\."),
        (("scores", 0), "mean", r"scores\.parquet: Row 1 .*: mean is .*, and manifest\.json has"),
    ],
)
def test_each_number_of_the_manifest_comes_out_of_the_files(whole_folder, place, name, words):
    def change(value) -> None:
        for step in place:
            value = value[step]
        number = 0.5 if name in ("alpha", "same_grade", "mean") else 999
        value[name] = "other" if name == "name" else number

    change_json(whole_folder, "manifest.json", change)
    (sentence,) = verified(whole_folder).sentences
    assert re.search(words, sentence)


def test_an_item_that_a_query_set_has_lost_is_told(whole_folder):
    change_text(whole_folder, "query-sets/all-forward.tsv", without_line(1))
    text = sentences(whole_folder)
    assert "query-sets/all-forward.tsv gives" in text
    assert "their queries are not those of query-sets/all-forward.tsv" in text
    assert "is no query of its query set" in text


def test_of_many_faults_of_a_file_the_first_are_told_and_all_counted(whole_folder):
    change_text(whole_folder, QRELS, lambda text: text.replace(" 0 ", " 7 "))
    findings = verified(whole_folder)
    told = [sentence for sentence in findings.sentences if sentence.startswith(QRELS)]
    assert len(told) == 11 and re.fullmatch(rf"{QRELS}: and \d+ more\.", told[-1])
    assert findings.n_faults > len(findings.sentences)


def n_unmeasured(findings: Findings) -> dict[str, int]:
    """The scores that were not measured anew, by the reason."""
    pattern = re.compile(r"([\d,]+) scores? not measured anew: (.*)\.")
    matches = filter(None, map(pattern.fullmatch, findings.unchecked))
    return {match[2]: int(match[1].replace(",", "")) for match in matches}


def n_measured(findings: Findings) -> int:
    return int(re.search(r"(\d+) scores measured anew", "\n".join(findings.results))[1])


@pytest.mark.parametrize(
    "name", ["query-sets/all-forward.tsv", "runs/plain.run.gz", QRELS, "query-sets/few-forward.tsv"]
)
def test_a_file_that_cannot_be_read_leaves_all_other_scores_measured(whole_folder, name):
    """Each score that is not measured is told with the reason, so that none goes missing."""
    n_before = n_measured(verified(whole_folder))
    (whole_folder / name).write_bytes(b"\x1f\x8bx" if name.endswith(".gz") else b"")
    seal(whole_folder, name)
    findings = verified(whole_folder)
    (n,) = {n_unmeasured(findings).pop(f"{name} cannot be read")}
    assert n_unmeasured(findings).keys() <= {f"{name} cannot be read"}
    of_no_run = [sentence for sentence in findings.unchecked if "cannot be measured" in sentence]
    n_beyond = sum(int(re.match(r"(\d+) scores", sentence)[1]) for sentence in of_no_run)
    assert n_measured(findings) + n + n_beyond == 864
    assert n > 0 and n_before > n_measured(findings) > 100
    assert any(sentence.startswith(f"{name}: ") for sentence in findings.sentences)
    assert "-1 row" not in "\n".join(findings.sentences)


def test_values_that_end_too_early_leave_scores_that_are_told(whole_folder):
    (whole_folder / PER_QUERY).write_bytes(b"")
    seal(whole_folder, PER_QUERY)
    assert n_unmeasured(verified(whole_folder)) == {f"{PER_QUERY} cannot be read to its end": 864}


@pytest.mark.parametrize(
    ("entries", "words"),
    [("runs", 'of the run "plain"'), ("label_sources", 'of the label source "over:original"')],
)
def test_scores_of_what_the_manifest_does_not_name_are_a_fault(whole_folder, entries, words):
    def change(manifest) -> None:
        name = {"runs": "alias", "label_sources": "key"}[entries]
        manifest[entries] = [
            entry for entry in manifest[entries] if entry[name] not in ("plain", "over:original")
        ]

    change_json(whole_folder, "manifest.json", change)
    findings = verified(whole_folder)
    assert f"{SCORES}: It has scores {words}, and manifest.json does not." in findings.sentences
    assert n_unmeasured(findings)
