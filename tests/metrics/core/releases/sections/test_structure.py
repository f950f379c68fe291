"""The lines of Python on a card are run on files like those of a release."""

import contextlib
import gzip
import io
import subprocess
from dataclasses import replace

import pytest

from metrics.core.releases.manifest import QrelsEntry
from metrics.core.releases.sections.structure import structure
from tests.metrics.core.releases.samples.cards import code_of, paragraphs_under, table_lines
from tests.metrics.core.releases.samples.manifests import example_files, example_manifest

QRELS = "q1 0 d1 3\nq1 0 d2 1\nq2 0 d1 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d2 1 0.9 clip\nq1 Q0 d1 2 0.8 clip\nq2 Q0 d3 1 0.7 clip\n"


def card(**changes) -> str:
    """The section of the example with some of its entries replaced, as a card of its own."""
    return f"---\n---\n{structure(replace(example_manifest(), **changes), example_files())}"


def output_of(code: str) -> str:
    """What a block of Python prints, run in the current folder."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(code, "README.md", "exec"), {})
    return shown.getvalue()


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A folder with the qrels and the run that the card of the example names, entered."""
    (tmp_path / "qrels" / "forward").mkdir(parents=True)
    (tmp_path / "runs" / "forward").mkdir(parents=True)
    (tmp_path / "qrels/forward/over-original.txt").write_text(QRELS)
    (tmp_path / "runs/forward/clip-large.txt.gz").write_bytes(gzip.compress(RUN.encode()))
    (tmp_path / "run.txt").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("runs", [example_manifest().runs, ()])
def test_the_lines_of_python_score_a_run_with_the_qrels(release, runs):
    ir_measures, pytrec_eval, *_ = code_of(card(runs=runs), "python")
    assert "AP(rel=2): 0.75" in output_of(ir_measures)
    assert "'q1': {'map': 0.5," in output_of(pytrec_eval)


def test_without_a_run_the_lines_read_one_of_yours():
    text = card(runs=())
    assert 'read_trec_run("run.txt")' in text
    assert "and a run of yours in the file run.txt:" in " ".join(
        paragraphs_under(text, "How to read the files")
    )


def test_a_path_that_code_cannot_name_is_in_no_code():
    path = 'a"b\n.txt'
    source = replace(
        example_manifest().label_sources[1], qrels=(QrelsEntry("all", "forward", path),)
    )
    manifest = replace(example_manifest(), label_sources=(source,))
    text = f"---\n---\n{structure(manifest, [replace(example_files()[0], path=path)])}"
    assert code_of(text, "python") == []
    assert paragraphs_under(text, "How to read the files") == ["There are no qrels to read."]


def test_the_line_of_the_shell_checks_the_files(release):
    (command,) = code_of(card(), "sh")
    sums = subprocess.run(
        ["sha256sum", "run.txt"], cwd=release, capture_output=True, text=True, check=True
    ).stdout
    (release / "SHA256SUMS").write_text(sums)
    assert subprocess.run(command, shell=True, cwd=release, check=False).returncode == 0
    (release / "run.txt").write_text("other")
    assert subprocess.run(command, shell=True, cwd=release, check=False).returncode == 1


def test_files_have_rows_bytes_and_what_they_are():
    lines = next(table for table in table_lines(card()) if table[0].startswith("| File"))
    assert lines[2] == (
        "| judgments/judgments.parquet | All judgments that were stored. | "
        "application/vnd.apache.parquet | 5,200 | 181,202 |"
    )
    assert lines[-2].endswith("| a document | 12,345 |")
    assert paragraphs_under(card(), "Files")[-1] == "In all 13 files, 1,562,224 bytes."


def test_grades_say_which_are_positive():
    lines = next(table for table in table_lines(card()) if table[0].startswith("| Grade"))
    assert [line.split(" | ")[4] for line in lines[2:]] == ["no", "no", "yes", "yes"]
    assert paragraphs_under(card(), "Grades")[0] == (
        "The scale is ordinal. A grade of 2 or more is positive."
    )


def test_a_gallery_of_all_targets_is_told_in_words():
    lines = next(table for table in table_lines(card()) if table[0].startswith("| Query set"))
    assert [line.split(" | ")[2] for line in lines[2:]] == ["all targets", "1,332 targets"]


@pytest.mark.parametrize(
    ("leave", "words"), [(True, "are in this release"), (False, "are not in this release")]
)
def test_texts_and_media_are_in_the_release_or_not(leave, words):
    paragraphs = paragraphs_under(card(texts_leave=leave, media_leave=leave), "Items")[-2:]
    assert paragraphs[0].startswith(f"Texts of items {words}")
    assert paragraphs[1] == f"Names and addresses of media {words}."


def test_each_label_source_has_its_qrels_by_query_set():
    lines = next(table for table in table_lines(card()) if table[0].startswith("| Key"))
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[2:]] == [
        "over:original",
        "over:original",
        "only",
    ]
    assert [line.split(" | ")[2] for line in lines[2:]] == ["all", "eccv", "all"]
