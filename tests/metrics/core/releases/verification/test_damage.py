"""A damaged folder or archive gives words, whatever the damage, and never a traceback."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from annotate.core.files.archives.sources import FolderSource
from annotate.core.files.formats import FormatError
from metrics.core.releases.verification.entries import read_manifest
from metrics.core.releases.verification.findings import Findings, are_equal, unequal_rows
from metrics.core.releases.verification.qrels_files import check_qrels
from metrics.core.releases.verification.verification import verify_release
from tests.metrics.core.releases.verification.whole_release import (
    change_json,
    change_text,
    whole_archive,
    whole_folder,
)

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["whole_archive", "whole_folder"]


def sentences(path: Path) -> list[str]:
    return verify_release(path, lambda text: None).sentences


def test_without_its_manifest_only_files_are_compared(whole_folder):
    (whole_folder / "manifest.json").unlink()
    findings = verify_release(whole_folder, lambda text: None)
    assert "manifest.json: It is not there." in findings.sentences
    assert findings.unchecked == ["Without manifest.json only the files were compared."]


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "manifest.json: Line 1: it is no JSON: Expecting property name"),
        ("[" * 100_000, "manifest.json: It is no JSON: maximum recursion depth exceeded"),
        ("\xff", "manifest.json: "),
        ("[]", "manifest.json: Its value is not an object."),
        ("{}", "manifest.json: version is not there."),
    ],
)
def test_a_manifest_that_cannot_be_read_is_told(whole_folder, text, words):
    (whole_folder / "manifest.json").write_text(text, encoding="latin-1")
    assert any(sentence.startswith(words) for sentence in sentences(whole_folder))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("counts", {"n_judgments": "many"}, "counts.n_judgments is not a whole number."),
        ("counts", 7, "counts is not an object."),
        ("scores", 7, "scores is not a list."),
        ("scores", [7], "scores[0] is not an object."),
        ("released_on", "today", "released_on is not a day as 2026-03-05."),
        ("released_on", "2026-13-41", "It cannot be read: month must be in 1..12."),
        ("texts_leave", 1, "texts_leave is not true or false."),
    ],
)
def test_a_value_of_another_type_is_told_with_its_place(whole_folder, name, value, words):
    def change(manifest) -> None:
        manifest[name] = manifest[name] | value if isinstance(value, dict) else value

    change_json(whole_folder, "manifest.json", change)
    assert f"manifest.json: {words}" in sentences(whole_folder)


@pytest.mark.full
def test_every_kind_of_file_may_be_cut_short_or_be_noise(whole_folder):
    """One after the other; all others are as they were."""
    kinds = {}
    for path in sorted(whole_folder.rglob("*")):
        name = path.relative_to(whole_folder).as_posix()
        if path.is_file():
            is_alike = name.startswith(("qrels/", "runs/", "scores/auto", "query-sets/", "beir/"))
            kinds[(path.parent, path.suffix) if is_alike else name] = name
    assert len(kinds) > 25
    for number, name in enumerate(kinds.values()):
        path = whole_folder / name
        content = path.read_bytes()
        path.write_bytes((content[: len(content) // 2], b"", b"\x00\xff\n" * 9)[number % 3])
        told = sentences(whole_folder)
        assert any(sentence.startswith(f"{name}: ") for sentence in told), (name, told)
        path.write_bytes(content)
    assert sentences(whole_folder) == []


def test_a_packed_file_that_is_cut_short_is_told_as_such(whole_folder):
    path = whole_folder / "runs/plain.run.gz"
    path.write_bytes(path.read_bytes()[:-20])
    assert any("damaged or cut short" in sentence for sentence in sentences(whole_folder))


def test_a_table_without_a_column_is_told(whole_folder):
    path = whole_folder / "scores/scores.parquet"
    path.write_bytes((whole_folder / "pools/pairs.parquet").read_bytes())
    told = 'Its column "run" is missing; a release has string.'
    assert f"scores/scores.parquet: {told}" in sentences(whole_folder)


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "study-1.0/../../x", "a\\b"])
def test_an_archive_whose_names_lead_out_is_refused(tmp_path, name):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("study-1.0/manifest.json", "{}")
        archive.writestr(name, "x")
    with pytest.raises(FormatError, match="The zip archive is refused: the name"):
        sentences(path)


def test_an_archive_that_is_cut_short_is_refused(whole_archive, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(whole_archive[:-100])
    with pytest.raises(FormatError, match="The zip archive cannot be read"):
        sentences(path)


def test_what_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(b"PNG")
    with pytest.raises(FormatError, match="neither a folder nor a zip archive"):
        sentences(path)
    with pytest.raises(FileNotFoundError):
        sentences(tmp_path / "nothing")


def test_a_path_in_the_manifest_leads_nowhere_else(whole_folder, tmp_path):
    (tmp_path / "outside").write_text("part\titem\n")

    def change(manifest) -> None:
        manifest["query_sets"][0]["file"] = "../outside"

    change_json(whole_folder, "manifest.json", change)
    assert "../outside: It is not there." in sentences(whole_folder)


def test_checksums_that_are_none_are_told_with_their_line(whole_folder):
    text = (whole_folder / "SHA256SUMS").read_text()
    first = text.splitlines()[0]
    (whole_folder / "SHA256SUMS").write_text(f"# words\n{text}{first}\n")
    told = sentences(whole_folder)
    assert "SHA256SUMS: Line 1: it is no checksum, two blanks and a path." in told
    assert any("stands there twice" in sentence for sentence in told)


def test_the_list_of_files_in_croissant_may_be_anything(whole_folder):
    for value in (7, [7], [{"contentSize": 7}], None):
        change_json(
            whole_folder,
            "croissant.json",
            lambda whole, value=value: whole.update(distribution=value),
        )
        words = "croissant.json: Its list of files (distribution) is not as a release has it."
        assert words in sentences(whole_folder), json.dumps(value)
    change_text(whole_folder, "README.md", lambda text: text.replace(" |", ""))


def test_codes_without_a_word_are_told(whole_folder):
    """Each byte of the codes of a column in turn: a code out of range is words, as all others."""
    path = whole_folder / "qrels/qrels.parquet"
    parquet.write_table(parquet.read_table(path), path, compression="none", store_schema=False)
    content = path.read_bytes()
    column = parquet.ParquetFile(path).metadata.row_group(0).column(3)
    assert column.path_in_schema == "query"
    end = column.dictionary_page_offset + column.total_compressed_size
    source = FolderSource(whole_folder)
    manifest = read_manifest(source)
    told = set()
    for position in range(column.data_page_offset, end):
        path.write_bytes(content[:position] + b"\xff" + content[position + 1 :])
        findings = Findings()
        check_qrels(source, manifest, findings)
        told |= {*findings.sentences}
    words = 'its column "query" has codes without a word, or no UTF-8.'
    assert f"qrels/qrels.parquet: It cannot be read: {words}" in told


@pytest.mark.parametrize(
    ("path", "number"),
    [
        (("counts", "n_reports"), 10**30),
        (("agreement", "same_grade"), 10**400),
        (("agreement", "alpha"), float("inf")),
        (("agreement", "low"), float("nan")),
    ],
)
def test_a_number_beyond_all_bounds_is_told_with_its_place(whole_folder, path, number):
    def change(manifest) -> None:
        manifest[path[0]][path[1]] = number

    change_json(whole_folder, "manifest.json", change)
    words = "is not a number of at most 64 bits."
    assert f"manifest.json: {'.'.join(path)} {words}" in sentences(whole_folder)


def test_a_moment_beyond_all_bounds_is_told(whole_folder):
    path = whole_folder / "judgments/judgments.parquet"
    table = parquet.read_table(path)
    position = table.schema.get_field_index("at")
    moments = pa.array([2**62] * len(table)).cast(table.schema.field("at").type)
    parquet.write_table(table.set_column(position, "at", moments), path, store_schema=False)
    told = sentences(whole_folder)
    words = "judgments/judgments.parquet: It cannot be read: "
    assert any(sentence.startswith(words) for sentence in told), told


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("9" * 5000, "Line 1: it is no JSON: "),
        ("7", "Line 1: it is no JSON object."),
        ('{"at": 7}', 'Line 1: "7" is no moment.'),
    ],
)
def test_a_line_that_is_no_judgment_is_told(whole_folder, line, words):
    name = "judgments/judgments.jsonl.gz"
    change_text(whole_folder, name, lambda text: f"{line}\n{text.partition(chr(10))[2]}")
    assert any(told.startswith(f"{name}: {words}") for told in sentences(whole_folder))


def test_infinity_is_equal_to_itself_alone():
    infinity = float("inf")
    numbers = np.array([infinity, -infinity, infinity, np.nan, 1.0, 1.0])
    others = np.array([infinity, infinity, 1.0, np.nan, infinity, 1.0 + 1e-16])
    assert unequal_rows(numbers, others).tolist() == [1, 2, 4]
    assert are_equal(infinity, infinity)
    assert not are_equal(infinity, 1.0) and not are_equal(1, -infinity)


def test_files_that_tools_leave_are_passed_over_with_a_note(whole_folder):
    names = (".DS_Store", "__pycache__/ir_datasets_release.cpython-311.pyc", "runs/Desktop.ini")
    for name in names:
        (whole_folder / name).parent.mkdir(exist_ok=True)
        (whole_folder / name).write_text("x")
    findings = verify_release(whole_folder, lambda text: None)
    assert findings.sentences == []
    assert findings.unchecked[0] == (
        f"3 files of tools that looked into the folder: {', '.join(names)}."
    )


def test_a_file_of_a_tool_that_is_listed_is_checked(whole_folder):
    text = (whole_folder / "SHA256SUMS").read_text()
    (whole_folder / "SHA256SUMS").write_text(f"{text}{'0' * 64}  .DS_Store\n")
    assert ".DS_Store: It is not there, and SHA256SUMS lists it." in sentences(whole_folder)
    (whole_folder / ".DS_Store").write_text("x")
    assert any(told.startswith(".DS_Store: Its checksum") for told in sentences(whole_folder))
