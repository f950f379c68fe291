"""A damaged folder or archive gives words, whatever the damage, and never a traceback."""

import json
import zipfile
from pathlib import Path

import pytest

from annotate.core.files.formats import FormatError
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
